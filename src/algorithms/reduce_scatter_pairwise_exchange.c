/* Reduce-scatter of blocks of any lengths by pairwise exchange: Rabenseifner 2004, sections 2.2 and
 * 2.7; see reduce_scatter_block_pairwise_exchange.c.
 *
 * Invariant: as in reduce_scatter_block_pairwise_exchange.c. A rank without a block receives
 * nothing. */
#include "algorithms/blocks.h"
#include "algorithms/pairwise.h"

const struct allfold_algorithm allfold_reduce_scatter_pairwise_exchange = {
    .name = "pairwise_exchange",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "Rabenseifner 2004, sections 2.2 and 2.7",
    .summary = "each rank sends every other its block, one after the other, in p-1 rounds",
    .use = "long blocks of commutative operations on few ranks, above all of very different "
           "lengths: no "
           "element travels twice, but p-1 rounds; else circulant",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = allfold_scatter_pairwise,
    .claim = allfold_block_by_block_claim,
};
