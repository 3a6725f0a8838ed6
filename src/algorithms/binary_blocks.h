/* Binary blocks: Rabenseifner 2004, section 2.6 and Fig. 2. What allreduce and reduce share.
 *
 * The ranks lie in blocks, one for each binary digit of p that is set, the largest first. Each
 * block scatters its reduction by recursive halving. Then, from the smallest block to the largest,
 * each adds what the next smaller one has to its own. It sends the sum to the next larger one. A
 * block covers the ranks right below those of the smaller ones, so operands stay in rank order. */
#ifndef ALLFOLD_ALGORITHMS_BINARY_BLOCKS_H
#define ALLFOLD_ALGORITHMS_BINARY_BLOCKS_H

#include "algorithms/halving.h"

/* A rank's block, as a core without pairs, and the sizes of the blocks next to it, 0 for none. */
struct binary_block {
    struct core core;
    int larger;  /* its ranks end where this block's begin */
    int smaller; /* its ranks begin where this block's end */
};

struct binary_block allfold_binary_block(int p, int r);

/* The reduction over all ranks, scattered over the largest block: each of its ranks has in `result`
 * what allfold_halved gives for its size. The other blocks use `result` and `tmp` for their part of
 * it. In a block of one rank, IN is not copied. */
void allfold_reduce_scatter_blocks(struct allfold_builder *s, const struct binary_block *block,
                                   size_t n, struct allfold_span result, struct allfold_span tmp);

/* Rounds until the largest block has the reduction, where a rank sends one message at a time. */
size_t allfold_scatter_blocks_rounds(int p);

/* Rounds until all ranks have the result, by the way that allreduce takes from there. */
size_t allfold_return_blocks_rounds(int p);

#endif
