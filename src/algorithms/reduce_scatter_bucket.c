/* Reduce-scatter of blocks of any lengths by the bucket algorithm: Patarasuk and Yuan 2009, section
 * 3.2; see reduce_scatter_block_bucket.c.
 *
 * Invariant: as in reduce_scatter_block_bucket.c. Each link carries all blocks except one, whatever
 * their lengths. */
#include "algorithms/blocks.h"
#include "algorithms/pairwise.h"

const struct allfold_algorithm allfold_reduce_scatter_bucket = {
    .name = "bucket",
    .collective = ALLFOLD_REDUCE_SCATTER,
    .source = "Patarasuk and Yuan 2009, section 3.2",
    .summary = "blocks of any lengths travel round a ring, each rank adding its own, in p-1 rounds",
    .use = "long blocks of commutative operations behind slow links, above all of different "
           "lengths: no link carries more than all blocks; for short ones take bine or circulant",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .follows_nodes = true,
    .consistent = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(.preset = 32 << 10, ALLFOLD_TRIED(0, 4, 12))},
    .build = allfold_scatter_bucket,
    .claim = allfold_block_by_block_claim,
};
