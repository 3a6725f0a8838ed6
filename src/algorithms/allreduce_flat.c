/* Flat allreduce: in one round every rank sends its vector to all others, and reduces all vectors
 * in rank order. It has the lowest latency if messages cost little, as short vectors on a node.
 *
 * Invariant: all ranks reduce in the same order, so all get bitwise identical results. */
#include "algorithms/algorithm.h"
#include "algorithms/flat.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n);
    const struct allfold_span all = scratch(s, (size_t)(p - 1) * n);

    for (int i = 1; i < p; i++)
        exchange(s, wrap(r + i, p), in, wrap(r - i, p),
                 allfold_operand_of_others(all, n, r, wrap(r - i, p)));
    allfold_flat_fold(s, problem, span(ALLFOLD_OUT, 0, n), in, all);
}

const struct allfold_algorithm allfold_allreduce_flat = {
    .name = "flat",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "textbooks",
    .summary = "whole vectors to all ranks at once, folded by each in the order of the ranks",
    .use = "the shortest vectors on the few ranks of a node: one round, but each rank sends and "
           "reduces p-1 vectors",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .build = build,
    .claim = allfold_flat_claim,
};
