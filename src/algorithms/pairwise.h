/* Reduce-scatter by pairwise exchange, for the collective and for allreduce and reduce by `ring`.
 * Rabenseifner 2004, sections 2.2 and 2.7.
 *
 * With strides 1 .. p-1 each rank sends every other rank the block that this rank owns, and reduces
 * its own block from what it receives. Blocks are cut into segments, so that the reduction of one
 * overlaps with the reception of the next. The order of the operands is that of the strides. */
#ifndef ALLFOLD_ALGORITHMS_PAIRWISE_H
#define ALLFOLD_ALGORITHMS_PAIRWISE_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

enum { ALLFOLD_PAIRWISE_ROOMS = 2 };

/* Returns the segments of the longest block for messages of at most `bytes` bytes; 0: whole blocks.
 * Shorter blocks have empty segments. */
struct segments allfold_block_segments(const struct allfold_problem *problem, size_t bytes);

/* Returns block i of p of a buffer with the problem's elements. */
struct allfold_span allfold_block(int buffer, const struct allfold_problem *problem, int i);

/* Returns this rank's own block of IN, to be reduced into the start of OUT. In place, blocks of
 * different lengths may overlap there in part: then it returns a copy of the block. */
struct allfold_span allfold_own_block(struct allfold_builder *s,
                                      const struct allfold_problem *problem);

/* Returns the claim of a collective that sends p-1 blocks one after the other. Its first parameter
 * is the length of the segments in bytes. */
struct allfold_claim allfold_block_by_block_claim(const struct allfold_problem *problem,
                                                  const struct allfold_parameters *parameters);

/* Reduces this rank's block of IN over all ranks into `own`. */
void allfold_pairwise_reduce_scatter(struct allfold_builder *s,
                                     const struct allfold_problem *problem, struct segments cut,
                                     struct allfold_span own);

#endif
