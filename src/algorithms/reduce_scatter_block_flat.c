/* Flat reduce-scatter: in one round every rank sends all others their blocks, and reduces its own
 * block in rank order. For operations that are not commutative, and for single nodes.
 *
 * Invariant: after rank i, `sum` has the reduction over the ranks 0 .. i, from left to right. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/flat.h"
#include "algorithms/pairwise.h"
#include "schedule/verbs.h"

void allfold_scatter_flat(struct allfold_builder *s, const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct allfold_span mine = allfold_own_block(s, problem);
    const struct allfold_span all = scratch(s, (size_t)(p - 1) * mine.length);

    for (int i = 1; i < p; i++) {
        const int to = wrap(r + i, p), from = wrap(r - i, p);
        exchange(s, to, allfold_block(ALLFOLD_IN, &whole, to), from,
                 allfold_operand_of_others(all, mine.length, r, from));
    }
    allfold_flat_fold(s, problem, span(ALLFOLD_OUT, 0, mine.length), mine, all);
}

const struct allfold_algorithm allfold_reduce_scatter_block_flat = {
    .name = "flat",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "textbooks",
    .summary = "all blocks to their ranks at once, reduced there in the order of the ranks",
    .use = "short blocks on few ranks, above all of operations that do not commute: one round, but "
           "room for p-1 blocks and as many messages",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .back = &allfold_allgather_flat,
    .build = allfold_scatter_flat,
    .claim = allfold_flat_claim,
};
