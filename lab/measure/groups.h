/* Groups of nodes that are nearer to each other than to the others: those below one switch, or on
 * one side of a thin link. They follow from times of messages between each two nodes. */
#ifndef ALLFOLD_LAB_MEASURE_GROUPS_H
#define ALLFOLD_LAB_MEASURE_GROUPS_H

#include <stdbool.h>

enum { ALLFOLD_GROUPED_NODES = 64 };

struct allfold_groups {
    int count;                           /* 1: there are none */
    int group_of[ALLFOLD_GROUPED_NODES]; /* node -> its group, by the lowest node */
    double inside_s, between_s;          /* medians; equal where there is one group */
};

/* The time of nodes a and b, for a < b, is times_s[a * n + b]. A gap between the times makes groups
 * on three conditions. The longer times are half as long again at least. Each group has two nodes
 * or more. And 9 of 10 pairs are on the side of the gap where their groups say that they are. */
struct allfold_groups allfold_groups_find(const double *times_s, int n);

/* Do both say the same of each node? */
bool allfold_groups_are_alike(const struct allfold_groups *a, const struct allfold_groups *b,
                              int n);

#endif
