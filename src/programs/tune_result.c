/* Results of a tuning (see tune_result.h). */
#include "programs/tune_result.h"

#include <math.h>

struct allfold_tune_result allfold_tune_shown(const struct allfold_bench_point *point)
{
    struct allfold_statistics s;
    if (point->outcome != ALLFOLD_PLAN_MEASURED || point->count == 0 ||
        !allfold_statistics_of(point->samples_s, point->count, 0.95, &s))
        return (struct allfold_tune_result){INFINITY, INFINITY, INFINITY, 0};
    return (struct allfold_tune_result){1e6 * s.median, 1e6 * s.from, 1e6 * s.to, point->count};
}

struct allfold_tune_result allfold_tune_joined(const struct allfold_tune_result *one,
                                               const struct allfold_tune_result *other)
{
    return (struct allfold_tune_result){(one->us + other->us) / 2,
                                        fmin(one->from_us, other->from_us),
                                        fmax(one->to_us, other->to_us), one->count + other->count};
}
