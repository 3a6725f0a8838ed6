/* Reduce, then broadcast, over one binomial tree: Rabenseifner 2004, section 2.3 (there: binary
 * tree).
 *
 * Whole vectors go up to rank 0, and the result goes down the same way.
 *
 * Invariant: on the way up a rank holds the reduction over consecutive ranks, so operands stay in
 * rank order; rank 0 alone has brackets round all of them, so all ranks get the same bits. */
#include "algorithms/algorithm.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct tree tree = allfold_tree(p, 0, r);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);

    const struct allfold_span mine = allfold_walk_up(s, &tree, r, problem->count, out);
    if (p == 1)
        copy(s, out, mine);
    allfold_walk_down(s, &tree, out);
}

/* Rank 0 has ceil(lg p) children and sends to each; no other rank has so many, so that with the
 * vector to its parent it sends no more. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t lg = (size_t)ceil_log2(problem->group.size);
    return (struct allfold_claim){
        .rounds = 2 * lg,
        .sent = lg * problem->count,
        .reduced = lg * problem->count,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_allreduce_binomial_tree = {
    .name = "binomial_tree",
    .alias = "binary_tree",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.3",
    .summary = "whole vectors up a tree of depth lg p and down again",
    .use = "where few messages in all, 2 (p-1), count more than time, or one each way costs much "
           "more than one alone; else recursive_doubling has half the rounds",
    .consistent = true,
    .only_forced = true,
    .build = build,
    .claim = claim,
};
