/* Node-aware parallel allreduce: Bienz et al. 2019, section III (Algorithm 1, corrected, and
 * section III A for any number of nodes; see node_aware.h).
 *
 * An allreduce on each node, then ceil(log_ppn nodes) steps. In a step, local rank i of a node in
 * part A exchanges the node's sum with local rank A of a node in part i. The next allreduce on the
 * node sums the received vectors; rank A contributes its own part's sum. If part i has no node at
 * this position, its idle rank i of position A sends. With an inner smp there are three levels:
 * sockets, nodes, all.
 *
 * Invariant: local rank i contributes the sum over part i, in the order of the nodes, and a sum
 * that was sent is contributed only by its receiver. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "algorithms/node_aware.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { NODE };

/* `sees` also does the first allreduce, whose sum is of one node alone. */
static struct partial_allreduce parts_of(const struct allfold_parameters *parameters)
{
    const struct allfold_named node = allfold_named(parameters, NODE);
    const bool needs_sockets = (node.algorithm->needs & ALLFOLD_NEEDS_NODES) != 0;
    return (struct partial_allreduce){
        node, needs_sockets ? allfold_with_presets(&allfold_allreduce_flat) : node};
}

/* Writes the exchange of local rank i; returns the span of its contribution. */
static struct allfold_span exchange_sums(struct allfold_builder *s,
                                         const struct allfold_nodes *nodes,
                                         const struct node_aware_step *step, int i,
                                         struct allfold_span sum, struct allfold_span tmp)
{
    const int a = step->part, q = step->place;
    if (i == a) {
        const int served = allfold_node_aware_served(step);
        if (served >= 0)
            send_to(s, allfold_rank_on(nodes, served, a), sum);
        return sum;
    }
    const int partner = allfold_node_aware_node(step, i, q);
    if (partner >= 0)
        exchange(s, allfold_rank_on(nodes, partner, a), sum, allfold_rank_on(nodes, partner, a),
                 tmp);
    else
        recv_from(s, allfold_rank_on(nodes, allfold_node_aware_node(step, i, a), i), tmp);
    return tmp;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct partial_allreduce by = parts_of(parameters);
    const int r = problem->group.index, node = nodes->node_of[r], i = nodes->index_of[r];
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n), tmp = scratch(s, n);

    allfold_build_on_node(s, problem, by.sees, n, span(ALLFOLD_IN, 0, n), out);
    for (int level = 1; level <= allfold_node_aware_steps(nodes->count, nodes->most); level++) {
        const struct node_aware_step step =
            allfold_node_aware_step(nodes->count, nodes->most, node, level);
        if (step.parts == 1)
            continue; /* the part is the group */
        const struct allfold_span mine =
            i < step.parts ? exchange_sums(s, nodes, &step, i, out, tmp) : out;
        allfold_build_partial_allreduce(s, problem, &by, step.parts, mine);
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct partial_allreduce by = parts_of(parameters);
    const int ppn = nodes->most, steps = allfold_node_aware_steps(nodes->count, ppn);
    const size_t n = problem->count;
    const int most = nodes->count < ppn ? nodes->count : ppn; /* parts; one is the node's own */
    struct allfold_claim claim = {.sent = (size_t)steps * n,
                                  .is_bound = true,
                                  .far_lanes = (unsigned)(most > 2 ? most - 1 : 1)};
    allfold_add_claim_of_nodes(&claim, problem, by.sees, 0, n);
    for (int level = 1; level <= steps; level++) {
        const struct node_aware_parts parts = allfold_node_aware_parts(nodes->count, ppn, level);
        allfold_add_partial_claim(&claim, problem, &by, parts.least, parts.most);
    }
    claim.rounds += claim.far_rounds = (size_t)steps;
    claim.messages += (size_t)steps;
    claim.far_sent = allfold_node_aware_sent(nodes->count, ppn) * n;
    return claim;
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    if (!allfold_nodes_are_like(nodes) || nodes->most < 2)
        return "as many ranks on each node, two at least";
    const struct partial_allreduce by = parts_of(parameters);
    const char *unmet = allfold_unmet_blocks(problem);
    return unmet == NULL ? allfold_partial_unmet(problem, &by) : unmet;
}

const struct allfold_algorithm allfold_allreduce_nap = {
    .name = "nap",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Bienz et al. 2019, section III",
    .summary = "the ranks of a node exchange with as many other nodes at once, log_ppn nodes times",
    .use = "short vectors on many nodes of like size: fewest messages between nodes in a row",
    .needs = ALLFOLD_NEEDS_NODES,
    .consistent = true,
    .is_inner = true, /* of a reduce or barrier */
    .keeps_tree = allfold_like_nodes_keep_tree,
    .parameters = {ALLFOLD_INNER_ON_NODE("the allreduce on a node", &allfold_allreduce_flat)},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
