/* SMP broadcast: the second half of the SMP allreduce of Bienz et al. 2019, section II.
 *
 * The root broadcasts to the leader of each node, and the leaders broadcast on their nodes. The
 * leaders are chosen as in reduce_smp.c, whose `back` this is. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "schedule/verbs.h"

enum { NODE = ALLFOLD_SMP_NODE, LEADERS = ALLFOLD_SMP_LEADERS };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, root = problem->root, node = nodes->node_of[r];
    const int of_root = nodes->index_of[root], lane = allfold_smp_lane(problem);
    const int first = nodes->node_of[root];
    const size_t n = problem->count;
    const struct allfold_group own = allfold_node_group(nodes, r);
    const struct allfold_group leaders = allfold_lane_group(nodes, lane, node);
    const bool is_leader = own.index == lane, begins = is_leader && node == first;
    const struct allfold_span none = span(ALLFOLD_OUT, 0, 0);
    const struct allfold_span all = span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, n);

    /* a root that is not the leader is like other ranks of its node, and receives nothing */
    const int node_root = node == first && of_root != lane ? of_root : lane;
    if (r == root && !is_leader)
        send_to(s, leaders.ranks[first], all);
    if (begins && r != root)
        recv_from(s, root, all);
    if (is_leader)
        allfold_build_between_nodes(s, problem,
                                    &(struct inner){.named = allfold_named(parameters, LEADERS),
                                                    .group = leaders,
                                                    .root = first,
                                                    .count = n,
                                                    .in = begins ? all : none,
                                                    .out = begins ? none : all});
    /* the root's node: all but the leader, who has it, get it from the root */
    const bool gives = own.index == node_root;
    const bool has_own = node == first && of_root != lane && is_leader;
    const struct allfold_span again = has_own ? scratch(s, n) : all;
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, NODE),
                                        .group = own,
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .root = node_root,
                                        .count = n,
                                        .in = gives ? all : none,
                                        .out = gives ? none : again});
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return allfold_smp_claim(problem, allfold_named(parameters, NODE),
                             allfold_named(parameters, LEADERS));
}

const struct allfold_algorithm allfold_bcast_smp = {
    .name = "smp",
    .collective = ALLFOLD_BCAST,
    .source = "Bienz et al. 2019, section II",
    .summary = "broadcast to one rank of each node, and on each node",
    .use =
        "several nodes of any size, any root: the vector goes once to each node; with a chain of "
        "leaders long ones, as no node then sends it twice",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_INNER_ON_NODE("the broadcast on a node", &allfold_bcast_flat),
                   ALLFOLD_INNER("leaders", "the broadcast among the leaders",
                                 &allfold_bcast_binomial_tree)},
    .build = build,
    .claim = claim,
    .unmet = allfold_smp_unmet,
};
