/* Bine trees: De Sensi et al., SC 2025. In a Bine tree the two halves of a range of ranks
 * communicate across a third of the range; in a binomial tree, across half of it.
 *
 * The paper counts ranks in base -2 ("negabinary"), which requires a power of two of ranks. Here a
 * range of any length is divided into two halves, and each half is led by a rank that is near the
 * other half. With 2^k ranks the leaders are the paper's. Pure functions. */
#ifndef ALLFOLD_ALGORITHMS_BINE_H
#define ALLFOLD_ALGORITHMS_BINE_H

#include "algorithms/trees.h"

/* Returns the rank that leads m ranks, counted from the lowest: the one with which its neighbors
 * below (or above) communicate. It is about m/3 ranks away from them. */
int allfold_bine_lead(int m, bool from_below);

/* Returns the tree over p ranks as rank r sees it, of depth ceil(lg p). No rank has more than
 * ceil(lg p) children; the root has that many. Each subtree covers consecutive ranks.
 *
 * The paper counts ranks from the root around the circle. A subtree may then continue from rank p -
 * 1 to rank 0, so that a reduction loses the order of the ranks. Here ranks keep their numbers. The
 * distances are the paper's except for the root's own messages, and for these, too, if the root
 * leads all p ranks. */
struct tree allfold_bine_tree(struct allfold_builder *s, int p, int root, int r);

#endif
