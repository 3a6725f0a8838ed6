/* Binary blocks: the shared part of allreduce and reduce by Rabenseifner 2004, section 2.6 and Fig.
 * 2.
 *
 * The ranks are divided into blocks, one for each set binary digit of p, the largest block first.
 * Each block scatters its reduction by recursive halving. Then, from the smallest block to the
 * largest, each block adds the sum of the next smaller block to its own, and sends it to the next
 * larger one. A block covers the ranks just below those of the smaller blocks, so operands stay in
 * rank order. */
#ifndef ALLFOLD_ALGORITHMS_BINARY_BLOCKS_H
#define ALLFOLD_ALGORITHMS_BINARY_BLOCKS_H

#include "algorithms/halving.h"

/* A rank's block, as a core without pairs, and the sizes of the neighboring blocks, 0 if there is
 * none. */
struct binary_block {
    struct core core;
    int larger;  /* its ranks end just before this block starts */
    int smaller; /* its ranks start just after this block ends */
};

/* Returns the block of rank r. */
struct binary_block allfold_binary_block(int p, int r);

/* Reduces over all ranks, scattered over the largest block: each of its ranks has in `result` the
 * elements that allfold_halved gives for the block's size. The other blocks use `result` and `tmp`
 * for their partial results. In a block of one rank, IN is not copied. */
void allfold_reduce_scatter_blocks(struct allfold_builder *s, const struct binary_block *block,
                                   size_t n, struct allfold_span result, struct allfold_span tmp);

/* Returns the number of rounds of allfold_reduce_scatter_blocks, if a rank sends one message at a
 * time. */
size_t allfold_scatter_blocks_rounds(int p);

/* Returns the number of rounds from there until all ranks have the result of an allreduce. */
size_t allfold_return_blocks_rounds(int p);

#endif
