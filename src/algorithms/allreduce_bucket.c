/* Bucket: Patarasuk and Yuan 2009, section 3, whose logical ring is the bucket algorithm of van de
 * Geijn and others. Other libraries call this algorithm ring.
 *
 * The blocks travel around a ring, and each rank adds its own contribution to the block that it
 * receives. After p-1 rounds a rank has its block completely reduced. Then these blocks travel
 * around the ring in p-1 rounds. Only neighbors exchange messages, and if the placement is known,
 * the ring is in the order of the nodes. So a link between nodes has one sender.
 *
 * Invariant: a block is reduced along one path around the ring, so all ranks get bitwise identical
 * results. The path starts at any rank, so the operation has to be commutative. */
#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "algorithms/ring.h"

enum { SEGMENT };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct ring ring = allfold_ring_by_nodes(problem);
    const struct segments cut = allfold_block_segments(problem, parameters->value[SEGMENT]);
    const struct allfold_span own = allfold_block(ALLFOLD_OUT, problem, problem->group.index);

    allfold_ring_reduce_scatter(s, problem, &ring, cut, own);
    allfold_ring_allgather(s, problem, &ring, cut);
}

/* A rank sends all blocks but its own, and then all but its right neighbor's; it reduces all but
 * its left neighbor's. At least one of two neighbors has a block of the longest where all but one
 * have. The ring leaves each node once. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size, n = problem->count;
    const bool knows_nodes = problem->nodes != NULL && problem->nodes->count > 1;
    const size_t segments = allfold_block_segments(problem, parameters->value[SEGMENT]).count;
    const size_t rounds = 2 * (p - 1) * segments;
    const size_t kept_twice = n / p + (n % p == p - 1 ? ceil_divide(n, p) : n / p);
    return (struct allfold_claim){
        .rounds = rounds,
        .sent = p == 1 ? 0 : 2 * n - kept_twice,
        .reduced = p == 1 ? 0 : n - n / p,
        .divisor = p,
        .far_rounds = knows_nodes ? rounds : 0,
        .far_sent = knows_nodes ? 2 * n - kept_twice : 0,
        .far_lanes = knows_nodes,
    };
}

const struct allfold_algorithm allfold_allreduce_bucket = {
    .name = "bucket",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Patarasuk and Yuan 2009, section 3",
    .summary = "blocks round a ring, reduced on the way, and round again; least volume at any p",
    .use =
        "long vectors of commutative operations behind slow links: neighbours alone exchange, so "
        "no link has two senders; ring sends as much to changing ranks, circulant in 2 "
        "ceil(lg p) rounds",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .follows_nodes = true,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(.preset = 32 << 10, ALLFOLD_TRIED(0, 4, 12))},
    .build = build,
    .claim = claim,
};
