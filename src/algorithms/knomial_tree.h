/* The k-nomial tree over p ranks for any root, such that each subtree covers neighboring ranks.
 * Pure functions.
 *
 * n > 1 ranks are cut into parts of k^j ranks, the largest power of k below n; the last part may be
 * shorter. The root leads the part that it is in. The lowest rank of each other part leads that and
 * is a child of the root. Depth ceil(log_k p). Messages of the children of a level go at a time.
 * With k = 2 it is the binomial tree of peers.h. */
#ifndef ALLFOLD_ALGORITHMS_KNOMIAL_TREE_H
#define ALLFOLD_ALGORITHMS_KNOMIAL_TREE_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

enum { ALLFOLD_MOST_RADIX = 8 };

struct allfold_knomial {
    struct tree tree;           /* its children: on a level by rank */
    int levels;                 /* on which the rank has children */
    int ends[ALLFOLD_MAX_LOG2]; /* level -> number of children up to its last */
    int covered;                /* ranks of its subtree; where it is no root, from itself on */
    int covered_by[ALLFOLD_MOST_CHILDREN]; /* child -> ranks of the child's subtree */
};

/* The place of rank r in the tree. */
struct allfold_knomial allfold_knomial_tree(int p, int root, int r, int radix);

/* The parameter of the descriptors, and what they claim. */
#define ALLFOLD_KNOMIAL_RADIX                                                                      \
    {                                                                                              \
        .name = "radix", .kind = ALLFOLD_PARAMETER_RADIX, .unit = "",                              \
        .meaning = "into how many parts the ranks are cut", .minimum = 2,                          \
        .maximum = ALLFOLD_MOST_RADIX, .preset = 4, ALLFOLD_TRIED(2, 3, 4, 5, 8)                   \
    }
struct allfold_claim allfold_knomial_claim(const struct allfold_problem *problem,
                                           const struct allfold_parameters *parameters);

#endif
