/* SMP reduce: the first half of the SMP allreduce of Bienz et al. 2019, section II.
 *
 * The ranks of a node reduce to their leader; the leaders reduce to the root. Leaders have the
 * root's local index on their nodes, so that the root is one of them. If a node has too few ranks,
 * the first rank of each node is its leader, and the root gets the result from its node's leader.
 *
 * Invariant: as in allreduce_smp.c. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "schedule/verbs.h"

enum { NODE = ALLFOLD_SMP_NODE, LEADERS = ALLFOLD_SMP_LEADERS };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, root = problem->root, node = nodes->node_of[r];
    const int lane = allfold_smp_lane(problem), last = nodes->node_of[root];
    const size_t n = problem->count;
    const struct allfold_group own = allfold_node_group(nodes, r);
    const struct allfold_group leaders = allfold_lane_group(nodes, lane, node);
    const bool is_leader = own.index == lane, ends = is_leader && node == last;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, r == root ? n : 0);
    const struct allfold_span sum = scratch(s, is_leader ? n : 0);
    const struct allfold_span result = r == root || !ends ? out : scratch(s, n);

    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, NODE),
                                        .group = own,
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .root = lane,
                                        .count = n,
                                        .in = span(ALLFOLD_IN, 0, n),
                                        .out = sum});
    if (is_leader)
        allfold_build_between_nodes(s, problem,
                                    &(struct inner){.named = allfold_named(parameters, LEADERS),
                                                    .group = leaders,
                                                    .root = last,
                                                    .count = n,
                                                    .in = sum,
                                                    .out = result});
    if (ends && r != root)
        send_to(s, root, result);
    if (r == root && !ends)
        recv_from(s, leaders.ranks[last], out);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return allfold_smp_claim(problem, allfold_named(parameters, NODE),
                             allfold_named(parameters, LEADERS));
}

const struct allfold_algorithm allfold_reduce_smp = {
    .name = "smp",
    .collective = ALLFOLD_REDUCE,
    .source = "Bienz et al. 2019, section II",
    .summary = "reduce on each node to one rank, and among these to the root",
    .use =
        "several nodes of any size, any root: each node sends one vector beyond it; with a chain "
        "of leaders long ones, as the root's node then gets one vector, too",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .is_inner = true, /* on the sockets of a node */
    .back = &allfold_bcast_smp,
    .keeps_tree = allfold_nodes_keep_tree,
    .parameters = {ALLFOLD_INNER_ON_NODE("the reduce on a node", &allfold_reduce_flat),
                   ALLFOLD_INNER("leaders", "the reduce among the leaders",
                                 &allfold_reduce_binomial_tree)},
    .build = build,
    .claim = claim,
    .unmet = allfold_smp_unmet,
};
