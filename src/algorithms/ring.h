/* Round a ring: each rank sends to its right and receives from its left alone. The reduce-scatter
 * of the bucket algorithm (Patarasuk and Yuan 2009, section 3.2), and the allgather that it and
 * the ring of Rabenseifner 2004, section 2.7, have.
 *
 * In each of p-1 rounds a rank hands on the block that came last. In the reduce-scatter that is a
 * partial result to which it has added its own, and the last to come is its own block. In the
 * allgather its own block is the first. Blocks go in segments, so that one is reduced, or handed
 * on, while the next comes. Block i is rank i's, wherever it is on the ring. */
#ifndef ALLFOLD_ALGORITHMS_RING_H
#define ALLFOLD_ALGORITHMS_RING_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

/* The ranks in the order in which they are on the ring. */
struct ring {
    int p;
    int position;     /* this rank's */
    const int *ranks; /* position -> rank; NULL where these are the same */
};

/* In the order of the ranks. */
struct ring allfold_ring(const struct allfold_problem *problem);

/* Node by node where the placement is known, so that each node has one rank that sends beyond it
 * and one that receives from beyond. */
struct ring allfold_ring_by_nodes(const struct allfold_problem *problem);

/* Reduces this rank's block of IN over all ranks into `own`. The order of the operands is that of
 * the ring, beginning at another rank for each block. */
void allfold_ring_reduce_scatter(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct ring *ring, struct segments cut,
                                 struct allfold_span own);

/* Gives all blocks of OUT to all ranks, from the owner of each. */
void allfold_ring_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                            const struct ring *ring, struct segments cut);

#endif
