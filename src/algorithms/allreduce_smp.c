/* SMP allreduce: Bienz et al. 2019, section II (the node-aware algorithm that they compare with).
 *
 * The ranks of a node reduce to their leader, the lowest rank; the leaders do an allreduce; each
 * leader broadcasts the result on its node. So one rank of a node communicates with other nodes.
 *
 * Invariant: nodes are in the order of their leaders. So operands stay in rank order if the ranks
 * of each node are consecutive. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "schedule/verbs.h"

enum { NODE = ALLFOLD_SMP_NODE, LEADERS = ALLFOLD_SMP_LEADERS };

static struct allfold_named bcast_for(const struct allfold_parameters *parameters)
{
    return allfold_way_back(allfold_named(parameters, NODE));
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, node = nodes->node_of[r];
    const bool is_leader = nodes->index_of[r] == 0;
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n), none = span(ALLFOLD_OUT, 0, 0);

    allfold_build_on_node(s, problem, allfold_named(parameters, NODE), n, span(ALLFOLD_IN, 0, n),
                          is_leader ? out : none);
    if (is_leader)
        allfold_build_between_nodes(s, problem,
                                    &(struct inner){.named = allfold_named(parameters, LEADERS),
                                                    .group = allfold_leader_group(nodes, node),
                                                    .count = n,
                                                    .in = out,
                                                    .out = out});
    allfold_build_on_node(s, problem, bcast_for(parameters), n, is_leader ? out : none,
                          is_leader ? none : out);
}

/* A leader of the node that takes most. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    struct allfold_claim claim = allfold_smp_claim(problem, allfold_named(parameters, NODE),
                                                   allfold_named(parameters, LEADERS));
    allfold_add_claim_of_nodes(&claim, problem, bcast_for(parameters), 0, problem->count);
    return claim;
}

const struct allfold_algorithm allfold_allreduce_smp = {
    .name = "smp",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Bienz et al. 2019, section II",
    .summary = "reduce on each node, allreduce among the nodes' leaders, broadcast on each node",
    .use = "short vectors on several nodes of any size, also unlike ones: as few messages between "
           "nodes as there can be of one rank each; nap sends fewer one after the other",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .keeps_tree = allfold_nodes_keep_tree,
    .is_inner = true,
    .parameters = {ALLFOLD_INNER_ON_NODE("the reduce on a node; the broadcast is its counterpart",
                                         &allfold_reduce_flat),
                   ALLFOLD_INNER("leaders", "the allreduce among the leaders",
                                 &allfold_allreduce_recursive_doubling)},
    .build = build,
    .claim = claim,
    .unmet = allfold_smp_unmet,
};
