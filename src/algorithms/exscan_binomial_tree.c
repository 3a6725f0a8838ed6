/* Exscan over one binomial tree: Blelloch 1989; Sanders and Traeff 2006.
 *
 * The last rank of each block of 2^k ranks collects the reduction over the block. On the way back
 * it sends the reduction over all ranks below the next blocks to the last ranks of these.
 *
 * Invariant: a message that goes up covers a block, one that goes back covers all ranks up to the
 * sender. */
#include "algorithms/prefix.h"

const struct allfold_algorithm allfold_exscan_binomial_tree = {
    .name = "binomial_tree",
    .collective = ALLFOLD_EXSCAN,
    .source = "Blelloch 1989; Sanders and Traeff 2006, section 2",
    .summary =
        "folds of blocks up a tree, prefixes back down; at most 2 lg p rounds, the fewest messages",
    .use = "where messages in all, at most 2 (p-1), count more than rounds; else doubling_123 with "
           "half the rounds",
    .consistent = true,
    .is_inner = true,
    .build = allfold_build_up_and_right,
    .claim = allfold_claim_up_and_right,
};
