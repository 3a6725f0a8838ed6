/* Broadcast over a tree that follows the groups of nodes. Not from a paper.
 *
 * It uses the reduce's tree from the root to the leaves: first between the highest groups, then
 * within them, and finally on the nodes. */
#include "algorithms/group_tree.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int r = problem->group.index, root = problem->root;
    const struct tree tree = allfold_group_tree(s, problem->nodes, root, r);
    allfold_walk_down(s, &tree, span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count));
}

const struct allfold_algorithm allfold_bcast_group_tree = {
    .name = "group_tree",
    .collective = ALLFOLD_BCAST,
    .source = "Allfold itself",
    .summary = "down a tree between groups of nodes, in each group, and on each node",
    .use =
        "short vectors where it is known which nodes share a switch: one message a group crosses "
        "the links between groups, whatever the placement; else smp",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_GROUPS,
    .consistent = true,
    .build = build,
    .claim = allfold_claim_group_tree,
};
