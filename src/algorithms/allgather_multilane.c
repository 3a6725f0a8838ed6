/* Multi-lane allgather: Traeff and Hunold, arXiv 1910.13373.
 *
 * The ranks of a lane, which have the same local index on their nodes, do an allgather of their
 * blocks; then each node does an allgather of the blocks that its ranks have. So all ranks of a
 * node share the traffic between nodes. All nodes must have the same number of ranks.
 *
 * Invariant: rank i of a node contributes the blocks of lane i, in the order of the nodes. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "algorithms/lane_order.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, node = nodes->node_of[r];
    struct lane_order order;
    if (!allfold_lane_order_make(s, problem, &order))
        return;
    const struct allfold_span all = allfold_by_lanes(s, &order, ALLFOLD_OUT);
    const struct allfold_span mine = part(all, order.begin, order.length);

    allfold_build_between_nodes(
        s, problem,
        &(struct inner){.named = allfold_named(parameters, ALLFOLD_BY_LANES_LANE),
                        .group = allfold_lane_group(nodes, nodes->index_of[r], node),
                        .count = mine.length,
                        .in = span(ALLFOLD_IN, 0, allfold_block_length(problem, r)),
                        .out = mine,
                        .begins = order.nodes});
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, ALLFOLD_BY_LANES_NODE),
                                        .group = allfold_node_group(nodes, r),
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .count = all.length,
                                        .in = mine,
                                        .out = all,
                                        .begins = order.lanes});
    allfold_from_lanes(s, &order, ALLFOLD_OUT, all);
    allfold_lane_order_free(&order);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t lane_length = (size_t)nodes->count * problem->count;
    struct allfold_claim claim = {.divisor = 1, .is_bound = true};
    allfold_add_far_claim(&claim, problem, allfold_named(parameters, ALLFOLD_BY_LANES_LANE),
                          nodes->most, 0, lane_length);
    allfold_add_claim_of_nodes(&claim, problem, allfold_named(parameters, ALLFOLD_BY_LANES_NODE), 0,
                               (size_t)nodes->most * lane_length);
    return claim;
}

const struct allfold_algorithm allfold_allgather_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_ALLGATHER,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary = "an allgather of each lane between the nodes, and one on each node",
    .use = "several nodes of as many ranks each: a block goes once to each other node, and all "
           "ranks of a node share that; blocks are copied once more, unless ranks are dealt out",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_INNER_ON_NODE("the allgather on a node", &allfold_allgather_flat),
                   ALLFOLD_INNER("lanes", "the allgather of a lane", &allfold_allgather_circulant)},
    .build = build,
    .claim = claim,
    .unmet = allfold_by_lanes_unmet,
};
