/* Broadcast over a k-nomial tree: the binomial tree (Rabenseifner 2004, section 2.3) with radix k.
 *
 * Invariant: the leader of a part of the ranks receives the vector, and the part is then split in
 * the same way, the largest parts first. */
#include "algorithms/knomial_tree.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct tree tree = allfold_knomial_tree(s, p, root, r, (int)parameters->value[0]);

    allfold_walk_down(s, &tree, span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count));
}

const struct allfold_algorithm allfold_bcast_knomial_tree = {
    .name = "knomial_tree",
    .collective = ALLFOLD_BCAST,
    .source = "k-nomial tree, after Rabenseifner 2004, section 2.3",
    .summary = "whole vectors down a tree of depth log_k p, to radix - 1 children at once",
    .use = "short vectors, any p and root, where several small messages overlap: fewer rounds than "
           "binomial_tree; the root sends the whole vector up to (k - 1) ceil(log_k p) times",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_KNOMIAL_RADIX},
    .build = build,
    .claim = allfold_knomial_claim,
};
