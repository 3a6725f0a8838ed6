/* Binary trees for pipelines: TU Wien 2023, exercise 4; Traeff, arXiv 2109.12626. Pure functions.
 *
 * Each subtree covers consecutive ranks. Ranks below the root are numbered in post-order, as in
 * Traeff's paper; ranks above the root in pre-order, as in the exercise for root 0. So a rank that
 * reduces its first child, then its second, keeps the operands in order. */
#ifndef ALLFOLD_ALGORITHMS_BINARY_TREE_H
#define ALLFOLD_ALGORITHMS_BINARY_TREE_H

#include <stdbool.h>

#include "algorithms/segments.h"

/* The position of a rank in a tree. The rank and its first child's subtree are consecutive ranks.
 */
struct place {
    int parent; /* -1 at the root */
    int depth;  /* 0 at the root */
    int ranks;  /* in its subtree, itself included */
    int child_count;
    int children[2];
};

/* How the ranks below a rank are divided between its children. EVEN: in two halves, for the minimum
 * depth. EARLY: so that one message reaches all ranks in the minimum number of rounds if each rank
 * sends to its second child first; among such divisions, the most even one. */
enum shares { EVEN_SHARES, EARLY_SHARES };

/* Returns the position of rank r in the tree over ranks [lo, hi) with that root. */
struct place allfold_binary_tree(int lo, int hi, int root, int r, enum shares shares);

/* Returns the number of rounds that a message from the root takes to all p ranks of a tree with
 * EARLY_SHARES, second children first. A message from all ranks to the root takes the same number,
 * first children first. */
int allfold_binary_tree_rounds(int p, int root);

/* Returns the number of children of the root of a tree with EARLY_SHARES, which is the maximum. */
static inline int allfold_binary_tree_degree(int p)
{
    return p > 2 ? 2 : p - 1;
}

/* Returns the segments of the vector for a pipeline through the whole tree, of at most `bytes`
 * bytes; 0 uses the pipelining lemma. */
struct segments allfold_binary_tree_segments(const struct allfold_problem *problem, size_t bytes);

/* Returns the number of rounds of b segments in that pipeline. */
size_t allfold_binary_tree_pipeline(int p, int root, size_t b);

#endif
