/* Reduce over a binomial tree: Rabenseifner 2004, section 2.3 (there: binary tree).
 *
 * Each rank reduces the vectors of its children, the last split first, and sends the result to its
 * parent. The tree of trees.h keeps consecutive ranks together for any root.
 *
 * Invariant: after each child a rank has the reduction over consecutive ranks, so operands stay in
 * rank order. */
#include "algorithms/all.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const struct tree tree = (problem->canonical ? allfold_canonical_tree : allfold_tree)(
        s, problem->group.size, problem->root, problem->group.index);
    allfold_build_up(s, problem, &tree);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const int degree = (problem->canonical ? allfold_canonical_tree_degree
                                           : allfold_tree_degree)(p, problem->root);
    const size_t got = (size_t)degree * problem->count;
    return (struct allfold_claim){
        .rounds = (size_t)ceil_log2(p),
        .sent = p == 1 ? 0 : problem->count,
        .reduced = got,
        .divisor = 1,
        .got = got,
    };
}

const struct allfold_algorithm allfold_reduce_binomial_tree = {
    .name = "binomial_tree",
    .alias = "binary_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "Rabenseifner 2004, section 2.3",
    .summary = "whole vectors up a tree of depth lg p",
    .use = "short vectors, any p, root and operation; for long ones rather halving_doubling, as "
           "here the root receives the whole vector ceil(lg p) times",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .back = &allfold_bcast_binomial_tree,
    .build = build,
    .claim = claim,
};
