/* Allgather over circulant graphs: Traeff, arXiv 2410.14234, with any radix; with skips that are
 * powers of two it is the algorithm of Bruck et al. 1997. See allreduce_circulant.c.
 *
 * Invariant: before round k a rank has the blocks of s_k ranks, starting with its own. */
#include "algorithms/circulant.h"
#include "algorithms/algorithm.h"
#include "algorithms/blocks.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { RADIX };

void allfold_gather_circulant(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct skips skips = allfold_skips(p, (int)parameters->value[RADIX]);
    const struct circulant_scratch room = allfold_circulant_scratch(s, &whole, &skips);
    const struct allfold_span mine = allfold_arc(&whole, ALLFOLD_OUT, r, 1).head;

    copy(s, mine, span(ALLFOLD_IN, 0, mine.length));
    allfold_circulant_allgather(s, &whole, &skips, ALLFOLD_OUT, &room);
}

struct allfold_claim allfold_gather_circulant_claim(const struct allfold_problem *problem,
                                                    const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct skips skips = allfold_skips(p, (int)parameters->value[RADIX]);
    return (struct allfold_claim){
        .rounds = (size_t)skips.q,
        .sent = allfold_circulant_reduced(problem, &skips), /* the same arcs, the other way */
        .ports = (unsigned)parameters->value[RADIX] - 1,
        .divisor = 1,
        .is_bound = problem->begins != NULL,
        .got = allfold_all_but_one(problem),
    };
}

const struct allfold_algorithm allfold_allgather_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_ALLGATHER,
    .source = "Traeff 2024, arXiv 2410.14234; Bruck et al. 1997",
    .summary = "all blocks held to one rank each round; lg p rounds at any p",
    .use = "blocks of any length, any p: fewest rounds and least volume; for long ones ring's "
           "messages go to neighbours alone",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round multiplies the blocks held by it, in radix - 1 messages")},
    .build = allfold_gather_circulant,
    .claim = allfold_gather_circulant_claim,
};
