/* Multi-lane broadcast: Traeff and Hunold, arXiv 1910.13373.
 *
 * The root sends block i to the i-th rank of its node. The i-th ranks of all nodes, lane i,
 * broadcast block i. Then each node does an allgather. So all ranks of a node share the traffic
 * between nodes. All nodes must have the same number of ranks. The root, which has the vector,
 * receives it again in the allgather.
 *
 * Invariant: before the allgather a rank has its lane's block at its offset in OUT, the root in IN.
 */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { NODE = ALLFOLD_BY_LANES_NODE, LANES = ALLFOLD_BY_LANES_LANE };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, root = problem->root, node = nodes->node_of[r];
    const int first = nodes->node_of[root];
    const bool is_root = r == root, is_first = node == first;
    const struct allfold_group own = allfold_node_group(nodes, r);
    const int lanes = own.size, lane = own.index;
    const struct allfold_span all = span(is_root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count);
    const struct allfold_span block = allfold_blocks_in(all, lanes, lane, 1),
                              none = part(all, 0, 0);

    for (int i = 0; i < lanes; i++)
        if (is_root && i != lane)
            send_to(s, own.ranks[i], allfold_blocks_in(all, lanes, i, 1));
    if (is_first && !is_root)
        recv_from(s, root, block);
    allfold_build_between_nodes(s, problem,
                                &(struct inner){.named = allfold_named(parameters, LANES),
                                                .group = allfold_lane_group(nodes, lane, node),
                                                .root = first,
                                                .count = block.length,
                                                .in = is_first ? block : none,
                                                .out = is_first ? none : block});
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, NODE),
                                        .group = own,
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .count = problem->count,
                                        .in = block,
                                        .out = is_root ? scratch(s, problem->count) : all});
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int lanes = nodes->most;
    const size_t n = problem->count;
    struct allfold_claim claim = {.rounds = lanes > 1,
                                  .sent = n - n / (size_t)lanes,
                                  .ports = (unsigned)lanes - 1,
                                  .divisor = 1,
                                  .is_bound = true};
    allfold_add_far_claim(&claim, problem, allfold_named(parameters, LANES), lanes,
                          nodes->node_of[problem->root], ceil_divide(n, (size_t)lanes));
    allfold_add_claim_of_nodes(&claim, problem, allfold_named(parameters, NODE), 0, n);
    return claim;
}

const struct allfold_algorithm allfold_bcast_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_BCAST,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary =
        "blocks to the root's node, a broadcast of each between the nodes, allgather on each",
    .use = "long vectors on several nodes of as many ranks each: all ranks of a node share what it "
           "sends; the longest ones smp with pipelines",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .parameters = {ALLFOLD_INNER_ON_NODE("the allgather on a node", &allfold_allgather_flat),
                   ALLFOLD_INNER("lanes", "the broadcast of a lane", &allfold_bcast_binomial_tree)},
    .build = build,
    .claim = claim,
    .unmet = allfold_lanes_of_root_unmet,
};
