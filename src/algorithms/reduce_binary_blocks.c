/* Reduce by binary blocks, then a gather: Rabenseifner 2004, section 2.6.
 *
 * After the reduce-scatter over the largest block, a binary tree gathers the segments in it. A root
 * outside of this block receives the segment of rank 0 and takes its role.
 *
 * Invariant: smaller blocks cover higher ranks and remain the right operand, so operands stay in
 * rank order. */
#include "algorithms/algorithm.h"
#include "algorithms/binary_blocks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const size_t n = problem->count;
    const struct binary_block block = allfold_binary_block(p, r);
    const struct binary_block largest = allfold_binary_block(p, 0);

    if (p == 1) {
        copy(s, span(ALLFOLD_OUT, 0, n), span(ALLFOLD_IN, 0, n));
        return;
    }
    const struct allfold_span result = r == root ? span(ALLFOLD_OUT, 0, n) : scratch(s, n);
    allfold_reduce_scatter_blocks(s, &block, n, result, scratch(s, n));

    if (root < largest.core.size) {
        if (r < largest.core.size)
            allfold_gather_halves(s, &block.core, 0, root, 0, n, result);
        return;
    }
    const struct bounds first = allfold_halved(n, 0, largest.core.size);
    const struct allfold_span segment = part(result, first.lo, first.hi - first.lo);
    if (r == 0) {
        send_to(s, root, segment);
    } else if (r == root) {
        recv_from(s, 0, segment);
        allfold_gather_halves(s, &largest.core, 0, 0, root, n, result); /* in its role */
    } else if (r < largest.core.size) {
        allfold_gather_halves(s, &block.core, 0, 0, root, n, result);
    }
}

/* A rank of the largest block sends n - n/p' in the reduce-scatter, p' being the block's size.
 * Where its index differs in bit 0 from the root's (or from 0, for a root outside), it sends n/2 in
 * the gather. All others send n at most.
 */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const size_t n = problem->count, size = (size_t)1 << floor_log2(p);
    size_t reduced = (size_t)p > size ? ceil_divide(n, size) : 0;
    for (size_t k = 2; k <= size; k *= 2)
        reduced += ceil_divide(n, k);
    return (struct allfold_claim){
        .rounds = allfold_scatter_blocks_rounds(p) + (size_t)floor_log2(p),
        .sent = p == 1 ? 0 : n - n / size + ceil_divide(n, 2),
        .reduced = reduced,
        .divisor = size,
        .got = p == 1 ? 0 : reduced + n,
    };
}

const struct allfold_algorithm allfold_reduce_binary_blocks = {
    .name = "binary_blocks",
    .collective = ALLFOLD_REDUCE,
    .source = "Rabenseifner 2004, section 2.6",
    .summary = "halving in blocks of 2^k ranks, then a gather",
    .use = "long vectors, any operation, where p is no power of two but its binary digits are "
           "close together; else halving_doubling",
    .consistent = true,
    .build = build,
    .claim = claim,
};
