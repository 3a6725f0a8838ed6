/* Multi-lane reduce: Traeff and Hunold, arXiv 1910.13373.
 *
 * A reduce-scatter on each node gives its i-th rank block i. The i-th ranks of all nodes, lane i,
 * reduce block i to the root's node, whose ranks send their blocks to the root. So all ranks of a
 * node share the traffic between nodes. All nodes must have the same number of ranks.
 *
 * Invariant: as in allreduce_multilane.c. */
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
    const int last = nodes->node_of[root];
    const bool is_root = r == root, is_last = node == last;
    const size_t n = problem->count;
    const struct allfold_group own = allfold_node_group(nodes, r);
    const int lanes = own.size, lane = own.index;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, is_root ? n : 0);
    const size_t length = block_length(n, lanes, lane);
    const struct allfold_span mine = scratch(s, length);
    const struct allfold_span none = part(mine, 0, 0);
    const struct allfold_span result = is_root   ? allfold_blocks_in(out, lanes, lane, 1)
                                       : is_last ? scratch(s, length)
                                                 : none;

    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, NODE),
                                        .group = own,
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .count = n,
                                        .in = span(ALLFOLD_IN, 0, n),
                                        .out = mine});
    allfold_build_between_nodes(s, problem,
                                &(struct inner){.named = allfold_named(parameters, LANES),
                                                .group = allfold_lane_group(nodes, lane, node),
                                                .root = last,
                                                .count = length,
                                                .in = mine,
                                                .out = result});
    if (is_last && !is_root)
        send_to(s, root, result);
    for (int i = 0; i < lanes; i++)
        if (is_root && i != lane)
            recv_from(s, own.ranks[i], allfold_blocks_in(out, lanes, i, 1));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int lanes = nodes->most;
    const size_t n = problem->count;
    struct allfold_claim claim = {.rounds = lanes > 1,
                                  .sent = lanes > 1 ? ceil_divide(n, (size_t)lanes) : 0,
                                  .got = n - n / (size_t)lanes,
                                  .ports = (unsigned)lanes - 1,
                                  .divisor = 1,
                                  .is_bound = true};
    allfold_add_claim_of_nodes(&claim, problem, allfold_named(parameters, NODE), 0, n);
    allfold_add_far_claim(&claim, problem, allfold_named(parameters, LANES), lanes,
                          nodes->node_of[problem->root], ceil_divide(n, (size_t)lanes));
    return claim;
}

const struct allfold_algorithm allfold_reduce_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_REDUCE,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary = "reduce-scatter on each node, a reduce of each block to the root's node, a gather",
    .use = "long vectors on several nodes of as many ranks each: all ranks of a node share what it "
           "sends; the longest ones rotating_tree and smp with pipelines",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .keeps_tree = allfold_nodes_keep_tree,
    .parameters = {ALLFOLD_INNER_ON_NODE("the reduce-scatter on a node",
                                         &allfold_reduce_scatter_block_flat),
                   ALLFOLD_INNER("lanes", "the reduce of a lane", &allfold_reduce_binomial_tree)},
    .build = build,
    .claim = claim,
    .unmet = allfold_lanes_of_root_unmet,
};
