/* Reduce over a k-nomial tree: the binomial tree (Rabenseifner 2004, section 2.3) with radix k.
 *
 * Each rank reduces the vectors of its children, one level at a time, the smallest parts first, and
 * sends the result to its parent.
 *
 * Invariant: after each child a rank has the reduction over consecutive ranks, so operands stay in
 * rank order. */
#include "algorithms/all.h"
#include "algorithms/knomial_tree.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct tree tree = allfold_knomial_tree(s, problem->group.size, problem->root,
                                                  problem->group.index, (int)parameters->value[0]);
    allfold_build_up(s, problem, &tree);
}

const struct allfold_algorithm allfold_reduce_knomial_tree = {
    .name = "knomial_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "k-nomial tree, after Rabenseifner 2004, section 2.3",
    .summary = "whole vectors up a tree of depth log_k p, from radix - 1 children at once",
    .use = "short vectors, any p, root and operation, where several small messages overlap: fewer "
           "rounds than binomial_tree; the root receives up to (k - 1) ceil(log_k p) vectors",
    .consistent = true,
    .is_inner = true,
    .back = &allfold_bcast_knomial_tree,
    .parameters = {ALLFOLD_KNOMIAL_RADIX},
    .build = build,
    .claim = allfold_knomial_claim,
};
