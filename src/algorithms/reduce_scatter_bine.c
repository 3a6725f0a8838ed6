/* Reduce-scatter of blocks of any lengths over a Bine butterfly: De Sensi et al., SC 2025; see
 * reduce_scatter_block_bine.c.
 *
 * Invariant: as in reduce_scatter_block_bine.c. A run of blocks may have any number of elements,
 * including none. */
#include "algorithms/blocks.h"

const struct allfold_algorithm allfold_reduce_scatter_bine = {
    .name = "bine",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "De Sensi et al. 2025 (SC), Bine butterflies",
    .summary = "half of the blocks held, of any lengths, to ranks 1, 1, 3, 5, 11, ... away",
    .use = "commutative operations on an even number of ranks in groups of nodes with thin links "
           "between them: most data go to the nearest ranks. At an odd p take circulant",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .build = allfold_scatter_bine,
    .claim = allfold_scatter_bine_claim,
};
