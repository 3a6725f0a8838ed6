/* Broadcast over ranks that are renumbered along their nodes and the groups of these (see
 * renumbered.h). Not from a paper. */
#include "algorithms/all.h"
#include "algorithms/renumbered.h"

const struct allfold_algorithm allfold_bcast_renumbered = {
    .name = "renumbered",
    .collective = ALLFOLD_BCAST,
    .source = "Allfold itself",
    .summary = "another broadcast, as if ranks were numbered along their nodes and switches",
    .use = "long vectors, where ranks are dealt out to nodes in turn, or nodes do not follow their "
           "switches; else pipelined_circulant",
    .needs = ALLFOLD_NEEDS_NODES,
    .renumbers = true,
    .consistent = true,
    .parameters = {ALLFOLD_INNER_ON_ALL("the broadcast over the renumbered ranks",
                                        &allfold_bcast_two_tree)},
    .build = allfold_renumbered_build,
    .claim = allfold_renumbered_claim,
    .unmet = allfold_renumbered_unmet,
};
