/* Multi-lane allreduce: Traeff and Hunold, arXiv 1910.13373.
 *
 * A reduce-scatter on each node gives every rank a block; ranks with the same number on their
 * nodes, a lane, do an allreduce of theirs; an allgather on each node. So all ranks of a node share
 * the traffic between nodes. There are as many lanes as the emptiest node has ranks; on a fuller
 * one each further rank gives its vector to one that has a lane first, and gets the result at the
 * end.
 *
 * Invariant: a block's lane has the reduction of it on each node. */
#include "algorithms/lanes.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { NODE, LANES };

static struct lane_parts parts_of(const struct allfold_parameters *parameters)
{
    const struct allfold_algorithm *scatter = allfold_inner_scatters[parameters->value[NODE]];
    return (struct lane_parts){
        .scatter = scatter,
        .allreduce = allfold_inner_allreduces[parameters->value[LANES]],
        .gather = allfold_way_back(scatter),
    };
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct lane_parts parts = parts_of(parameters);
    const int lanes = nodes->least;
    const size_t n = problem->count;
    const struct allfold_group node = allfold_node_group(nodes, problem->group.index);
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_frame outer = allfold_frame_enter(s, &node, in, out);

    if (node.index >= lanes) {
        send_to(s, node.index % lanes, in);
        recv_from(s, node.index % lanes, out);
    } else {
        allfold_build_lane(s, problem, &parts, node, allfold_take_others(s, &node, lanes, n));
        for (int i = node.index + lanes; i < node.size; i += lanes)
            send_to(s, i, out);
    }
    allfold_frame_leave(s, outer);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct lane_parts parts = parts_of(parameters);
    const size_t n = problem->count, lanes = (size_t)nodes->least;
    const size_t others = ceil_divide((size_t)nodes->most, lanes) - 1; /* that a rank serves */
    struct allfold_claim claim = {.rounds = 2 * others,
                                  .sent = others * n,
                                  .reduced = others * n,
                                  .divisor = 1,
                                  .is_bound = true};
    allfold_add_claim(&claim, problem, parts.scatter, nodes->least, n);
    allfold_add_claim(&claim, problem, parts.allreduce, nodes->count, ceil_divide(n, lanes));
    allfold_add_claim(&claim, problem, parts.gather, nodes->least, n);
    return claim;
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct lane_parts parts = parts_of(parameters);
    const size_t n = problem->count, block = ceil_divide(n, (size_t)nodes->least);
    if (nodes->least != nodes->most && !problem->commutative)
        return "a commutative operation, or as many ranks on each node";
    const char *unmet = allfold_unmet_blocks(problem);
    if (unmet == NULL)
        unmet = allfold_inner_unmet(problem, parts.scatter, nodes->least, n);
    if (unmet == NULL)
        unmet = allfold_inner_unmet(problem, parts.allreduce, nodes->count, block);
    return unmet;
}

const struct allfold_algorithm allfold_allreduce_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary = "reduce-scatter on each node, an allreduce of each block, allgather on each node",
    .use =
        "long vectors on several nodes: all ranks of a node share what it sends, which is least; "
        "nodes of unlike size cost whole vectors more on the node",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .only_forced = true,
    .parameters = {{.name = "node",
                    .unit = "",
                    .meaning = "the reduce-scatter on a node; the allgather is its like",
                    .maximum = ALLFOLD_INNER_SCATTERS - 1,
                    .choices = allfold_inner_scatters,
                    .tried = {0, 1, 3},
                    .tried_count = 3},
                   {.name = "lanes",
                    .unit = "",
                    .meaning = "the allreduce of a lane",
                    .maximum = ALLFOLD_INNER_ALLREDUCES - 1,
                    .choices = allfold_inner_allreduces,
                    .tried = {0, 2},
                    .tried_count = 2}},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
