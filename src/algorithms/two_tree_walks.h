/* Segments up and down two trees at once: even segments in the first tree, odd ones in the second.
 * Sanders, Speck and Traeff 2009. */
#ifndef ALLFOLD_ALGORITHMS_TWO_TREE_WALKS_H
#define ALLFOLD_ALGORITHMS_TWO_TREE_WALKS_H

#include "algorithms/segments.h"
#include "algorithms/two_tree.h"

/* The trees are over the ranks first, first + 1, ... mod p: all p, or p - 1 of them, and then the
 * one left is the parent of both roots. */
struct two_trees {
    int first;
    int n;
};

/* Of a broadcast or a reduce: all ranks but the root, which is the parent of both roots. */
static inline struct two_trees two_trees_below(int p, int root)
{
    return (struct two_trees){.first = (root + 1) % p, .n = p - 1};
}

/* The vector's segments of `bytes` bytes down or up these trees; 0 takes the pipelining lemma's. */
static inline struct segments two_tree_segments(const struct allfold_problem *problem, size_t bytes)
{
    const int others = problem->group.size - 1;
    return allfold_pipeline(problem, bytes, allfold_two_tree_rounds(others) - 1, 1);
}

/* The rounds of b segments. */
static inline size_t two_tree_pipeline(int p, size_t b)
{
    return p == 1 ? 0 : (size_t)allfold_two_tree_rounds(p - 1) - 1 + b;
}

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
