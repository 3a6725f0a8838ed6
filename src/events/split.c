/* Who waits for whom, and how long (see split.h). */
#include "events/split.h"

/* Do the ranks wait for all of them, and not for the root alone? */
static bool awaits_all(enum allfold_collective collective)
{
    const struct allfold_traits *of = allfold_traits(collective);
    return !of->has_root || of->reduces;
}

bool allfold_is_awaited(enum allfold_collective collective, int root, int rank)
{
    return awaits_all(collective) || rank == root;
}

bool allfold_may_leave(enum allfold_collective collective)
{
    const struct allfold_traits *of = allfold_traits(collective);
    return (of->has_root && of->reduces) || of->prefix != ALLFOLD_OF_ALL;
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
    if (latest->count < 2 || !allfold_is_awaited(collective, root, rank))
        return 0;
    const double late_s = begin_s - (latest->sum_s - begin_s) / (latest->count - 1);
    return late_s > 0 ? late_s : 0;
}

double allfold_latest_chance_s(const struct allfold_latest *latest,
                               enum allfold_collective collective, int root, int rank)
{
    if (latest->rank < 0 || latest->count < 2 || !allfold_is_awaited(collective, root, rank))
        return 0;
    const double others_s = (latest->sum_s - latest->last_s) / (latest->count - 1);
    return fabs(latest->last_s - others_s) / (awaits_all(collective) ? latest->count : 2);
}
