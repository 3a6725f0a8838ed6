/* Allgather round a ring, which the allreduce by ring and the allgather share. Rabenseifner 2004,
 * section 2.7.
 *
 * In each of p-1 rounds a rank sends the block that came last, at first its own, to its right. */
#ifndef ALLFOLD_ALGORITHMS_RING_H
#define ALLFOLD_ALGORITHMS_RING_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

/* Gives all blocks of OUT to all ranks, from the owner of each. */
void allfold_ring_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct segments cut);

#endif
