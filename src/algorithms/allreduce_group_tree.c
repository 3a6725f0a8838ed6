/* Allreduce over trees that follow the groups of nodes. Not from a paper.
 *
 * Whole vectors go up a tree in each highest group, the groups' leaders do an allreduce, and the
 * result goes down the trees.
 *
 * Invariant: if nodes and groups are in blocks, a rank's reduction on the way up covers consecutive
 * ranks. Groups are in the order of their leaders, so operands stay in rank order. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "algorithms/group_tree.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

enum { TOP };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes, *highest = allfold_highest_groups(nodes);
    const int r = problem->group.index;
    const size_t n = problem->count;
    const struct tree tree = allfold_group_tree_below(s, nodes, r);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);

    int group = r;
    for (const struct allfold_nodes *at = nodes; at != NULL; at = at->groups)
        group = at->node_of[group];
    const struct allfold_span mine = allfold_walk_up(s, &tree, r, n, out);
    if (tree.parent < 0)
        allfold_build_inner(s, problem,
                            &(struct inner){.named = allfold_named(parameters, TOP),
                                            .group = allfold_leader_group(highest, group),
                                            .count = n,
                                            .in = mine,
                                            .out = out});
    allfold_walk_down(s, &tree, out);
}

/* A leader of a highest group. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t n = problem->count;
    size_t near;
    const size_t below = allfold_group_tree_rounds(problem->nodes, &near);
    struct allfold_claim claim = {
        .rounds = 2 * below, .sent = below * n, .reduced = below * n, .is_bound = true};
    allfold_add_claim(&claim, problem, allfold_named(parameters, TOP),
                      allfold_highest_groups(problem->nodes)->count, n, NULL);
    claim.far_rounds = claim.rounds - 2 * near;
    claim.far_sent = allfold_claim_carried(&claim) - near * n;
    claim.far_lanes = 1;
    return claim;
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    const char *blocks = allfold_unmet_nested_blocks(problem, parameters);
    return blocks != NULL ? blocks
                          : allfold_inner_unmet(problem, allfold_named(parameters, TOP),
                                                allfold_highest_groups(problem->nodes)->count,
                                                problem->count, NULL);
}

const struct allfold_algorithm allfold_allreduce_group_tree = {
    .name = "group_tree",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Allfold itself",
    .summary = "up a tree in each group of nodes, allreduce among the groups, and down again",
    .use = "where links between groups are all that counts: no allreduce has fewer messages there, "
           "whatever the placement; else renumbered",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_GROUPS,
    .consistent = true,
    .parameters = {ALLFOLD_INNER("top", "the allreduce among the highest groups",
                                 &allfold_allreduce_recursive_doubling)},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
