/* Reduce-scatter by pairwise exchange, which the collective of that name shares with allreduce and
 * reduce by ring. Rabenseifner 2004, sections 2.2 and 2.7.
 *
 * With strides 1 .. p-1 each rank sends every other rank the block that this one owns, and reduces
 * its own block from what it gets. Blocks go in segments, so that reducing one overlaps with
 * receiving the next. The order of the operands is that of the strides. */
#ifndef ALLFOLD_ALGORITHMS_PAIRWISE_H
#define ALLFOLD_ALGORITHMS_PAIRWISE_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

enum { ALLFOLD_PAIRWISE_ROOMS = 2 };

/* The segments of the longest block for a largest message of that many bytes; 0 leaves the blocks
 * whole. Shorter blocks have empty ones. */
struct segments allfold_block_segments(const struct allfold_problem *problem, size_t bytes);

/* Block i of p of a buffer with the problem's elements. */
struct allfold_span allfold_block(int buffer, const struct allfold_problem *problem, int i);

/* This rank's own block of IN, to be reduced into the begin of OUT. In place these may overlap in
 * part, where blocks differ: then a copy of it. */
struct allfold_span allfold_own_block(struct allfold_builder *s,
                                      const struct allfold_problem *problem);

/* The claim of a collective of blocks that sends one of them after the other, p-1 in all. Its first
 * parameter gives the bytes of their segments. */
struct allfold_claim allfold_block_by_block_claim(const struct allfold_problem *problem,
                                                  const struct allfold_parameters *parameters);

/* Reduces this rank's block of IN over all ranks into `own`. */
void allfold_pairwise_reduce_scatter(struct allfold_builder *s,
                                     const struct allfold_problem *problem, struct segments cut,
                                     struct allfold_span own);

#endif
