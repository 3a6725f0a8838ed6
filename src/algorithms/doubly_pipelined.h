/* The loop of doubly pipelined reduction to all. While a segment goes up the tree, an earlier one,
 * already reduced, comes down on the same edges in the opposite direction. Traeff, arXiv
 * 2109.12626, Algorithm 1; TU Wien 2023, exercises 3 and 5. */
#ifndef ALLFOLD_ALGORITHMS_DOUBLY_PIPELINED_H
#define ALLFOLD_ALGORITHMS_DOUBLY_PIPELINED_H

#include "algorithms/binary_tree.h"
#include "algorithms/segments.h"

/* Writes the rank's program, for its place in one tree, or in one of two trees whose roots exchange
 * what they have (other_root, elsewhere -1). A rank's children are all above it, or all below. In
 * iteration j it exchanges with each child segment j, coming up, for segment j - depth - 1, going
 * down, and reduces. Then with its parent j for j - depth. With `halves` its lower child has the
 * first half of each segment for it, the upper child the second.
 *
 * Invariant: after its exchanges with the children in iteration j, OUT holds in segment j the
 * reduction over the rank's subtree. After iteration j + depth it holds the result. */
void allfold_doubly_pipelined(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct place *place, int other_root, bool halves,
                              struct segments cut);

/* The rounds that one segment takes in a tree of n ranks with EVEN_SHARES whose root is its first
 * or last rank. They lead up to the root and down again. With `halves` each two leaves with the
 * same parent swap halves before and after. */
struct trip {
    int up, down;
};
struct trip allfold_trip(int n, bool halves);

/* Two such trees over p ranks: the neighbors of the root that has most of them, and the rounds of b
 * segments. So many neighbors are also the rounds from one segment to the next. */
size_t allfold_dual_root_degree(int p);
size_t allfold_dual_root_rounds(int p, size_t b, bool halves);

#endif
