/* Broadcast over edge-disjoint spanning trees, for direct networks: see allreduce_disjoint_trees.c.
 *
 * Only the way down, with the root at the top of all trees. So the root sends over all its cables
 * that are in trees at the same time. */
#include "algorithms/algorithm.h"
#include "algorithms/disjoint_trees.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct disjoint_ways ways_of(const struct allfold_problem *problem)
{
    return (struct disjoint_ways){.down = true, .root = problem->root};
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const bool is_root = problem->group.index == problem->root;
    allfold_disjoint_build(s, problem, ways_of(problem), parameters->value[SEGMENT],
                           span(is_root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return allfold_disjoint_claim(problem, ways_of(problem), parameters->value[SEGMENT]);
}

const struct allfold_algorithm allfold_bcast_disjoint_trees = {
    .name = "disjoint_trees",
    .collective = ALLFOLD_BCAST,
    .source = "Roskind and Tarjan 1985, for the trees",
    .summary = "parts down spanning trees of the network that share no cable",
    .use = "long vectors where nodes are linked directly, as in a torus; any root; inside smp with "
           "several ranks a node; elsewhere pipelined_circulant",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_CABLES,
    .consistent = true,
    .is_inner = true, /* between nodes of several ranks */
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = build,
    .claim = claim,
    .unmet = allfold_disjoint_unmet,
};
