/* Trees over ranks, for walks of whole vectors (tree_walks.h). A new tree is a function that splits
 * ranges of ranks, and the descriptors of its algorithms.
 *
 * The number of children has no bound: they are in memory of the builder, which reports if there is
 * none, and frees it. */
#ifndef ALLFOLD_ALGORITHMS_TREES_H
#define ALLFOLD_ALGORITHMS_TREES_H

#include "algorithms/peers.h"
#include "schedule/memory.h"

struct tree_child {
    int rank;
    int level;   /* a rank's levels count from 0; its messages to a level's children overlap */
    int covered; /* ranks of the child's subtree; 0 if the tree is not one of splits */
};

/* A tree as one rank sees it. */
struct tree {
    int parent;  /* -1 at the root */
    int covered; /* ranks of this rank's subtree; 0 if the tree is not one of splits */
    int child_count, capacity;
    struct tree_child *children; /* by level, the deepest subtrees first */
    struct allfold_builder *builder;
};

struct tree allfold_tree_begin(struct allfold_builder *s);
void allfold_tree_add(struct tree *tree, struct tree_child child);

/* How the ranks lo .. hi-1, which `root` leads, become two parts: lo .. mid-1 and mid .. hi-1, and
 * who leads the one without the root. */
struct tree_split {
    int mid, other;
};

/* The tree over p ranks as rank r sees it, of any such splits. Each child has a level of its own.
 */
struct tree allfold_tree_of_splits(struct allfold_builder *s, int p, int root, int r,
                                   struct tree_split (*split)(int lo, int hi, int root));

/* The binomial tree over p ranks for any root, such that each subtree covers neighboring ranks.
 * Ranks lo .. hi-1 are split at the largest power of two below their number. The lowest rank of the
 * part without the root leads that part and is a child of the root. Depth ceil(lg p). */
struct tree allfold_tree(struct allfold_builder *s, int p, int root, int r);

/* As allfold_tree, but ranks are split as the canonical tree splits them. So a reduction up the
 * tree has the order of summation of that, for any root. */
struct tree allfold_canonical_tree(struct allfold_builder *s, int p, int root, int r);

/* The largest number of children that any rank of allfold_tree has, or of the canonical tree. */
int allfold_tree_degree(int p, int root);
int allfold_canonical_tree_degree(int p, int root);

#endif
