/* Exscan by recursive doubling with two accumulators, as MPI libraries have it.
 *
 * Blocks of d = 1, 2, 4, ... ranks join: rank r exchanges with r xor d. The upper one of them adds
 * what it gets to its result. Both add it to the fold over their block, which the next exchange
 * sends. The last block of all sends nothing down, as no rank needs it.
 *
 * Invariant: before distance d a rank has the fold over its block of d ranks, and over the part of
 * it that its result is of. */
#include "algorithms/prefix.h"

const struct allfold_algorithm allfold_exscan_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = ALLFOLD_EXSCAN,
    .source = "Thakur, Rabenseifner and Gropp 2005, of whose doubling it is the prefix",
    .summary = "blocks of 1, 2, 4, ... ranks join; lg p rounds, two operations in each",
    .use = "short vectors on nodes in blocks of a power of two, as all but the last lg(nodes) "
           "rounds stay on nodes; else doubling_123, with fewer operations",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .build = allfold_build_joined_blocks,
    .claim = allfold_claim_joined_blocks,
};
