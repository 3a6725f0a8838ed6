/* How a call's time splits (see split.h). */
#include "mpi/report/split.h"

#include <math.h>

/* Of a broadcast nobody waits for any rank but the root. */
static bool is_awaited_rank(enum allfold_collective collective, int root, int rank)
{
    const struct allfold_traits *of = allfold_traits(collective);
    return !of->has_root || of->reduces || rank == root;
}

struct allfold_latest allfold_latest_of(enum allfold_collective collective, int root, int rank,
                                        double begin_s)
{
    const bool is_awaited = is_awaited_rank(collective, root, rank);
    return (struct allfold_latest){.last_s = is_awaited ? begin_s : -HUGE_VAL,
                                   .sum_s = begin_s,
                                   .rank = is_awaited ? rank : -1,
                                   .count = 1};
}

void allfold_latest_merge(struct allfold_latest *into, const struct allfold_latest *other)
{
    if (other->rank >= 0 && (into->rank < 0 || other->last_s > into->last_s ||
                             (other->last_s == into->last_s && other->rank < into->rank))) {
        into->last_s = other->last_s;
        into->rank = other->rank;
    }
    into->sum_s += other->sum_s;
    into->count += other->count;
}

struct allfold_split allfold_split_call(enum allfold_collective collective, double begin_s,
                                        double end_s, double apart_s,
                                        const struct allfold_latest *latest)
{
    const struct allfold_traits *of = allfold_traits(collective);
    const bool is_apart = apart_s >= 0;
    const bool may_leave =
        !is_apart && ((of->has_root && of->reduces) || of->prefix != ALLFOLD_OF_ALL);
    double until_s = latest->last_s;
    if (latest->rank < 0 || until_s < begin_s || (until_s > end_s && may_leave))
        until_s = begin_s;
    if (until_s > end_s)
        until_s = end_s;
    return (struct allfold_split){.waiting_s = until_s - begin_s,
                                  .moving_s = is_apart ? apart_s : end_s - until_s};
}

double allfold_latest_behind_s(const struct allfold_latest *latest)
{
    if (latest->rank < 0 || latest->count < 2)
        return 0;
    const double others_s = (latest->sum_s - latest->last_s) / (latest->count - 1);
    return latest->last_s > others_s ? latest->last_s - others_s : 0;
}

double allfold_latest_mean_s(const struct allfold_latest *latest)
{
    if (latest->rank < 0 || latest->count < 2)
        return 0;
    const double mean_s = latest->sum_s / latest->count;
    return latest->last_s > mean_s ? latest->last_s - mean_s : 0;
}

double allfold_latest_late_s(const struct allfold_latest *latest,
                             enum allfold_collective collective, int root, int rank, double begin_s)
{
    if (latest->count < 2 || !is_awaited_rank(collective, root, rank))
        return 0;
    const double late_s = begin_s - (latest->sum_s - begin_s) / (latest->count - 1);
    return late_s > 0 ? late_s : 0;
}
