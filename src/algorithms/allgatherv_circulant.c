/* Allgather of blocks of any lengths over circulant graphs: Traeff, arXiv 2410.14234; see
 * allgather_circulant.c.
 *
 * Invariant: as in allgather_circulant.c. An arc of blocks may have any number of elements,
 * including none. */
#include "algorithms/blocks.h"
#include "algorithms/ports.h"

const struct allfold_algorithm allfold_allgatherv_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_ALLGATHERV,
    .source = "Traeff 2024, arXiv 2410.14234; Bruck et al. 1997",
    .summary =
        "all blocks held to one rank each round; lg p rounds at any p, blocks of any lengths",
    .use =
        "blocks of any lengths, any p: fewest rounds, but who has a long block sends it in each of "
        "them; ring where long ones are behind thin links",
    .consistent = true,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round multiplies the blocks held by it, in radix - 1 messages")},
    .build = allfold_gather_circulant,
    .claim = allfold_gather_circulant_claim,
};
