/* Bine trees: De Sensi et al., SC 2025. A tree in which the two halves of a range of ranks talk
 * across a third of the range. A binomial tree's talk across half of it.
 *
 * The paper counts ranks in base -2 ("negabinary"), which needs a power of two of ranks. Here a
 * range of any length is split into two halves, and each half is led by a rank that is near the
 * other half. With 2^k ranks the leaders are the paper's. */
#ifndef ALLFOLD_ALGORITHMS_BINE_H
#define ALLFOLD_ALGORITHMS_BINE_H

#include "algorithms/trees.h"

/* The rank that leads m ranks, counted from the lowest: the one that its neighbors below (or above)
 * talk to. It is about m/3 ranks away from these. */
int allfold_bine_lead(int m, bool from_below);

/* The tree over p ranks as rank r sees it, of depth ceil(lg p). No rank has more children than
 * ceil(lg p), and the root has that many. Each subtree covers neighboring ranks.
 *
 * The paper counts ranks from the root around the circle. A subtree may then go on from rank p - 1
 * to rank 0, so that a reduction loses the order of the ranks. Here the root stays where it is.
 * The distances are the paper's but for the root's own messages, and for these too where the root
 * leads all p ranks. */
struct tree allfold_bine_tree(struct allfold_builder *s, int p, int root, int r);

#endif
