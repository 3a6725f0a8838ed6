/* Broadcast over a binomial tree: Rabenseifner 2004, section 2.3 (the broadcast of its allreduce).
 *
 * It uses the reduce's tree from the root to the leaves, in the order of the splits, so that the
 * largest part starts first.
 *
 * Invariant: the leader of a part of the ranks receives the vector, and the part is then split in
 * the same way. */
#include "algorithms/algorithm.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct tree tree = allfold_tree(s, p, root, r);

    allfold_walk_down(s, &tree, span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return (struct allfold_claim){
        .rounds = (size_t)ceil_log2(p),
        .sent = (size_t)allfold_tree_degree(p, problem->root) * problem->count,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_bcast_binomial_tree = {
    .name = "binomial_tree",
    .alias = "binary_tree",
    .collective = ALLFOLD_BCAST,
    .source = "Rabenseifner 2004, section 2.3",
    .summary = "whole vectors down a tree of depth lg p",
    .use = "short vectors, any p and root: no broadcast has fewer rounds; the root sends the whole "
           "vector up to ceil(lg p) times, so pipelined_circulant for long ones",
    .consistent = true,
    .is_inner = true,
    .build = build,
    .claim = claim,
};
