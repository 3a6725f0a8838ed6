/* Reduce-scatter of blocks of any lengths by recursive halving, for a power of two of ranks:
 * Thakur, Gropp 2003; see reduce_scatter_block_recursive_halving.c.
 *
 * Invariant: as in reduce_scatter_block_recursive_halving.c. The halves are of the blocks, not of
 * the elements. */
#include "algorithms/blocks.h"
#include "algorithms/power_of_two.h"

const struct allfold_algorithm allfold_reduce_scatter_recursive_halving = {
    .name = "recursive_halving",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "Thakur, Gropp 2003; Rabenseifner 2004, footnote 1",
    .summary = "pairs exchange half of the blocks they hold, in lg p rounds",
    .use = "commutative operations on a power of two of ranks, blocks of any lengths: circulant's "
           "rounds "
           "with fewer copies",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .build = allfold_scatter_halving,
    .claim = allfold_scatter_halving_claim,
    .unmet = allfold_unmet_power_of_two,
};
