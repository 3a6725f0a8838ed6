/* Reduce by an allreduce (see by_allreduce.h). */
#include "algorithms/by_allreduce.h"

const struct allfold_algorithm allfold_reduce_allreduce = {
    ALLFOLD_BY_ALLREDUCE,
    .collective = ALLFOLD_REDUCE,
    .summary = "an allreduce, whose result the other ranks drop",
    .use = "short vectors where several messages overlap, for mixed_radix takes fewer rounds than "
           "trees; else trees, which send p-1 messages in all",
    .keeps_tree = allfold_by_allreduce_keeps_tree,
};
