/* Allgather around a ring: Rabenseifner 2004, section 2.7 (the second half of its allreduce).
 *
 * Invariant: after i rounds a rank has its own block and those of the i ranks to its left. */
#include "algorithms/blocks.h"
#include "algorithms/pairwise.h"
#include "algorithms/ring.h"
#include "schedule/verbs.h"

enum { SEGMENT };

void allfold_gather_ring(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const struct ring ring = allfold_ring(&whole);
    const struct segments cut = allfold_block_segments(&whole, parameters->value[SEGMENT]);
    const struct allfold_span mine = allfold_block(ALLFOLD_OUT, &whole, problem->group.index);
    copy(s, mine, span(ALLFOLD_IN, 0, mine.length));
    allfold_ring_allgather(s, &whole, &ring, cut);
}

const struct allfold_algorithm allfold_allgather_ring = {
    .name = "ring",
    .collective = ALLFOLD_ALLGATHER,
    .source = "Rabenseifner 2004, section 2.7",
    .summary = "blocks travel round a ring, from neighbour to neighbour, in p-1 rounds",
    .use = "long blocks on few ranks, any p: least volume between neighbours alone, but p-1 "
           "rounds; recursive_doubling has lg p on a power of two of ranks",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = allfold_gather_ring,
    .claim = allfold_block_by_block_claim,
};
