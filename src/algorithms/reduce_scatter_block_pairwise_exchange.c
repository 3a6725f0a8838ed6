/* Reduce-scatter by pairwise exchange: Rabenseifner 2004, sections 2.2 and 2.7 (the first half of
 * its allreduce by ring).
 *
 * Invariant: after stride i, `own` is the reduction of rank r's block over the ranks r-i .. r.
 * These wrap below rank 0, so the operation has to be commutative. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { SEGMENT };

void allfold_scatter_pairwise(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct segments cut = allfold_block_segments(&whole, parameters->value[SEGMENT]);
    /* in place OUT is where the others' blocks still lie */
    const size_t length = allfold_block_length(&whole, r);
    const struct allfold_span own = scratch(s, p > 1 ? length : 0);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, length);

    allfold_pairwise_reduce_scatter(s, &whole, cut, p > 1 ? own : out);
    if (p > 1)
        copy(s, out, own);
}

const struct allfold_algorithm allfold_reduce_scatter_block_pairwise_exchange = {
    .name = "pairwise_exchange",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Rabenseifner 2004, sections 2.2 and 2.7",
    .summary = "each rank sends every other its block, one after the other, in p-1 rounds",
    .use = "long blocks of commutative operations on few ranks: least volume and one block of "
           "room, but p-1 rounds; else circulant",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_allgather_ring,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = allfold_scatter_pairwise,
    .claim = allfold_block_by_block_claim,
};
