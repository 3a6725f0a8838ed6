/* Reduce by an allreduce (see by_allreduce.h). */
#include "algorithms/all.h"
#include "algorithms/by_allreduce.h"

const struct allfold_algorithm allfold_reduce_allreduce = {
    .name = "allreduce",
    .collective = ALLFOLD_REDUCE,
    .source = "Traeff, Gropp and Thakur 2010",
    .summary = "an allreduce, whose result the other ranks drop",
    .use = "short vectors where several messages overlap, for mixed_radix takes fewer rounds than "
           "trees;"
           " else trees, which send p-1 messages in all",
    .follows_nodes = true,
    .consistent = true,
    .keeps_tree = allfold_by_allreduce_keeps_tree,
    .parameters = {ALLFOLD_INNER_ON_ALL("the allreduce", &allfold_allreduce_mixed_radix)},
    .build = allfold_by_allreduce_build,
    .claim = allfold_by_allreduce_claim,
    .unmet = allfold_by_allreduce_unmet,
};
