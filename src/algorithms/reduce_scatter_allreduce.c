/* Reduce-scatter of blocks of any lengths by an allreduce (see by_allreduce.h). */
#include "algorithms/by_allreduce.h"

const struct allfold_algorithm allfold_reduce_scatter_allreduce = {
    ALLFOLD_BY_ALLREDUCE,
    .collective = ALLFOLD_REDUCE_SCATTER,
    .summary = "an allreduce, of whose result each rank takes its block",
    .use =
        "short blocks, any operation: fewer rounds than the others, but whole vectors; long ones "
        "circulant and multilane",
    .keeps_tree = allfold_by_allreduce_keeps_tree,
};
