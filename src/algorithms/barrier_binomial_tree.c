/* Barrier over a binomial tree: the tree that End et al. 2016 compare with (sections I and IV).
 *
 * Tokens go up the tree of the reduce, and the root's notice that all ranks have come goes down.
 *
 * Invariant: a rank's token goes up once all ranks of its subtree have come. */
#include "algorithms/tree_walks.h"

const struct allfold_algorithm allfold_barrier_binomial_tree = {
    .name = "binomial_tree",
    .collective = ALLFOLD_BARRIER,
    .source = "End et al. 2016, sections I and IV",
    .summary = "tokens up a tree of depth lg p and back down; the fewest messages",
    .use = "where few messages in all, 2 (p-1), count more than rounds, of which it has twice as "
           "many as dissemination",
    .consistent = true,
    .build = allfold_build_up_and_down,
    .claim = allfold_claim_up_and_down,
};
