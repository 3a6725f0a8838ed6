/* Flat reduce-scatter of blocks of any lengths, with the invariant of reduce_scatter_block_flat.c.
 */
#include "algorithms/blocks.h"
#include "algorithms/flat.h"

const struct allfold_algorithm allfold_reduce_scatter_flat = {
    .name = "flat",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "textbooks",
    .summary = "all blocks to their ranks at once, reduced there in the order of the ranks",
    .use = "short blocks on few ranks, and operations that do not commute: one round, but room for "
           "p-1 "
           "blocks and as many messages",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .build = allfold_scatter_flat,
    .claim = allfold_flat_claim,
};
