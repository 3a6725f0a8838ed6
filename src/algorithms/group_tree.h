/* A tree over ranks that follows the groups of their nodes. Each node, each group of nodes and so
 * on up has a binomial tree of peers.h. The one who leads a group stands for it above. Pure
 * functions.
 *
 * So all messages but one of a group stay inside of it, on every level: no tree crosses the links
 * of a level less often.
 *
 * Invariant: where nodes and groups are in blocks (nodes.h), a subtree covers neighboring ranks.
 */
#ifndef ALLFOLD_ALGORITHMS_GROUP_TREE_H
#define ALLFOLD_ALGORITHMS_GROUP_TREE_H

#include "algorithms/algorithm.h"
#include "algorithms/trees.h"

/* The whole tree as rank r sees it. The root leads each group that it is in; elsewhere the lowest
 * rank leads. Children are those of the highest level first, which have the deepest subtrees. */
struct tree allfold_group_tree(struct allfold_builder *s, const struct allfold_nodes *nodes,
                               int root, int r);

/* One such tree for each group of the highest level, led by its lowest rank: parent is -1 there. */
struct tree allfold_group_tree_below(struct allfold_builder *s, const struct allfold_nodes *nodes,
                                     int r);

/* The groups of the highest level, or the nodes where there are no groups. */
const struct allfold_nodes *allfold_highest_groups(const struct allfold_nodes *nodes);

/* The most rounds that such a tree below the highest groups takes, one way, with one message at a
 * time. No rank has more children there. *near is those of them on the nodes. */
size_t allfold_group_tree_rounds(const struct allfold_nodes *nodes, size_t *near);

/* Where operations do not commute, the ranks of each node and group have to be next to each other;
 * in words, or NULL. For the `unmet` of descriptors. */
const char *allfold_unmet_nested_blocks(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters);

/* What a reduce or a broadcast over the whole tree claims. The `sent` of a broadcast, the `got` of
 * a reduce, is what the busiest rank has to do with its children. For the `claim` of
 * descriptors. */
struct allfold_claim allfold_claim_group_tree(const struct allfold_problem *problem,
                                              const struct allfold_parameters *parameters);

#endif
