/* How a call's time splits into waiting for the last rank and moving data.
 *
 * Each rank notes when it began and ended a call. One reduction tells all of them when the last one
 * began, and which one that was. Until then a rank in the call was waiting; from then on it moved
 * data. Times are of the communicator's shared clock, in seconds. */
#ifndef ALLFOLD_EVENTS_SPLIT_H
#define ALLFOLD_EVENTS_SPLIT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "algorithms/problem.h"

/* When a call began, of the ranks that were merged. */
struct allfold_latest {
    double last_s;       /* of those that others wait for */
    double sum_s;        /* of all */
    int32_t rank, count; /* who was last, -1: nobody, at -HUGE_VAL; how many there are */
};

/* Does anybody wait for that rank? Of a broadcast for the root alone. */
bool allfold_is_awaited(enum allfold_collective collective, int root, int rank);

/* What a rank says of a call that it began at `begin_s`; and of one that it knows nothing of. */
static inline struct allfold_latest allfold_latest_of(bool is_awaited, int rank, double begin_s)
{
    return (struct allfold_latest){.last_s = is_awaited ? begin_s : -HUGE_VAL,
                                   .sum_s = begin_s,
                                   .rank = is_awaited ? rank : -1,
                                   .count = 1};
}

static inline struct allfold_latest allfold_latest_unknown(void)
{
    return (struct allfold_latest){.last_s = -HUGE_VAL, .rank = -1};
}

/* Merges: of ranks that were last together, the lowest counts. Nobody (-1) is behind all of them.
 * Who is last changes from call to call, so there is no branch to be guessed wrong. */
static inline void allfold_latest_merge(struct allfold_latest *into,
                                        const struct allfold_latest *other)
{
    const bool is_later = other->last_s > into->last_s;
    const bool is_lower = (other->last_s == into->last_s) & /* both, not one after the other */
                          ((uint32_t)other->rank < (uint32_t)into->rank);
    into->last_s = is_later ? other->last_s : into->last_s;
    into->rank = (is_later | is_lower) ? other->rank : into->rank;
    into->sum_s += other->sum_s;
    into->count += other->count;
}

/* How far behind chance alone would put a rank in such a call, in the mean of many: each of n ranks
 * may be the last one. Only the root of a broadcast is waited for, which is early as often as late.
 */
double allfold_latest_chance_s(const struct allfold_latest *latest,
                               enum allfold_collective collective, int root, int rank);

struct allfold_split {
    double waiting_s, moving_s;
};

/* May a rank leave such a call before the last one has begun it? A leaf of a reduce may. */
bool allfold_may_leave(enum allfold_collective collective);

/* Splits the time of a call that a rank began and ended so. A rank that left before the last rank
 * came, where it may, has not waited. The time apart_s is how long the data moved after the ranks
 * had synchronized: then all have waited. Without such a synchronization it is less than 0. */
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

/* How long the mean rank waited for the last one; 0 where that was before it. */
double allfold_latest_mean_s(const struct allfold_latest *latest);

/* How far a rank that began so was behind the mean of the others; 0 where it was not, or nobody
 * waits for it. */
double allfold_latest_late_s(const struct allfold_latest *latest,
                             enum allfold_collective collective, int root, int rank,
                             double begin_s);

/* How far the last one was behind the mean of the others; 0 where it was not. */
static inline double allfold_latest_behind_s(const struct allfold_latest *latest)
{
    if (latest->rank < 0 || latest->count < 2)
        return 0;
    const double others_s = (latest->sum_s - latest->last_s) / (latest->count - 1);
    return latest->last_s > others_s ? latest->last_s - others_s : 0;
}

#endif
