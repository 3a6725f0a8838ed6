/* Flat reduce: in one round every rank sends its vector to the root. The root has memory for all
 * vectors, and reduces them in rank order. */
#include "algorithms/all.h"
#include "algorithms/flat.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n);

    if (r != root) {
        send_to(s, root, in);
        return;
    }
    const struct allfold_span all = scratch(s, (size_t)(p - 1) * n);
    for (int i = 0; i < p; i++)
        if (i != r)
            recv_from(s, i, allfold_operand_of_others(all, n, r, i));
    allfold_flat_fold(s, problem, span(ALLFOLD_OUT, 0, n), in, all);
}

const struct allfold_algorithm allfold_reduce_flat = {
    .name = "flat",
    .collective = ALLFOLD_REDUCE,
    .source = "textbooks",
    .summary = "all ranks send to the root at once, which folds them in the order of the ranks",
    .use = "the shortest vectors on the few ranks of a node: one round, but the root has room for "
           "p-1 vectors and reduces them all",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .back = &allfold_bcast_flat,
    .build = build,
    .claim = allfold_flat_claim,
};
