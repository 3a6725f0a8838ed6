/* Barrier by an allreduce (see by_allreduce.h). */
#include "algorithms/by_allreduce.h"

const struct allfold_algorithm allfold_barrier_allreduce = {
    ALLFOLD_BY_ALLREDUCE,
    .collective = ALLFOLD_BARRIER,
    .summary = "an allreduce of one token",
    .use = "where a radix for each level takes less than dissemination, and by smp on nodes; else "
           "dissemination",
};
