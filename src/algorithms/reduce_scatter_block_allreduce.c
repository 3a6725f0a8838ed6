/* Reduce-scatter by an allreduce (see by_allreduce.h). */
#include "algorithms/all.h"
#include "algorithms/by_allreduce.h"

const struct allfold_algorithm allfold_reduce_scatter_block_allreduce = {
    .name = "allreduce",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Traeff, Gropp and Thakur 2010",
    .summary = "an allreduce, of whose result each rank takes its block",
    .use =
        "short blocks, any operation: fewer rounds than the others, but whole vectors; long ones "
        "circulant and multilane",
    .follows_nodes = true,
    .consistent = true,
    .keeps_tree = allfold_by_allreduce_keeps_tree,
    .parameters = {ALLFOLD_INNER_ON_ALL("the allreduce", &allfold_allreduce_mixed_radix)},
    .build = allfold_by_allreduce_build,
    .claim = allfold_by_allreduce_claim,
    .unmet = allfold_by_allreduce_unmet,
};
