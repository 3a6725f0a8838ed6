/* Walks of whole vectors over a tree of trees.h: up to the root with reductions, down as they are.
 * Rabenseifner 2004, section 2.3. */
#ifndef ALLFOLD_ALGORITHMS_TREE_WALKS_H
#define ALLFOLD_ALGORITHMS_TREE_WALKS_H

#include "algorithms/algorithm.h"
#include "algorithms/trees.h"

/* Each rank reduces what its children send, the last level first, and sends the result to its
 * parent. It can receive from all children of a level at once, and from those of the next one.
 * Returns where the reduction over the subtree of rank r lies: `result`, or IN where r has no
 * children. */
struct allfold_span allfold_walk_up(struct allfold_builder *s, const struct tree *tree, int r,
                                    size_t n, struct allfold_span result);

/* A reduce over the tree, whose root is the problem's: its result lies in the root's OUT. */
void allfold_build_up(struct allfold_builder *s, const struct allfold_problem *problem,
                      const struct tree *tree);

/* Each rank receives `all` from its parent and sends it to its children, the first level first. */
void allfold_walk_down(struct allfold_builder *s, const struct tree *tree, struct allfold_span all);

/* Up to rank 0 and down again, so that all ranks have the reduction in OUT. For descriptors. */
void allfold_build_up_and_down(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_up_and_down(const struct allfold_problem *problem,
                                               const struct allfold_parameters *parameters);

#endif
