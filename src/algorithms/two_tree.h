/* Two binary trees over n ranks, each with one half of the segments. Every rank is busy, because no
 * rank has children in both. Sanders, Speck and Traeff 2009. Pure functions.
 *
 * The first tree numbers its ranks in order: a rank lies between its children's subtrees. The
 * second is its mirror image. Where n is odd, rank n - 1 has no children and is no rank's mirror
 * image.
 *
 * Invariant: as each second child's subtree has an even number of ranks with children, the times at
 * which a rank receives in the two trees differ. Their difference is odd. So with a segment of each
 * tree every two rounds, a rank sends one message and receives one in a round. */
#ifndef ALLFOLD_ALGORITHMS_TWO_TREE_H
#define ALLFOLD_ALGORITHMS_TWO_TREE_H

#include <stdbool.h>

#include "algorithms/segments.h"

/* A rank's place in one of the trees. */
struct two_tree_place {
    int parent; /* n at the root; -1 at n */
    int time;   /* the round in which it receives the first segment: at the root 1 + tree */
    int child_count;
    int children[2]; /* in the order in which they are sent to */
    int times[2];    /* theirs */
};

/* The place of rank i in tree 0 or 1; i = n is the parent of both roots, if there is one. n > 0. */
struct two_tree_place allfold_two_tree(int n, int tree, int i);

/* The rounds after which all n ranks of a tree have a segment that its root receives in round 1.
 * They are at most 1.45 lg n + 2. */
int allfold_two_tree_rounds(int n);

/* No tree over more ranks takes as few rounds, or none with an even number of ranks with children.
 */
bool allfold_two_tree_is_full(int n);

/* Segments up and down two trees at once: even segments in the first tree, odd ones in the second.
 * Sanders, Speck and Traeff 2009. */

/* The trees are over the ranks first, first + 1, ... mod p: all p, or p - 1 of them. Then the one
 * left is the parent of both roots. */
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
 * where it is not empty: those over a rank's subtree. Those over all ranks are at the roots'
 * parent, or at the root of a segment's tree where there is no such parent. Operands are in the
 * order of the ranks where first = 0 and n is even. */
void allfold_two_tree_up(struct allfold_builder *s, const struct allfold_problem *problem,
                         struct two_trees trees, struct segments cut, struct allfold_span out);

/* Elements of all even segments: what the first tree has to carry, never less than the second. */
size_t allfold_two_tree_half(const struct allfold_problem *problem, struct segments cut);

#endif
