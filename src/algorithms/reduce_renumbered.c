/* Reduce over ranks that are renumbered along their nodes and the groups of these (see
 * renumbered.h). Not from a paper. */
#include "algorithms/all.h"
#include "algorithms/renumbered.h"

const struct allfold_algorithm allfold_reduce_renumbered = {
    .name = "renumbered",
    .collective = ALLFOLD_REDUCE,
    .source = "Allfold itself",
    .summary = "another reduce, as if ranks were numbered along their nodes and switches",
    .use = "long vectors and operations that commute, where ranks are dealt out to nodes in turn, "
           "or nodes do not follow their switches; else pipelined_circulant",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE | ALLFOLD_NEEDS_NODES,
    .renumbers = true,
    .consistent = true,
    .parameters = {ALLFOLD_INNER_ON_ALL("the reduce over the renumbered ranks",
                                        &allfold_reduce_two_tree)},
    .build = allfold_renumbered_build,
    .claim = allfold_renumbered_claim,
    .unmet = allfold_renumbered_unmet,
};
