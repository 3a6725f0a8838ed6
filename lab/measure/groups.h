/* Node groups: clusters of nodes between which messages are faster than to other nodes, such as the
 * nodes below one switch, or on one side of a slow link. They are found from the times of messages
 * between every two nodes. */
#ifndef ALLFOLD_LAB_MEASURE_GROUPS_H
#define ALLFOLD_LAB_MEASURE_GROUPS_H

#include <stdbool.h>

enum { ALLFOLD_GROUPED_NODES = 64 };

struct allfold_groups {
    int count;                           /* 1: no groups were found */
    int group_of[ALLFOLD_GROUPED_NODES]; /* node -> group; groups are numbered by their lowest node
                                          */
    double inside_s, between_s; /* median times within and between groups; equal if count is 1 */
};

/* Finds the groups of n nodes. The time between nodes a and b, for a < b, is times_s[a * n + b].
 *
 * A gap in the sorted times separates groups on three conditions:
 * - The median time between groups is at least 1.5 times the median within groups.
 * - Each group has at least two nodes.
 * - At least 90 percent of the pairs within a group are below the gap, and at least 90 percent of
 *   the pairs of different groups are above it. */
struct allfold_groups allfold_groups_find(const double *times_s, int n);

/* Returns whether a and b are the same partition of n nodes. */
bool allfold_groups_are_alike(const struct allfold_groups *a, const struct allfold_groups *b,
                              int n);

#endif
