/* Allreduce up a Bine tree and down again: De Sensi et al., SC 2025. The tree is in bine.h.
 *
 * The root is the rank that leads all p ranks, so that no subtree continues from rank p - 1 to rank
 * 0.
 *
 * Invariant: after each child a rank has the reduction over consecutive ranks, so operands stay in
 * rank order. */
#include "algorithms/algorithm.h"
#include "algorithms/bine.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct tree tree = allfold_bine_tree(s, p, allfold_bine_lead(p, true), r);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);

    const struct allfold_span mine = allfold_walk_up(s, &tree, r, problem->count, out);
    if (p == 1)
        copy(s, out, mine);
    allfold_walk_down(s, &tree, out);
}

const struct allfold_algorithm allfold_allreduce_bine_tree = {
    .name = "bine_tree",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "De Sensi et al. 2025 (SC), Bine trees",
    .summary = "whole vectors up a tree of depth lg p and down again; its halves talk across a "
               "third of their ranks",
    .use = "where few messages in all, 2 (p-1), count more than time, and ranks are in groups with "
           "thin links between them; else recursive_doubling has half the rounds",
    .consistent = true,
    .is_inner = true,
    .build = build,
    .claim = allfold_claim_up_and_down,
};
