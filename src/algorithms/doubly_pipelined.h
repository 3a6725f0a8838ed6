/* Doubly pipelined reduction to all. While a segment goes up the tree, an earlier one, already
 * reduced, goes down on the same edges in the opposite direction. Traeff, arXiv 2109.12626,
 * Algorithm 1; TU Wien 2023, exercises 3 and 5. */
#ifndef ALLFOLD_ALGORITHMS_DOUBLY_PIPELINED_H
#define ALLFOLD_ALGORITHMS_DOUBLY_PIPELINED_H

#include "algorithms/binary_tree.h"
#include "algorithms/segments.h"

/* Writes the program of a rank at a position in one tree, or in one of two trees whose roots
 * exchange their reductions (other_root; -1 on other ranks). A rank's children are all above it, or
 * all below. In iteration j the rank exchanges with each child: segment j comes up, segment j -
 * depth - 1 goes down. It reduces, and then exchanges with its parent: segment j goes up, segment j
 * - depth comes down. With `halves` its lower child has the first half of each segment for it, the
 * upper child the second.
 *
 * Invariant: after the exchanges with the children in iteration j, segment j of OUT is the
 * reduction over the rank's subtree. After iteration j + depth it is the result. */
void allfold_doubly_pipelined(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct place *place, int other_root, bool halves,
                              struct segments cut);

/* The number of rounds of one segment up to the root and down again, in a tree of n ranks with
 * EVEN_SHARES whose root is its first or last rank. With `halves`, two leaves with the same parent
 * exchange halves before and after. */
struct trip {
    int up, down;
};

/* Returns these numbers of rounds. */
struct trip allfold_trip(int n, bool halves);

/* For two such trees over p ranks: returns the maximum number of neighbors of a root. This is also
 * the number of rounds from one segment to the next. */
size_t allfold_dual_root_degree(int p);

/* Returns the number of rounds of b segments in two such trees over p ranks. */
size_t allfold_dual_root_rounds(int p, size_t b, bool halves);

#endif
