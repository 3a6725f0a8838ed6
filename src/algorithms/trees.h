/* Trees over ranks, for reductions and broadcasts of whole vectors (tree_walks.h). To add a tree,
 * write a function that splits ranges of ranks, and the descriptors of its algorithms.
 *
 * The number of children is unlimited: they are in memory of the builder, which reports if it is
 * out of memory, and frees it. */
#ifndef ALLFOLD_ALGORITHMS_TREES_H
#define ALLFOLD_ALGORITHMS_TREES_H

#include "algorithms/peers.h"
#include "schedule/memory.h"

/* A child of a rank. */
struct tree_child {
    int rank;
    int level;   /* from 0; messages of a rank to the children of one level overlap */
    int covered; /* number of ranks in the child's subtree; 0 if the tree is not made by splits */
};

/* A tree as one rank sees it. */
struct tree {
    int parent;  /* -1: this rank is the root */
    int covered; /* number of ranks in this rank's subtree; 0 if the tree is not made by splits */
    int child_count, capacity;
    struct tree_child *children; /* by level; the deepest subtrees first */
    struct allfold_builder *builder;
};

/* Returns a tree without parent and children. */
struct tree allfold_tree_begin(struct allfold_builder *s);

/* Adds a child. */
void allfold_tree_add(struct tree *tree, struct tree_child child);

/* How ranks [lo, hi), led by `root`, are split into [lo, mid) and [mid, hi). `other` leads the part
 * without the root. */
struct tree_split {
    int mid, other;
};

/* Returns the tree over p ranks as rank r sees it, made by such splits. Each child has a level of
 * its own. */
struct tree allfold_tree_of_splits(struct allfold_builder *s, int p, int root, int r,
                                   struct tree_split (*split)(int lo, int hi, int root));

/* Returns the binomial tree over p ranks for any root, such that each subtree covers consecutive
 * ranks. Ranks [lo, hi) are split at the largest power of two below their number. The lowest rank
 * of the part without the root leads that part and is a child of the root. The depth is ceil(lg p).
 */
struct tree allfold_tree(struct allfold_builder *s, int p, int root, int r);

/* Returns the binomial tree split as the canonical tree. So a reduction up the tree has the
 * canonical order of summation for any root. */
struct tree allfold_canonical_tree(struct allfold_builder *s, int p, int root, int r);

/* Returns the maximum number of children in allfold_tree. */
int allfold_tree_degree(int p, int root);

/* Returns the maximum number of children in allfold_canonical_tree. */
int allfold_canonical_tree_degree(int p, int root);

#endif
