/* Segments up and down two trees at once: even segments in the first tree, odd ones in the second.
 * Sanders, Speck and Traeff 2009. */
#ifndef ALLFOLD_ALGORITHMS_TWO_TREE_WALKS_H
#define ALLFOLD_ALGORITHMS_TWO_TREE_WALKS_H

#include "algorithms/segments.h"

/* The trees are over the ranks first, first + 1, ... mod p: all p, or p - 1 of them, and then the
 * one left is the parent of both roots. */
struct two_trees {
    int first;
    int n;
};

/* Each rank passes `all` on, from the roots or their parent to the leaves. */
void allfold_two_tree_down(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct two_trees trees, struct segments cut, struct allfold_span all);

/* The same messages backwards, from the last to the first, with reductions. Results are in `out`
 * where it is not empty: those over a rank's subtree, and over all ranks at the roots' parent, or
 * at the root of a segment's tree where there is none. Operands are in the order of the ranks where
 * first = 0 and n is even. */
void allfold_two_tree_up(struct allfold_builder *s, const struct allfold_problem *problem,
                         struct two_trees trees, struct segments cut, struct allfold_span out);

/* Elements of all even segments: what the first tree has to carry, never less than the second. */
size_t allfold_two_tree_half(const struct allfold_problem *problem, struct segments cut);

#endif
