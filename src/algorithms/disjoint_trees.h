/* What the algorithms over edge-disjoint trees share: each of the trees (cables.h) carries one part
 * of the vector, in segments.
 *
 * All cables work at a time, each both ways. In a step each rank sends, over each of its cables,
 * what it got or reduced in earlier steps. Segments go up to a tree's top and from there down. The
 * top has one more child than other ranks with as many cables, so it reduces more. In an allreduce
 * all ranks of the row in the middle of the tree therefore are tops, in turn.
 *
 * Off the row all segments go the same way. Off by d cables from a row, with height h, segment j
 * goes up in step j + h - d. On a row of m ranks a segment that goes right takes cable i in step
 * j + h + i. One that goes left takes it in step j + h + m - 2 - i. Down, segments go the same ways
 * after that.
 *
 * Invariant: all ranks go through the steps, and through the cables in a step, in the same order.
 * So the first cable of the first step on which anybody waits can always be served. A cable carries
 * one segment a step, each way. */
#ifndef ALLFOLD_ALGORITHMS_DISJOINT_TREES_H
#define ALLFOLD_ALGORITHMS_DISJOINT_TREES_H

#include "algorithms/segments.h"

/* Which ways segments go, and from where trees hang. */
struct disjoint_ways {
    bool up, down;
    int root; /* the top of all trees; -1: each has the tops of its own row */
};

/* Reduces on the way up, from IN, and passes on on the way down, from the root's IN or what was
 * reduced. Segments have `segment_bytes`; 0 takes the pipelining lemma's. `out` is where a rank
 * keeps sums and results; empty: it has none. */
void allfold_disjoint_build(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct disjoint_ways ways, size_t segment_bytes,
                            struct allfold_span out);

/* What this takes. */
struct allfold_claim allfold_disjoint_claim(const struct allfold_problem *problem,
                                            struct disjoint_ways ways, size_t segment_bytes);

/* For the `unmet` of descriptors: with several ranks on a node, which of them would use a cable? */
const char *allfold_disjoint_unmet(const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters);

#endif
