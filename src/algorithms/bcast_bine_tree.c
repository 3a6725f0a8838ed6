/* Broadcast over a Bine tree: De Sensi et al., SC 2025. The tree is in bine.h.
 *
 * Invariant: the leader of one half of a range of ranks sends the vector to the leader of the other
 * half. Each half is then divided in the same way. */
#include "algorithms/algorithm.h"
#include "algorithms/bine.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct tree tree = allfold_bine_tree(s, p, root, r);

    allfold_walk_down(s, &tree, span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t lg = (size_t)ceil_log2(problem->group.size);
    return (struct allfold_claim){.rounds = lg, .sent = lg * problem->count, .divisor = 1};
}

const struct allfold_algorithm allfold_bcast_bine_tree = {
    .name = "bine_tree",
    .alias = "bine",
    .collective = ALLFOLD_BCAST,
    .source = "De Sensi et al. 2025 (SC), Bine trees",
    .summary =
        "whole vectors down a tree of depth lg p whose halves talk across a third of their ranks",
    .use = "short vectors, any p and root, where ranks are in groups with thin links between them. "
           "A fifth less goes between groups than with binomial_tree, which is as good where "
           "groups begin at multiples of a power of two",
    .consistent = true,
    .is_inner = true,
    .build = build,
    .claim = claim,
};
