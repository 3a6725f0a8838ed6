/* Flat allgather: in one round every rank sends its block to all others. */
#include "algorithms/algorithm.h"
#include "algorithms/blocks.h"
#include "algorithms/flat.h"
#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

void allfold_gather_flat(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct allfold_span mine = allfold_block(ALLFOLD_OUT, &whole, r);

    copy(s, mine, span(ALLFOLD_IN, 0, mine.length));
    for (int i = 1; i < p; i++)
        exchange(s, wrap(r + i, p), span(ALLFOLD_IN, 0, mine.length), wrap(r - i, p),
                 allfold_block(ALLFOLD_OUT, &whole, wrap(r - i, p)));
}

const struct allfold_algorithm allfold_allgather_flat = {
    .name = "flat",
    .collective = ALLFOLD_ALLGATHER,
    .source = "textbooks",
    .summary = "each block to all ranks at once",
    .use = "short blocks on the few ranks of a node: one round of p-1 messages",
    .consistent = true,
    .is_inner = true,
    .build = allfold_gather_flat,
    .claim = allfold_flat_claim,
};
