/* Multi-lane allreduce: Traeff and Hunold, arXiv 1910.13373.
 *
 * A reduce-scatter on each node gives every rank a block. The ranks of a lane, which have the same
 * local index on their nodes, do an allreduce of their blocks. Then each node does an allgather. So
 * all ranks of a node share the traffic between nodes. Ranks without a lane are handled in
 * lane_allreduce.h.
 *
 * Invariant: the ranks of a block's lane have the reductions of that block on their nodes. */
#include "algorithms/all.h"
#include "algorithms/lane_allreduce.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { NODE, LANES };

struct lane_parts {
    struct allfold_named scatter, allreduce, gather;
};

static struct lane_parts parts_of(const struct allfold_parameters *parameters)
{
    const struct allfold_named scatter = allfold_named(parameters, NODE);
    return (struct lane_parts){scatter, allfold_named(parameters, LANES),
                               allfold_way_back(scatter)};
}

static void build_lane(struct allfold_builder *s, const struct lane_rank *of,
                       const struct allfold_parameters *parameters)
{
    const struct lane_parts parts = parts_of(parameters);
    const int lanes = of->node.size, lane = of->node.index;
    const size_t n = of->problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span block = allfold_blocks_in(out, lanes, lane, 1);
    const struct inner there = {parts.scatter, of->node, of->sockets, 0, n, of->mine, block, NULL};
    const struct inner lane_of = {parts.allreduce, of->lane, NULL,  0,
                                  block.length,    block,    block, NULL};
    const struct inner back = {parts.gather, of->node, of->sockets, 0, n, block, out, NULL};
    allfold_build_inner(s, of->problem, &there);
    allfold_build_between_nodes(s, of->problem, &lane_of);
    allfold_build_inner(s, of->problem, &back);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    allfold_serve_lanes(s, problem, build_lane, parameters);
}

/* Where nodes differ, only ranks with a lane take part, and they know no sockets. */
static void add_on_nodes(struct allfold_claim *claim, const struct allfold_problem *problem,
                         struct allfold_named named)
{
    const size_t n = problem->count;
    if (allfold_nodes_are_like(problem->nodes))
        allfold_add_claim_of_nodes(claim, problem, named, 0, n);
    else
        allfold_add_claim(claim, problem, named, problem->nodes->least, n, NULL);
}

static const char *unmet_on_nodes(const struct allfold_problem *problem, struct allfold_named named)
{
    const size_t n = problem->count;
    return allfold_nodes_are_like(problem->nodes)
               ? allfold_inner_unmet_on_nodes(problem, named, n)
               : allfold_inner_unmet(problem, named, problem->nodes->least, n, NULL);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct lane_parts parts = parts_of(parameters);
    const size_t n = problem->count, lanes = (size_t)nodes->least;
    const size_t others = ceil_divide((size_t)nodes->most, lanes) - 1; /* that a rank serves */
    struct allfold_claim claim = {2 * others, others * n, others * n, 0, 1, .is_bound = true};
    add_on_nodes(&claim, problem, parts.scatter);
    allfold_add_far_claim(&claim, problem, parts.allreduce, nodes->least, 0, ceil_divide(n, lanes));
    add_on_nodes(&claim, problem, parts.gather);
    return claim;
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct lane_parts parts = parts_of(parameters);
    const size_t block = ceil_divide(problem->count, (size_t)nodes->least);
    if (!allfold_nodes_are_like(nodes) && !problem->commutative)
        return "a commutative operation, or as many ranks on each node";
    const char *unmet = allfold_unmet_blocks(problem);
    if (unmet == NULL)
        unmet = unmet_on_nodes(problem, parts.scatter);
    if (unmet == NULL)
        unmet = allfold_inner_unmet_between_nodes(problem, parts.allreduce, block);
    return unmet;
}

const struct allfold_algorithm allfold_allreduce_multilane = {
    .name = "multilane",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373",
    .summary = "reduce-scatter on each node, an allreduce of each block, allgather on each node",
    .use =
        "long vectors on several nodes: all ranks of a node share what it sends, which is least; "
        "nodes of unlike size cost whole vectors more; behind slow links multilane_bucket",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .keeps_tree = allfold_nodes_keep_tree,
    .parameters = {ALLFOLD_INNER_ON_NODE("the reduce-scatter on a node; the allgather is its like",
                                         &allfold_reduce_scatter_block_flat),
                   ALLFOLD_INNER("lanes", "the allreduce of a lane",
                                 &allfold_allreduce_recursive_doubling)},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
