/* How a call's time splits into waiting for the last rank and moving data.
 *
 * Each rank notes when it began and ended a call. One reduction tells all of them when the last one
 * began, and which one that was. Until then a rank in the call was waiting; from then on it moved
 * data. Times are of the communicator's shared clock, in seconds. */
#ifndef ALLFOLD_MPI_SPLIT_H
#define ALLFOLD_MPI_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/problem.h"

/* When a call began, of the ranks that were merged. */
struct allfold_latest {
    double last_s;       /* of those that others wait for */
    double sum_s;        /* of all */
    int32_t rank, count; /* who was last, -1: nobody; how many there are */
};

/* What this rank says of a call that it began at `begin_s`. (A struct whose `count` is 0 is of no
 * rank.) */
struct allfold_latest allfold_latest_of(enum allfold_collective collective, int root, int rank,
                                        double begin_s);

/* Merges: of ranks that were last together, the lowest counts. */
void allfold_latest_merge(struct allfold_latest *into, const struct allfold_latest *other);

struct allfold_split {
    double waiting_s, moving_s;
};

/* Splits the time of a call that a rank began and ended so. Some ranks need not all others, as a
 * leaf of a reduce. If such a rank left before the last rank came, it has not waited. The time
 * apart_s is how long the data moved after the ranks had synchronized: then all have waited.
 * Without such a synchronization it is less than 0. */
struct allfold_split allfold_split_call(enum allfold_collective collective, double begin_s,
                                        double end_s, double apart_s,
                                        const struct allfold_latest *latest);

/* How long the mean rank waited for the last one; 0 where that was before it. */
double allfold_latest_mean_s(const struct allfold_latest *latest);

/* How far a rank that began so was behind the mean of the others; 0 where it was not, or nobody
 * waits for it. */
double allfold_latest_late_s(const struct allfold_latest *latest,
                             enum allfold_collective collective, int root, int rank,
                             double begin_s);

/* How far the last one was behind the mean of the others; 0 where it was not. */
double allfold_latest_behind_s(const struct allfold_latest *latest);

#endif
