/* Allgather of blocks of any lengths over a Bine butterfly: De Sensi et al., SC 2025; see
 * allgather_bine.c.
 *
 * Invariant: as in allgather_bine.c. A run of blocks may have any number of elements, including
 * none. */
#include "algorithms/blocks.h"

const struct allfold_algorithm allfold_allgatherv_bine = {
    .name = "bine",
    .collective = ALLFOLD_ALLGATHERV,
    .source = "De Sensi et al. 2025 (SC), Bine butterflies",
    .summary = "all blocks held, of any lengths, to ranks ..., 5, 3, 1, 1 away",
    .use = "an even number of ranks in groups of nodes with thin links between them: most data go "
           "to the nearest ranks; circulant at an odd p",
    .consistent = true,
    .build = allfold_gather_bine,
    .claim = allfold_gather_bine_claim,
};
