/* Multi-lane reduce-scatter of blocks of any lengths: Traeff and Hunold, arXiv 1910.13373; see
 * reduce_scatter_block_multilane.c.
 *
 * Invariant: as in reduce_scatter_block_multilane.c. Lanes may have any lengths, too. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/composed.h"

const struct allfold_algorithm allfold_reduce_scatter_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary = "a reduce-scatter on each node, and one of each lane, of blocks of any lengths",
    .use = "several nodes of as many ranks each, blocks of like lengths: the least that a node can "
           "send, shared by all its ranks; where few ranks get nearly all, pairwise_exchange",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .keeps_tree = allfold_nodes_keep_tree,
    .parameters = {ALLFOLD_INNER_ON_NODE("the reduce-scatter on a node",
                                         &allfold_reduce_scatter_block_flat),
                   ALLFOLD_INNER("lanes", "the reduce-scatter of a lane",
                                 &allfold_reduce_scatter_block_circulant)},
    .build = allfold_scatter_multilane,
    .claim = allfold_scatter_multilane_claim,
    .unmet = allfold_by_lanes_unmet,
};
