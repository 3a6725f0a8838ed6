/* Reduce-scatter by recursive halving: Thakur, Gropp 2003, for a power of two of ranks. Distances
 * are halved, as in footnote 1 of Rabenseifner 2004, so that the resulting blocks are in rank
 * order.
 *
 * Invariant: before the round at distance d a rank has reductions of 2d blocks: those of the ranks
 * that differ from it only in bits below 2d. They are over the ranks whose bits below 2d are the
 * same as its own. These ranks are not consecutive, so the operation has to be commutative. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"

#include <assert.h>

#include "algorithms/pairwise.h"
#include "algorithms/power_of_two.h"
#include "schedule/verbs.h"

/* The most elements that a rank keeps in the round at distance d: those of d blocks. */
static size_t most_kept(const struct allfold_problem *problem, int d)
{
    size_t most = 0;
    if (problem->begins == NULL) /* longer blocks come first */
        return allfold_block_begin(problem, d);
    for (int first = 0; d > 0 && first < problem->group.size; first += d) {
        const size_t length = allfold_blocks(ALLFOLD_IN, problem, first, d).length;
        most = length > most ? length : most;
    }
    return most;
}

void allfold_scatter_halving(struct allfold_builder *s, const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    assert((p & (p - 1)) == 0); /* rounds at all distances d that are powers of two cover p ranks */
    const size_t n = allfold_problem_length(problem);
    const struct allfold_span tmp = scratch(s, most_kept(problem, p / 2)), kept = scratch(s, n);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, allfold_block_length(problem, r));
    int mine = ALLFOLD_IN;

    for (int d = p / 2; d > 0; d /= 2) {
        const int first = r & ~(d - 1);
        const bool is_upper = (r & d) != 0;
        const struct allfold_span theirs = allfold_blocks(mine, problem, first ^ d, d);
        const struct allfold_span own =
            p == 2 ? allfold_own_block(s, problem) : allfold_blocks(mine, problem, first, d);
        const struct allfold_span got = part(tmp, 0, own.length);
        const struct allfold_span result =
            d == 1 ? out : allfold_blocks(kept.buffer, problem, first, d);
        exchange(s, r ^ d, theirs, r ^ d, got);
        reduce(s, result, is_upper ? got : own, is_upper ? own : got);
        mine = kept.buffer;
    }
    if (p == 1)
        copy(s, out, span(ALLFOLD_IN, 0, n));
}

struct allfold_claim allfold_scatter_halving_claim(const struct allfold_problem *problem,
                                                   const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    size_t kept = 0;
    for (int d = p / 2; d > 0; d /= 2)
        kept += most_kept(problem, d);
    return (struct allfold_claim){
        .rounds = (size_t)ceil_log2(p),
        .sent = allfold_all_but_one(problem),
        .reduced = kept,
        .divisor = 1,
        .is_bound = problem->begins != NULL,
        .got = kept,
    };
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
    .build = allfold_scatter_halving,
    .claim = allfold_scatter_halving_claim,
    .unmet = allfold_unmet_power_of_two,
};
