/* Reduce, then broadcast, over one binomial tree: Rabenseifner 2004, section 2.3 (there: binary
 * tree).
 *
 * Whole vectors go up to rank 0, and the result goes down on the same path.
 *
 * Invariant: on the way up a rank has the reduction over consecutive ranks, so operands stay in
 * rank order. Only rank 0 reduces over all ranks, so all ranks get bitwise identical results. */
#include "algorithms/tree_walks.h"

const struct allfold_algorithm allfold_allreduce_binomial_tree = {
    .name = "binomial_tree",
    .alias = "binary_tree",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.3",
    .summary = "whole vectors up a tree of depth lg p and down again",
    .use = "where few messages in all, 2 (p-1), count more than time, or one each way costs much "
           "more than one alone; else recursive_doubling has half the rounds",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .build = allfold_build_up_and_down,
    .claim = allfold_claim_up_and_down,
};
