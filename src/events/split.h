/* Splits a call's time into waiting for the last rank and moving data.
 *
 * Each rank records when it began and ended a call. One reduction tells all ranks when the last one
 * began, and which one that was. Until then a rank in the call was waiting; from then on it moved
 * data. Times are on the communicator's shared clock, in seconds. Thread-safe. */
#ifndef ALLFOLD_EVENTS_SPLIT_H
#define ALLFOLD_EVENTS_SPLIT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "algorithms/problem.h"

/* When a call began, over the ranks that have been merged. */
struct allfold_latest {
    double last_s;       /* maximum over the ranks that others wait for; -HUGE_VAL: none */
    double sum_s;        /* sum over all ranks */
    int32_t rank, count; /* `rank`: the last one, -1 if there is none; `count`: number of ranks */
};

/* Returns whether other ranks wait for that rank: for all ranks, but in a broadcast only for the
 * root. */
bool allfold_is_awaited(enum allfold_collective collective, int root, int rank);

/* Returns the contribution of a rank that began a call at begin_s. */
static inline struct allfold_latest allfold_latest_of(bool is_awaited, int rank, double begin_s)
{
    return (struct allfold_latest){.last_s = is_awaited ? begin_s : -HUGE_VAL,
                                   .sum_s = begin_s,
                                   .rank = is_awaited ? rank : -1,
                                   .count = 1};
}

/* Returns the contribution of a rank that does not know when it began a call. */
static inline struct allfold_latest allfold_latest_unknown(void)
{
    return (struct allfold_latest){.last_s = -HUGE_VAL, .rank = -1};
}

/* Merges two sets of ranks. If two ranks were last at the same time, the lower one counts; rank -1
 * counts after all ranks. The last rank changes from call to call, so the code has no branch to
 * mispredict. */
static inline void allfold_latest_merge(struct allfold_latest *into,
                                        const struct allfold_latest *other)
{
    const bool is_later = other->last_s > into->last_s;
    const bool is_lower =
        (other->last_s == into->last_s) & /* evaluates both sides, without a branch */
        ((uint32_t)other->rank < (uint32_t)into->rank);
    into->last_s = is_later ? other->last_s : into->last_s;
    into->rank = (is_later | is_lower) ? other->rank : into->rank;
    into->sum_s += other->sum_s;
    into->count += other->count;
}

/* Returns how far behind the mean a rank is in such a call by chance, averaged over many calls:
 * each of n ranks is equally likely to be the last one. 0 for the root of a broadcast, which is
 * early as often as late. */
double allfold_latest_chance_s(const struct allfold_latest *latest,
                               enum allfold_collective collective, int root, int rank);

/* The two parts of a call's time. */
struct allfold_split {
    double waiting_s, moving_s;
};

/* Returns whether a rank may leave such a call before the last rank has begun it, as a leaf of a
 * reduce may. */
bool allfold_may_leave(enum allfold_collective collective);

/* Splits the time of a call of one rank, from begin_s to end_s. If a rank may leave such a call
 * early, and left before the last rank came, it has not waited. apart_s is the time that data moved
 * after a synchronization of all ranks, before which all have waited; negative if there was none.
 */
static inline struct allfold_split allfold_split_call(enum allfold_collective collective,
                                                      double begin_s, double end_s, double apart_s,
                                                      const struct allfold_latest *latest)
{
    double until_s = latest->last_s > begin_s ? latest->last_s : begin_s;
    if (until_s > end_s)
        until_s = apart_s < 0 && allfold_may_leave(collective) ? begin_s : end_s;
    return (struct allfold_split){.waiting_s = until_s - begin_s,
                                  .moving_s = apart_s >= 0 ? apart_s : end_s - until_s};
}

/* Returns how long the mean rank waited for the last one; 0 if the last one was before the mean. */
double allfold_latest_mean_s(const struct allfold_latest *latest);

/* Returns how far a rank that began the call at begin_s was behind the mean of the others; 0 if it
 * was not, or no rank waits for it. */
double allfold_latest_late_s(const struct allfold_latest *latest,
                             enum allfold_collective collective, int root, int rank,
                             double begin_s);

/* Returns how far the last rank was behind the mean of the others; 0 if it was not. */
static inline double allfold_latest_behind_s(const struct allfold_latest *latest)
{
    if (latest->rank < 0 || latest->count < 2)
        return 0;
    const double others_s = (latest->sum_s - latest->last_s) / (latest->count - 1);
    return latest->last_s > others_s ? latest->last_s - others_s : 0;
}

#endif
