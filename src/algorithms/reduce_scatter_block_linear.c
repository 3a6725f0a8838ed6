/* Linear reduce-scatter: every rank gets all others' blocks and reduces them in the order of the
 * ranks. For operations that do not commute, and for comparison.
 *
 * Invariant: after rank i, `sum` has the reduction over the ranks 0 .. i, from left to right. */
#include "algorithms/algorithm.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span got = scratch(s, p > 1 ? (size_t)p * n : 0);
    const struct allfold_span sum = part(got, 0, p > 1 ? n : 0);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span mine = span(ALLFOLD_IN, (size_t)r * n, n);

    for (int i = 1; i < p; i++) {
        const int to = wrap(r + i, p), from = wrap(r - i, p);
        exchange(s, to, span(ALLFOLD_IN, (size_t)to * n, n), from, part(got, (size_t)from * n, n));
    }
    if (p == 1) {
        copy(s, out, mine);
        return;
    }
    for (int i = 1; i < p; i++)
        reduce(s, i == p - 1 ? out : sum, i == 1 && r == 0 ? mine : sum,
               i == r ? mine : part(got, (size_t)i * n, n));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t others = (size_t)problem->group.size - 1;
    return (struct allfold_claim){
        .rounds = others,
        .sent = others * problem->count,
        .reduced = others * problem->count,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_reduce_scatter_block_linear = {
    .name = "linear",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "textbooks",
    .summary = "all blocks to their ranks, reduced there in the order of the ranks",
    .use = "operations that do not commute, any p: p-1 rounds of least volume, but room for all p "
           "blocks; else circulant",
    .consistent = true,
    .only_forced = true,
    .build = build,
    .claim = claim,
};
