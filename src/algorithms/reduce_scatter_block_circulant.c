/* Reduce-scatter over circulant graphs: Traeff, arXiv 2410.14234, with any radix; the first half of
 * allreduce_circulant.c.
 *
 * Invariant: after round k a rank has partial results for the s_k blocks starting with its own, and
 * for no others: it has sent these to other ranks. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/circulant.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { RADIX };

void allfold_scatter_circulant(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct skips skips = allfold_skips(p, (int)parameters->value[RADIX]);
    const struct circulant_scratch room = allfold_circulant_scratch(s, &whole, &skips);
    const struct allfold_span result = scratch(s, whole.count);

    allfold_circulant_reduce_scatter(s, &whole, &skips, result.buffer, &room);
    const struct allfold_span mine = allfold_arc(&whole, result.buffer, r, 1).head;
    copy(s, span(ALLFOLD_OUT, 0, mine.length), mine);
}

struct allfold_claim allfold_scatter_circulant_claim(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct skips skips = allfold_skips(p, (int)parameters->value[RADIX]);
    const size_t reduced = allfold_circulant_reduced(problem, &skips);
    return (struct allfold_claim){
        .rounds = (size_t)skips.q,
        .sent = allfold_all_but_one(problem),
        .reduced = reduced,
        .ports = (unsigned)parameters->value[RADIX] - 1,
        .divisor = 1,
        .is_bound = problem->begins != NULL,
        .got = reduced,
    };
}

const struct allfold_algorithm allfold_reduce_scatter_block_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Traeff 2024, arXiv 2410.14234",
    .summary = "half of the blocks held to one rank each round; lg p rounds, least volume, any p",
    .use = "commutative operations, any p and length: fewest rounds and least volume; "
           "recursive_halving has both without extra copies on a power of two of ranks",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_allgather_circulant,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round divides the blocks held by it, in radix - 1 messages")},
    .build = allfold_scatter_circulant,
    .claim = allfold_scatter_circulant_claim,
};
