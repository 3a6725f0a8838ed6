/* Allgather of blocks of any lengths around a ring: Rabenseifner 2004, section 2.7; see
 * allgather_ring.c.
 *
 * Invariant: as in allgather_ring.c. A long block is on one link at a time, so it is sent in
 * segments. */
#include "algorithms/blocks.h"
#include "algorithms/pairwise.h"

const struct allfold_algorithm allfold_allgatherv_ring = {
    .name = "ring",
    .collective = ALLFOLD_ALLGATHERV,
    .source = "Rabenseifner 2004, section 2.7",
    .summary = "blocks travel round a ring, from neighbour to neighbour, in p-1 rounds",
    .use = "long blocks on few ranks, any p: no element comes to a rank twice, and a long block "
           "flows in "
           "segments; p-1 rounds, where circulant has lg p",
    .consistent = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = allfold_gather_ring,
    .claim = allfold_block_by_block_claim,
};
