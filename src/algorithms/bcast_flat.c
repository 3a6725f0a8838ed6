/* Flat broadcast: the root sends the vector to all others at once. */
#include "algorithms/algorithm.h"
#include "algorithms/flat.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    if (r != root)
        recv_from(s, root, span(ALLFOLD_OUT, 0, problem->count));
    for (int i = 0; r == root && i < p; i++)
        if (i != root)
            send_to(s, i, span(ALLFOLD_IN, 0, problem->count));
}

const struct allfold_algorithm allfold_bcast_flat = {
    .name = "flat",
    .collective = ALLFOLD_BCAST,
    .source = "textbooks",
    .summary = "the root sends to all ranks at once",
    .use = "on one node, where all ranks read what the root wrote once, and for the shortest "
           "vectors on few ranks; elsewhere the root sends p-1 vectors",
    .consistent = true,
    .is_inner = true,
    .build = build,
    .claim = allfold_flat_claim,
};
