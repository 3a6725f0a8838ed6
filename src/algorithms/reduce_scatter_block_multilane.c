/* Multi-lane reduce-scatter: Traeff and Hunold, arXiv 1910.13373; the reverse of
 * allgather_multilane.c.
 *
 * On each node a reduce-scatter gives each rank the node's sums for its lane, the ranks with the
 * same local index on their nodes. Then each lane does a reduce-scatter. So all ranks of a node
 * share the traffic between nodes, which is at most one vector. All nodes must have the same number
 * of ranks.
 *
 * Invariant: before the second part rank i of a node has its node's sums of the blocks of lane i,
 * in the order of the nodes. So operands stay in rank order if the ranks of each node are
 * consecutive. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/composed.h"
#include "algorithms/lane_order.h"
#include "schedule/verbs.h"

void allfold_scatter_multilane(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, node = nodes->node_of[r];
    struct lane_order order;
    if (!allfold_lane_order_make(s, problem, &order))
        return;
    const struct allfold_span all = allfold_by_lanes(s, &order, ALLFOLD_IN);
    const struct allfold_span mine = scratch(s, order.length);

    allfold_to_lanes(s, &order, ALLFOLD_IN, all);
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, ALLFOLD_BY_LANES_NODE),
                                        .group = allfold_node_group(nodes, r),
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .count = all.length,
                                        .in = all,
                                        .out = mine,
                                        .begins = order.lanes});
    allfold_build_between_nodes(
        s, problem,
        &(struct inner){.named = allfold_named(parameters, ALLFOLD_BY_LANES_LANE),
                        .group = allfold_lane_group(nodes, nodes->index_of[r], node),
                        .count = mine.length,
                        .in = mine,
                        .out = span(ALLFOLD_OUT, 0, allfold_block_length(problem, r)),
                        .begins = order.nodes});
    allfold_lane_order_free(&order);
}

struct allfold_claim allfold_scatter_multilane_claim(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    struct allfold_claim claim = {
        .divisor = 1, .is_bound = true, .copied = allfold_lane_copies(problem)};
    allfold_add_claim_of_nodes(&claim, problem, allfold_named(parameters, ALLFOLD_BY_LANES_NODE), 0,
                               (size_t)nodes->most * allfold_longest_lane(problem));
    allfold_add_far_claim(&claim, problem, allfold_named(parameters, ALLFOLD_BY_LANES_LANE),
                          nodes->most, 0, (size_t)nodes->count * problem->count);
    if (problem->begins != NULL) /* the parts above are taken for longer than they may be */
        claim.copied = allfold_lane_copies(problem);
    return claim;
}

const struct allfold_algorithm allfold_reduce_scatter_block_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary = "a reduce-scatter on each node to those who need it, and one of each lane between "
               "the nodes",
    .use = "several nodes of as many ranks each: the least that a node can send, shared by all its "
           "ranks; blocks are copied once more, unless ranks are dealt out",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .keeps_tree = allfold_nodes_keep_tree,
    .is_inner = true,
    .back = &allfold_allgather_multilane,
    .parameters = {ALLFOLD_INNER_ON_NODE("the reduce-scatter on a node",
                                         &allfold_reduce_scatter_block_flat),
                   ALLFOLD_INNER("lanes", "the reduce-scatter of a lane",
                                 &allfold_reduce_scatter_block_circulant)},
    .build = allfold_scatter_multilane,
    .claim = allfold_scatter_multilane_claim,
    .unmet = allfold_by_lanes_unmet,
};
