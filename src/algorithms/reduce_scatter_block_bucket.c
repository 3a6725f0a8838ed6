/* Reduce-scatter by the bucket algorithm: Patarasuk and Yuan 2009, section 3.2 (the first half of
 * allreduce_bucket.c).
 *
 * Invariant: after round i a rank has the sum, over itself and the i ranks to its left, of the
 * block of the rank i+1 to its left. This sum starts at any rank, so the operation has to be
 * commutative. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/pairwise.h"
#include "algorithms/ring.h"
#include "schedule/verbs.h"

enum { SEGMENT };

/* In place OUT is where the blocks lie. When the result of blocks of the same length goes there, no
 * other is needed; of blocks of any lengths some still are. */
void allfold_scatter_bucket(struct allfold_builder *s, const struct allfold_problem *problem,
                            const struct allfold_parameters *parameters)
{
    const struct ring ring = allfold_ring_by_nodes(problem);
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct segments cut = allfold_block_segments(&whole, parameters->value[SEGMENT]);
    const size_t length = allfold_block(ALLFOLD_IN, &whole, problem->group.index).length;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, length);
    const bool is_apart = problem->in_place && problem->begins != NULL && ring.p > 1;
    const struct allfold_span own = is_apart ? scratch(s, length) : out;

    allfold_ring_reduce_scatter(s, &whole, &ring, cut, own);
    if (is_apart)
        copy(s, out, own);
}

const struct allfold_algorithm allfold_reduce_scatter_block_bucket = {
    .name = "bucket",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Patarasuk and Yuan 2009, section 3.2",
    .summary = "blocks travel round a ring, each rank adding its own, in p-1 rounds",
    .use = "long blocks of commutative operations behind slow links: neighbours alone exchange; "
           "pairwise_exchange sends as much to changing ranks, circulant in lg p rounds",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .follows_nodes = true,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_allgather_ring,
    .back_differs = true, /* it goes whole, not in segments */
    .parameters = {ALLFOLD_BLOCK_SEGMENT(.preset = 32 << 10, ALLFOLD_TRIED(0, 4, 12))},
    .build = allfold_scatter_bucket,
    .claim = allfold_block_by_block_claim,
};
