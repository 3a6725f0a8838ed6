/* The k-nomial tree over p ranks for any root, such that each subtree covers consecutive ranks.
 * Pure functions.
 *
 * n > 1 ranks are divided into parts of k^j ranks, the largest power of k below n; the last part
 * may be shorter. The root leads the part that contains it. The lowest rank of each other part
 * leads it, and is a child of the root. The depth is ceil(log_k p). Messages to the children of one
 * level overlap. With k = 2 it is the binomial tree of trees.h. */
#ifndef ALLFOLD_ALGORITHMS_KNOMIAL_TREE_H
#define ALLFOLD_ALGORITHMS_KNOMIAL_TREE_H

#include "algorithms/ports.h"
#include "algorithms/trees.h"

/* Returns the tree as rank r sees it; the children of a level are in rank order. */
struct tree allfold_knomial_tree(struct allfold_builder *s, int p, int root, int r, int radix);

/* The parameter of the descriptors. */
#define ALLFOLD_KNOMIAL_RADIX                                                                      \
    ALLFOLD_RADIX("into how many parts the ranks are cut", 4, 2, 3, 4, 5, 8)

/* Returns the claim of a reduce or a broadcast over the tree. For descriptors. */
struct allfold_claim allfold_knomial_claim(const struct allfold_problem *problem,
                                           const struct allfold_parameters *parameters);

#endif
