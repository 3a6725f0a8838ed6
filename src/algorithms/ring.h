/* Reduce-scatter and allgather around a ring, on which each rank only sends to its right and
 * receives from its left: the reduce-scatter of the bucket algorithm (Patarasuk and Yuan 2009,
 * section 3.2), and the allgather that it shares with the ring of Rabenseifner 2004, section 2.7.
 *
 * In each of p-1 rounds a rank sends the block that it received in the round before. In the
 * reduce-scatter that is a partial result to which it has added its own contribution, and the last
 * block that it receives is its own. In the allgather it sends its own block first. Blocks are cut
 * into segments, so that one is reduced or sent while the next one is received. Block i belongs to
 * rank i, at any position on the ring. */
#ifndef ALLFOLD_ALGORITHMS_RING_H
#define ALLFOLD_ALGORITHMS_RING_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

/* The ring: its ranks in their order. */
struct ring {
    int p;
    int position;     /* of this rank */
    const int *ranks; /* position -> rank; NULL if both are the same */
};

/* Returns the ring in rank order. */
struct ring allfold_ring(const struct allfold_problem *problem);

/* Returns the ring in the order of the nodes if the placement is known, so that each node has one
 * rank that sends to another node and one that receives from another node. */
struct ring allfold_ring_by_nodes(const struct allfold_problem *problem);

/* Reduces this rank's block of IN over all ranks into `own`. The order of the operands is that of
 * the ring, and starts at a different rank for each block. */
void allfold_ring_reduce_scatter(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct ring *ring, struct segments cut,
                                 struct allfold_span own);

/* Sends all blocks of OUT from their owners to all ranks. */
void allfold_ring_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                            const struct ring *ring, struct segments cut);

#endif
