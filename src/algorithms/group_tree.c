/* Trees that follow groups of nodes (see group_tree.h). */
#include "algorithms/group_tree.h"

#include <assert.h>

#include "topology/nodes.h"

/* Some that are joined by a binomial tree: the ranks of a node, the nodes of a group, ..., or all
 * groups of the highest level. */
struct circle {
    int size, index;  /* this rank's, or that of what it leads */
    int root_index;   /* of what the root is in; -1: it is elsewhere */
    const int *ranks; /* the lowest of each */
};

static struct circle circle_of(const struct allfold_nodes *at, int unit, int root_unit)
{
    const int group = at->node_of[unit];
    const bool has_root = root_unit >= 0 && at->node_of[root_unit] == group;
    return (struct circle){.size = allfold_node_size(at, group),
                           .index = at->index_of[unit],
                           .root_index = has_root ? at->index_of[root_unit] : -1,
                           .ranks = at->members + at->first[group]};
}

/* Joins a circle's tree to the one above, whose children come first. */
static void join(struct tree *tree, const struct circle *circle, int root)
{
    const int leads = circle->root_index < 0 ? 0 : circle->root_index;
    const struct tree own = allfold_tree(tree->builder, circle->size, leads, circle->index);
    if (own.parent >= 0)
        tree->parent = own.parent == circle->root_index ? root : circle->ranks[own.parent];
    for (int i = 0; i < own.child_count; i++) {
        assert(own.children[i].rank != circle->root_index);
        allfold_tree_add(tree, (struct tree_child){.rank = circle->ranks[own.children[i].rank],
                                                   .level = tree->child_count});
    }
}

/* Adds what of the tree lies at this level and above. Here `unit` is what rank r leads, or r itself
 * on the nodes. The same of the root is `root_unit`, or -1 where each highest group has its own
 * tree. */
static void climb(struct tree *tree, const struct allfold_nodes *at, int unit, int root,
                  int root_unit)
{
    const struct circle circle = circle_of(at, unit, root_unit);
    const bool leads = circle.index == (circle.root_index < 0 ? 0 : circle.root_index);
    const int group = at->node_of[unit], root_group = root_unit < 0 ? -1 : at->node_of[root_unit];
    if (leads && at->groups != NULL)
        climb(tree, at->groups, group, root, root_group);
    else if (leads && root >= 0)
        join(tree, &(struct circle){at->count, group, root_group, at->leaders}, root);
    join(tree, &circle, root);
}

struct tree allfold_group_tree(struct allfold_builder *s, const struct allfold_nodes *nodes,
                               int root, int r)
{
    struct tree tree = allfold_tree_begin(s);
    climb(&tree, nodes, r, root, root);
    return tree;
}

struct tree allfold_group_tree_below(struct allfold_builder *s, const struct allfold_nodes *nodes,
                                     int r)
{
    struct tree tree = allfold_tree_begin(s);
    climb(&tree, nodes, r, -1, -1);
    return tree;
}

const struct allfold_nodes *allfold_highest_groups(const struct allfold_nodes *nodes)
{
    while (nodes->groups != NULL)
        nodes = nodes->groups;
    return nodes;
}

size_t allfold_group_tree_rounds(const struct allfold_nodes *nodes, size_t *near)
{
    size_t rounds = 0;
    *near = (size_t)ceil_log2(nodes->most);
    for (; nodes != NULL; nodes = nodes->groups)
        rounds += (size_t)ceil_log2(nodes->most);
    return rounds;
}

const char *allfold_unmet_nested_blocks(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters)
{
    (void)parameters;
    if (problem->commutative || allfold_nodes_are_nested_blocks(problem->nodes))
        return NULL;
    return "a commutative operation, or the ranks of each node and group next to each other";
}

struct allfold_claim allfold_claim_group_tree(const struct allfold_problem *problem,
                                              const struct allfold_parameters *parameters)
{
    (void)parameters;
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t n = problem->count;
    const bool reduces = allfold_traits(problem->collective)->reduces;
    size_t near, rounds = allfold_group_tree_rounds(nodes, &near);
    rounds += (size_t)ceil_log2(allfold_highest_groups(nodes)->count);
    return (struct allfold_claim){
        .rounds = rounds,
        .sent = reduces ? n : rounds * n,
        .got = reduces ? rounds * n : 0,
        .reduced = reduces ? rounds * n : 0,
        .is_bound = true,
        .far_rounds = rounds - near,
        .far_sent = (rounds - near) * n,
        .far_lanes = 1,
    };
}
