/* A tree over ranks that follows the groups of their nodes. Each node, each group of nodes and each
 * higher group has a binomial tree (trees.h), whose root is the leader of the group. Pure
 * functions.
 *
 * So all messages of a group except one stay inside of it, on every level: no tree crosses the
 * links of a level less often.
 *
 * Invariant: if nodes and groups are in blocks (nodes.h), a subtree covers consecutive ranks. */
#ifndef ALLFOLD_ALGORITHMS_GROUP_TREE_H
#define ALLFOLD_ALGORITHMS_GROUP_TREE_H

#include "algorithms/algorithm.h"
#include "algorithms/trees.h"

/* Returns the whole tree as rank r sees it. The root leads each group that contains it; other
 * groups are led by their lowest rank. Children are in descending order of levels, because those of
 * the highest level have the deepest subtrees. */
struct tree allfold_group_tree(struct allfold_builder *s, const struct allfold_nodes *nodes,
                               int root, int r);

/* Returns one such tree for each group of the highest level, led by its lowest rank, whose parent
 * is -1. */
struct tree allfold_group_tree_below(struct allfold_builder *s, const struct allfold_nodes *nodes,
                                     int r);

/* Returns the groups of the highest level, or the nodes if there are no groups. */
const struct allfold_nodes *allfold_highest_groups(const struct allfold_nodes *nodes);

/* Returns the maximum number of rounds of such a tree below the highest groups, in one direction,
 * with one message at a time. It is also the maximum number of children. *near is the part of it
 * within the nodes. */
size_t allfold_group_tree_rounds(const struct allfold_nodes *nodes, size_t *near);

/* Returns the need that the ranks of each node and group are consecutive, if the operation is not
 * commutative and they are not; otherwise NULL. For the `unmet` of descriptors. */
const char *allfold_unmet_nested_blocks(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters);

/* Returns the claim of a reduce or a broadcast over the whole tree. `sent` of a broadcast, `got` of
 * a reduce, is what the busiest rank exchanges with its children. For the `claim` of descriptors.
 */
struct allfold_claim allfold_claim_group_tree(const struct allfold_problem *problem,
                                              const struct allfold_parameters *parameters);

#endif
