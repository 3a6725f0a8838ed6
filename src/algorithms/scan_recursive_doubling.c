/* Scan by recursive doubling with two accumulators, as in MPI libraries.
 *
 * Blocks of d = 1, 2, 4, ... ranks are joined: rank r exchanges with r xor d. The upper rank adds
 * the received reduction to its result. Both add it to the reduction over their block, which they
 * send in the next exchange. The last block of all sends nothing down, because no rank needs it.
 *
 * Invariant: before distance d a rank has the reduction over its block of d ranks, and over the
 * ranks of the block up to itself. */
#include "algorithms/prefix.h"

const struct allfold_algorithm allfold_scan_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = ALLFOLD_SCAN,
    .source = "Thakur, Rabenseifner and Gropp 2005, of whose doubling it is the prefix",
    .summary = "blocks of 1, 2, 4, ... ranks join; lg p rounds, two operations in each",
    .use = "short vectors on nodes in blocks of a power of two, as all but the last lg(nodes) "
           "rounds stay on nodes; else simultaneous_trees, with fewer operations",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .build = allfold_build_joined_blocks,
    .claim = allfold_claim_joined_blocks,
};
