/* Reduce over a Bine tree: De Sensi et al., SC 2025. The tree is in bine.h.
 *
 * Invariant: after each child a rank has the reduction over consecutive ranks, so operands stay in
 * rank order. */
#include "algorithms/all.h"
#include "algorithms/bine.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const struct tree tree =
        allfold_bine_tree(s, problem->group.size, problem->root, problem->group.index);
    allfold_build_up(s, problem, &tree);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t lg = (size_t)ceil_log2(problem->group.size), n = problem->count;
    return (struct allfold_claim){
        .rounds = lg,
        .sent = lg == 0 ? 0 : n,
        .reduced = lg * n,
        .divisor = 1,
        .got = lg * n,
    };
}

const struct allfold_algorithm allfold_reduce_bine_tree = {
    .name = "bine_tree",
    .alias = "bine",
    .collective = ALLFOLD_REDUCE,
    .source = "De Sensi et al. 2025 (SC), Bine trees",
    .summary =
        "whole vectors up a tree of depth lg p whose halves talk across a third of their ranks",
    .use = "short vectors, any p, root and operation, where ranks are in groups with thin links "
           "between them. A fifth less goes between groups than with binomial_tree, which is as "
           "good where groups begin at multiples of a power of two",
    .consistent = true,
    .is_inner = true,
    .back = &allfold_bcast_bine_tree,
    .build = build,
    .claim = claim,
};
