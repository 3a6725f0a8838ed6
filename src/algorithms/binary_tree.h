/* Binary trees for pipelines: TU Wien 2023, exercise 4; Traeff, arXiv 2109.12626. Pure functions.
 *
 * Each subtree covers neighboring ranks. Ranks below the root are numbered in post-order, as Traeff
 * has them. Those above it are in pre-order, as the report has them for root 0. So a rank that
 * folds its first child, then its second, keeps them in order. */
#ifndef ALLFOLD_ALGORITHMS_BINARY_TREE_H
#define ALLFOLD_ALGORITHMS_BINARY_TREE_H

#include <stdbool.h>

#include "algorithms/segments.h"

/* A rank's place in a tree. The rank and its first child's subtree are consecutive ranks. */
struct place {
    int parent; /* -1 at the root */
    int depth;  /* 0 at the root */
    int ranks;  /* of its subtree, with itself */
    int child_count;
    int children[2];
};

/* How the ranks below a rank are shared out. EVEN: in two halves, for the least depth. EARLY: so
 * that one message reaches all ranks in the least number of rounds, where each rank sends to its
 * second child first. They are then as even as can be. */
enum shares { EVEN_SHARES, EARLY_SHARES };

/* The place of rank r in the tree over ranks lo .. hi - 1 with that root. */
struct place allfold_binary_tree(int lo, int hi, int root, int r, enum shares shares);

/* The rounds that a message from the root takes to all p ranks of a tree with EARLY_SHARES, second
 * children first. As many as a message from all to the root takes, first children first. */
int allfold_binary_tree_rounds(int p, int root);

/* The children of the root of a tree with EARLY_SHARES: no rank has more. */
static inline int allfold_binary_tree_degree(int p)
{
    return p > 2 ? 2 : p - 1;
}

/* A pipeline through the whole tree: the vector's segments of `bytes` bytes, where 0 takes the
 * pipelining lemma's, and the rounds of b of them. */
struct segments allfold_binary_tree_segments(const struct allfold_problem *problem, size_t bytes);
size_t allfold_binary_tree_pipeline(int p, int root, size_t b);

#endif
