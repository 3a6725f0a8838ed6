/* What a contender of a tuning showed. */
#ifndef ALLFOLD_MPI_TUNE_RESULT_H
#define ALLFOLD_MPI_TUNE_RESULT_H

#include "programs/bench_run.h"

/* A median and the interval that holds it. Infinite where nothing was measured. */
struct allfold_tune_result {
    double us, from_us, to_us;
    int count;
};

struct allfold_tune_result allfold_tune_shown(const struct allfold_bench_point *point);

/* Of two runs: the mean of both medians, and from the lower end of both intervals to the upper one,
 * so that what is certain is so in both runs. */
struct allfold_tune_result allfold_tune_joined(const struct allfold_tune_result *one,
                                               const struct allfold_tune_result *other);

#endif
