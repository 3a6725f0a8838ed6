/* Ring of Rabenseifner 2004, section 2.7: pairwise exchange, then a ring. It is not the ring of
 * Patarasuk and Yuan 2009 that other libraries call ring; that algorithm is `bucket`
 * (allreduce_bucket.c).
 *
 * Reduce-scatter by pairwise exchange with strides 1 .. p-1, in which each rank reduces its own
 * block. Then the blocks travel around the ring in p-1 rounds. With a segment, each block is sent
 * as several messages, so that reducing one overlaps with receiving the next.
 *
 * Invariant: a block is reduced only by its owner, so all ranks get bitwise identical results. The
 * order of its operands is that of the strides, so the operation has to be commutative. */
#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "algorithms/ring.h"

enum { SEGMENT };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int r = problem->group.index;
    const struct ring ring = allfold_ring(problem);
    const struct segments cut = allfold_block_segments(problem, parameters->value[SEGMENT]);

    allfold_pairwise_reduce_scatter(s, problem, cut, allfold_block(ALLFOLD_OUT, problem, r));
    allfold_ring_allgather(s, problem, &ring, cut);
}

/* A rank sends all blocks but its own, and then all but its right neighbor's. It gets its own from
 * all others, and then all but its own. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size, n = problem->count;
    const size_t longest = ceil_divide(n, p);
    const size_t kept_twice = n / p + (n % p == p - 1 ? longest : n / p);
    const struct segments cut = allfold_block_segments(problem, parameters->value[SEGMENT]);
    return (struct allfold_claim){
        .rounds = 2 * (p - 1) * cut.count,
        .sent = p == 1 ? 0 : 2 * n - kept_twice,
        .got = p == 1 ? 0 : n + (p - 2) * longest,
        .reduced = (p - 1) * longest,
        .divisor = p,
    };
}

const struct allfold_algorithm allfold_allreduce_ring = {
    .name = "ring",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.7",
    .summary = "pairwise exchange, then a ring; least volume at any p, 2 (p-1) rounds",
    .use = "long vectors of commutative operations on few ranks (Rabenseifner 2004: fewer than "
           "32); circulant sends as little in 2 ceil(lg p) rounds",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(ALLFOLD_TRIED(0, 1, 4, 12, 1000))},
    .build = build,
    .claim = claim,
};
