/* Allreduce by binary blocks: Rabenseifner 2004, section 2.6 and Fig. 2.
 *
 * After the reduce-scatter over the largest block, this block starts the allgather by vector
 * doubling and distance halving. Each block sends to the next smaller one by pairs of messages:
 * when its segments are half as long as those of the smaller block, two of its ranks send the two
 * halves of each segment.
 *
 * Invariant: smaller blocks cover higher ranks and remain the right operand, so operands stay in
 * rank order. Only the largest block reduces over all ranks, so all ranks get bitwise identical
 * results. */
#include "algorithms/algorithm.h"
#include "algorithms/binary_blocks.h"
#include "schedule/verbs.h"

static void receive_pair(struct allfold_builder *s, const struct binary_block *block, size_t n)
{
    const struct core *core = &block->core;
    const struct bounds mine = allfold_halved(n, core->index, core->size);
    for (int second = 0; second <= 1; second++) {
        const struct bounds half = allfold_half_of(mine, second);
        recv_from(s, core->base - block->larger + core->index + second * core->size,
                  range(ALLFOLD_OUT, half.lo, half.hi));
    }
}

/* All ranks with the same low bits hold the same; those where the other bits are 0 send. */
static void send_half(struct allfold_builder *s, const struct binary_block *block, size_t n)
{
    const struct core *core = &block->core;
    const struct bounds half = allfold_halved(n, core->index, 2 * block->smaller);
    if (core->index < 2 * block->smaller)
        send_to(s, core->base + core->size + (core->index & (block->smaller - 1)),
                range(ALLFOLD_OUT, half.lo, half.hi));
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct binary_block block = allfold_binary_block(p, r);

    if (p == 1)
        copy(s, out, span(ALLFOLD_IN, 0, n));
    allfold_reduce_scatter_blocks(s, &block, n, out, scratch(s, n));
    if (block.larger > 0)
        receive_pair(s, &block, n);
    for (int distance = block.core.size; distance >= 1; distance /= 2) {
        if (distance < block.core.size)
            allfold_join(s, &block.core, 0, n, out, distance);
        if (distance == 2 * block.smaller)
            send_half(s, &block, n);
    }
}

/* Block i sends n - n/size in its reduce-scatter and as much in its allgather. Unless it is the
 * largest, it sends n/size upwards. Unless it is the last, it sends n/(2 x the next smaller size)
 * downwards. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, largest = 1 << floor_log2(p);
    const size_t n = problem->count;
    size_t sent = 0, halves = 0, size = 1;
    int smaller = 0;
    for (int bit = 1; bit <= largest && bit > 0; bit *= 2) {
        halves += bit > 1 ? ceil_divide(n, (size_t)bit) : 0;
        if ((p & bit) == 0)
            continue;
        size = (size_t)bit;
        const size_t fed = smaller > 0 ? ceil_divide(n, 2 * (size_t)smaller) : 0;
        const size_t up = bit < largest ? n : n - n / size;
        sent = up + halves + fed > sent ? up + halves + fed : sent;
        smaller = bit;
    }
    return (struct allfold_claim){
        .rounds = allfold_return_blocks_rounds(p),
        .sent = sent,
        .reduced = halves + (p > largest ? ceil_divide(n, size) : 0),
        .divisor = size,
    };
}

const struct allfold_algorithm allfold_allreduce_binary_blocks = {
    .name = "binary_blocks",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.6",
    .summary = "halving and doubling in blocks of 2^k ranks",
    .use = "long vectors, any operation, where p is no power of two but its binary digits are "
           "close together (13 = 8 + 4 + 1): sends less than halving_doubling. Where they are far "
           "apart (33 = 32 + 1) one rank's messages take about p rounds",
    .consistent = true,
    .out_of_order = true,
    .build = build,
    .claim = claim,
};
