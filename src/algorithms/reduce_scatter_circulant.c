/* Reduce-scatter of blocks of any lengths over circulant graphs: Traeff, arXiv 2410.14234, section
 * 3 on MPI_Reduce_scatter; see reduce_scatter_block_circulant.c.
 *
 * Invariant: as in reduce_scatter_block_circulant.c. An arc of blocks may have any number of
 * elements, including none. */
#include "algorithms/blocks.h"
#include "algorithms/ports.h"

const struct allfold_algorithm allfold_reduce_scatter_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "Traeff 2024, arXiv 2410.14234",
    .summary = "half of the blocks held to one rank each round; lg p rounds at any p, blocks of "
               "any lengths",
    .use = "commutative operations, any p and lengths: fewest rounds, but a long block is reduced "
           "in each "
           "of them; pairwise_exchange where few ranks get nearly all, flat on few ranks",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round divides the blocks held by it, in radix - 1 messages")},
    .build = allfold_scatter_circulant,
    .claim = allfold_scatter_circulant_claim,
};
