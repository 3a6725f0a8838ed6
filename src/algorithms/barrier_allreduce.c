/* Barrier by an allreduce (see by_allreduce.h). */
#include "algorithms/all.h"
#include "algorithms/by_allreduce.h"

const struct allfold_algorithm allfold_barrier_allreduce = {
    .name = "allreduce",
    .collective = ALLFOLD_BARRIER,
    .source = "Traeff, Gropp and Thakur 2010",
    .summary = "an allreduce of one token",
    .use = "where a radix for each level takes less than dissemination, and by smp on nodes; else "
           "dissemination",
    .follows_nodes = true,
    .consistent = true,
    .parameters = {ALLFOLD_INNER_ON_ALL("the allreduce", &allfold_allreduce_mixed_radix)},
    .build = allfold_by_allreduce_build,
    .claim = allfold_by_allreduce_claim,
    .unmet = allfold_by_allreduce_unmet,
};
