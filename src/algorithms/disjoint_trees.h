/* The shared part of the algorithms over edge-disjoint spanning trees on a direct network: each
 * tree (cables.h) carries one part of the vector, in segments.
 *
 * All cables work at the same time, each in both directions. In a step each rank sends, over each
 * of its cables, what it received or reduced in earlier steps. Segments go up to the tree's top and
 * from there down. The top has one more child than other ranks with the same number of cables, so
 * it reduces more. In an allreduce, therefore, all ranks of the center path of a tree are its top,
 * in turn.
 *
 * Outside of the center path, all segments of a tree take the same path. In a tree of height h, a
 * rank that is d cables away from the center path sends segment j up in step j + h - d.
 *
 * The center path has m ranks and m - 1 cables, which are numbered from 0 at one end. Each segment
 * crosses each of these cables towards the rank that is its top. If that is in the direction of the
 * numbers, it crosses cable i in step j + h + i, otherwise in step j + h + m - 2 - i. On the way
 * down, segments take the same paths in later steps.
 *
 * Invariant: all ranks execute the steps, and the cables of a step, in the same order. So the first
 * cable of the first step for which a rank waits can always proceed. A cable carries one segment
 * per step and direction. */
#ifndef ALLFOLD_ALGORITHMS_DISJOINT_TREES_H
#define ALLFOLD_ALGORITHMS_DISJOINT_TREES_H

#include "algorithms/segments.h"

/* Which directions segments take, and which ranks are the tops. */
struct disjoint_ways {
    bool up, down;
    int root; /* the top of all trees; -1: the ranks of each tree's center path */
};

/* Writes the program: on the way up it reduces, starting from IN; on the way down it sends the
 * root's IN or the result. Segments have segment_bytes bytes; 0 uses the pipelining lemma. `out` is
 * where a rank keeps sums and results; empty: it keeps none. */
void allfold_disjoint_build(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct disjoint_ways ways, size_t segment_bytes,
                            struct allfold_span out);

/* Returns the claim of that program. */
struct allfold_claim allfold_disjoint_claim(const struct allfold_problem *problem,
                                            struct disjoint_ways ways, size_t segment_bytes);

/* For the `unmet` of descriptors: requires one rank per node, because with several ranks it is
 * undefined which of them uses a cable. */
const char *allfold_disjoint_unmet(const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters);

#endif
