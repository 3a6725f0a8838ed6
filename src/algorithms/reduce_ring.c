/* Reduce of Rabenseifner 2004, section 2.7: pairwise exchange, then a gather. It is not the ring of
 * Patarasuk and Yuan 2009, which is `bucket` (allreduce_bucket.c).
 *
 * The reduce-scatter of allreduce_ring.c; then all ranks send their block of the result to the
 * root. With a segment, each block is sent as several messages.
 *
 * Invariant: a block is reduced only by its owner. The order of its operands is that of the
 * strides, so the operation has to be commutative. */
#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct segments cut = allfold_block_segments(problem, parameters->value[SEGMENT]);
    const struct allfold_span own = r == root ? allfold_block(ALLFOLD_OUT, problem, r)
                                              : scratch(s, block_length(problem->count, p, r));

    allfold_pairwise_reduce_scatter(s, problem, cut, own);
    for (size_t j = 0; j < cut.count && r != root; j++)
        send_to(s, root, segment_of(own, cut, j));
    for (int i = 1; i < p && r == root; i++) {
        const int from = wrap(root + i, p);
        const struct allfold_span theirs = allfold_block(ALLFOLD_OUT, problem, from);
        for (size_t j = 0; j < cut.count; j++)
            recv_from(s, from, segment_of(theirs, cut, j));
    }
}

/* All but the root send all blocks: the others' in the reduce-scatter, their own in the gather.
 * There the root receives p - 1 blocks one after the other. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size, n = problem->count;
    const struct segments cut = allfold_block_segments(problem, parameters->value[SEGMENT]);
    return (struct allfold_claim){
        .rounds = 2 * (p - 1) * cut.count,
        .sent = p == 1 ? 0 : n,
        .reduced = (p - 1) * ceil_divide(n, p),
        .divisor = p,
        .got = (p - 1) * ceil_divide(n, p) + n - n / p,
    };
}

const struct allfold_algorithm allfold_reduce_ring = {
    .name = "ring",
    .collective = ALLFOLD_REDUCE,
    .source = "Rabenseifner 2004, section 2.7",
    .summary =
        "pairwise exchange, then all send to the root; least volume at any p, 2 (p-1) rounds",
    .use = "long vectors of commutative operations on few ranks, not a power of two; else "
           "pipelined_circulant, whose rounds grow with lg p and not with p",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .parameters = {ALLFOLD_BLOCK_SEGMENT(ALLFOLD_TRIED(8))}, /* blocks of up to 2 go whole */
    .build = build,
    .claim = claim,
};
