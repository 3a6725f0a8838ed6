/* Reduce-scatter by recursive halving: Thakur, Gropp 2003, for a power of two of ranks, as footnote
 * 1 of Rabenseifner 2004 has it: with distance halving, so that blocks come out in the order of the
 * ranks.
 *
 * Invariant: before the round at distance d a rank has, for the 2d blocks of the ranks that differ
 * from it below 2d, the reduction over the ranks that are alike with it below 2d. These are not
 * next to each other, so the operation has to be commutative. */
#include "algorithms/all.h"

#include <assert.h>

#include "algorithms/power_of_two.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    assert((p & (p - 1)) == 0); /* rounds at all distances d that are powers of two cover p ranks */
    const size_t n = allfold_problem_length(problem), half = block_begin(n, p, p / 2);
    const struct allfold_span tmp = scratch(s, half), kept = scratch(s, n);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, block_length(n, p, r));
    int mine = ALLFOLD_IN;

    for (int d = p / 2; d > 0; d /= 2) {
        const int first = r & ~(d - 1);
        const bool is_upper = (r & d) != 0;
        const struct allfold_span theirs = blocks_of(mine, n, p, first ^ d, d);
        const struct allfold_span own = blocks_of(mine, n, p, first, d);
        const struct allfold_span got = part(tmp, 0, own.length);
        const struct allfold_span result = d == 1 ? out : blocks_of(kept.buffer, n, p, first, d);
        exchange(s, r ^ d, theirs, r ^ d, got);
        reduce(s, result, is_upper ? got : own, is_upper ? own : got);
        mine = kept.buffer;
    }
    if (p == 1)
        copy(s, out, span(ALLFOLD_IN, 0, n));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const size_t others = (size_t)(p - 1) * problem->count;
    return (struct allfold_claim){
        .rounds = (size_t)ceil_log2(p), .sent = others, .reduced = others, .divisor = 1};
}

const struct allfold_algorithm allfold_reduce_scatter_block_recursive_halving = {
    .name = "recursive_halving",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Thakur, Gropp 2003; Rabenseifner 2004, footnote 1",
    .summary = "pairs exchange half of what they hold, in lg p rounds",
    .use = "commutative operations on a power of two of ranks, any length: circulant's rounds and "
           "volume with fewer copies",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_allgather_recursive_doubling,
    .build = build,
    .claim = claim,
    .unmet = allfold_unmet_power_of_two,
};
