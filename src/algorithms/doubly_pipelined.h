/* Doubly pipelined allreduces over trees. While a segment is reduced up the tree, the result of an
 * earlier segment goes down the same edges in the opposite direction. Traeff, arXiv 2109.12626,
 * Algorithm 1; TU Wien 2023, exercises 3 and 5. */
#ifndef ALLFOLD_ALGORITHMS_DOUBLY_PIPELINED_H
#define ALLFOLD_ALGORITHMS_DOUBLY_PIPELINED_H

#include "algorithms/binary_tree.h"
#include "algorithms/segments.h"

/* Writes the program of a rank at the position `place` of a tree. There is one tree, or there are
 * two whose roots exchange their reductions. On such a root `other_root` is the other root,
 * otherwise -1. The ranks of the children are all higher than the rank of their parent, or all
 * lower.
 *
 * In iteration j the rank, at depth d, does the following:
 *
 * - With each child it exchanges: it receives the child's reduction of segment j, and sends the
 *   result of segment j - d - 1. It reduces each received segment.
 * - Then it exchanges with its parent: it sends its reduction of segment j, and receives the result
 *   of segment j - d.
 *
 * With `halves` the children exchange only halves of each segment with this rank: the child with
 * the lower rank the first half, the other child the second half. The children must be leaves of
 * allreduce_sibling_leaves.c, which reduce these halves between them before, and exchange the
 * halves of the result after.
 *
 * Invariant: after the exchanges with the children in iteration j, segment j of OUT is the
 * reduction over the rank's subtree. After iteration j + depth it is the result. */
void allfold_doubly_pipelined(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct place *place, int other_root, bool halves,
                              struct segments cut);

/* The number of rounds in which one segment goes up to the root, and down again. */
struct trip {
    int up, down;
};

/* Returns the numbers of rounds for a tree of n ranks with EVEN_SHARES whose root is its first or
 * last rank. With `halves`, two leaves with the same parent exchange halves with each other before
 * and after they exchange with the parent. */
struct trip allfold_trip(int n, bool halves);

/* Returns the maximum number of neighbors of a root, if two such trees cover p ranks. This is also
 * the number of rounds from one segment to the next. */
size_t allfold_dual_root_degree(int p);

/* Returns the number of rounds of b segments, if two such trees cover p ranks. */
size_t allfold_dual_root_rounds(int p, size_t b, bool halves);

#endif
