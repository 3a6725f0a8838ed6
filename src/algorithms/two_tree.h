/* Two binary trees over n ranks, each with one half of the segments. No rank has children in both
 * trees, so every rank is busy. Sanders, Speck and Traeff 2009. Pure functions, except for those
 * that write programs.
 *
 * The first tree is numbered in-order: a rank is between its children's subtrees. The second tree
 * is its mirror image. If n is odd, rank n - 1 has no children and is not the mirror image of any
 * rank.
 *
 * Invariant: the subtree of each second child has an even number of ranks with children, so the
 * times at which a rank receives in the two trees differ by an odd number. With one segment of each
 * tree every two rounds, a rank then sends one message and receives one message in a round. */
#ifndef ALLFOLD_ALGORITHMS_TWO_TREE_H
#define ALLFOLD_ALGORITHMS_TWO_TREE_H

#include <stdbool.h>

#include "algorithms/segments.h"

/* The position of a rank in one of the trees. */
struct two_tree_place {
    int parent; /* n at the root; -1 at rank n */
    int time;   /* the round in which it receives the first segment; 1 + tree at the root */
    int child_count;
    int children[2]; /* in the order of sending */
    int times[2];    /* when the children receive the first segment */
};

/* Returns the position of rank i in tree 0 or 1; i = n is the parent of both roots, if there is
 * one. n > 0. */
struct two_tree_place allfold_two_tree(int n, int tree, int i);

/* Returns the number of rounds after which all n ranks of a tree have a segment that its root
 * receives in round 1: at most 1.45 lg n + 2. */
int allfold_two_tree_rounds(int n);

/* Returns whether no tree over more ranks has the same number of rounds, or none with an even
 * number of ranks with children. */
bool allfold_two_tree_is_full(int n);

/* Programs over both trees: even segments in the first tree, odd ones in the second. */

/* The trees are over n ranks: first, first + 1, ... (mod p). n is p or p - 1; then the remaining
 * rank is the parent of both roots. */
struct two_trees {
    int first;
    int n;
};

/* Returns the trees of a broadcast or a reduce: all ranks except for the root, which is the parent
 * of both roots. */
static inline struct two_trees two_trees_below(int p, int root)
{
    return (struct two_trees){.first = (root + 1) % p, .n = p - 1};
}

/* Returns the vector's segments of at most `bytes` bytes in these trees; 0 uses the pipelining
 * lemma. */
static inline struct segments two_tree_segments(const struct allfold_problem *problem, size_t bytes)
{
    const int others = problem->group.size - 1;
    return allfold_pipeline(problem, bytes, allfold_two_tree_rounds(others) - 1, 1);
}

/* Returns the number of rounds of b segments. */
static inline size_t two_tree_pipeline(int p, size_t b)
{
    return p == 1 ? 0 : (size_t)allfold_two_tree_rounds(p - 1) - 1 + b;
}

/* Writes a broadcast of `all` from the roots or their parent to the leaves. */
void allfold_two_tree_down(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct two_trees trees, struct segments cut, struct allfold_span all);

/* Writes the reduction, with the same messages in reverse. If `out` is not empty, each rank has the
 * reduction over its subtree in it. The reduction over all ranks is at the roots' parent, or at the
 * root of a segment's tree if there is no such parent. Operands are in rank order if first = 0 and
 * n is even. */
void allfold_two_tree_up(struct allfold_builder *s, const struct allfold_problem *problem,
                         struct two_trees trees, struct segments cut, struct allfold_span out);

/* Returns the number of elements in all even segments, which the first tree carries; the second
 * never carries more. */
size_t allfold_two_tree_half(const struct allfold_problem *problem, struct segments cut);

#endif
