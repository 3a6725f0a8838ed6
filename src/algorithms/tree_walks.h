/* Reduction up a tree (trees.h) and broadcast down a tree, with whole vectors. Rabenseifner 2004,
 * section 2.3. */
#ifndef ALLFOLD_ALGORITHMS_TREE_WALKS_H
#define ALLFOLD_ALGORITHMS_TREE_WALKS_H

#include "algorithms/algorithm.h"
#include "algorithms/trees.h"

/* Writes the reduction: each rank reduces what its children send, the last level first, and sends
 * the result to its parent. It can receive from all children of a level at once, and from those of
 * the next level. Returns where the reduction over the subtree of rank r is: `result`, or IN if r
 * has no children. */
struct allfold_span allfold_walk_up(struct allfold_builder *s, const struct tree *tree, int r,
                                    size_t n, struct allfold_span result);

/* Writes a reduce over the tree, whose root is the problem's root; its result is in the root's OUT.
 */
void allfold_build_up(struct allfold_builder *s, const struct allfold_problem *problem,
                      const struct tree *tree);

/* Writes the broadcast: each rank receives `all` from its parent and sends it to its children, the
 * first level first. */
void allfold_walk_down(struct allfold_builder *s, const struct tree *tree, struct allfold_span all);

/* Writes a reduction to rank 0 and a broadcast, so that all ranks have the result in OUT. For
 * descriptors. */
void allfold_build_up_and_down(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_up_and_down(const struct allfold_problem *problem,
                                               const struct allfold_parameters *parameters);

#endif
