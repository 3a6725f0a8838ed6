/* Reduce over a tree that follows the groups of nodes. Not from a paper.
 *
 * Whole vectors go up: on each node to one rank, in each group of nodes to one of these ranks, and
 * so on. Finally they go between the highest groups to the root.
 *
 * Invariant: if nodes and groups are in blocks, a rank has the reduction over consecutive ranks
 * after each child, so operands stay in rank order. */
#include "algorithms/group_tree.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const struct tree tree =
        allfold_group_tree(s, problem->nodes, problem->root, problem->group.index);
    allfold_build_up(s, problem, &tree);
}

const struct allfold_algorithm allfold_reduce_group_tree = {
    .name = "group_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "Allfold itself",
    .summary = "up a tree on each node, in each group of nodes, and between groups",
    .use =
        "short vectors where it is known which nodes share a switch: one message a group crosses "
        "the links between groups, whatever the placement; else smp",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_GROUPS,
    .consistent = true,
    .build = build,
    .claim = allfold_claim_group_tree,
    .unmet = allfold_unmet_nested_blocks,
};
