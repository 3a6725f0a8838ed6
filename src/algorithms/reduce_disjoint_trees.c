/* Reduce over edge-disjoint spanning trees, for direct networks: see allreduce_disjoint_trees.c.
 *
 * Only the way up, with the root at the top of all trees. So the root receives over all its cables
 * that are in trees at the same time.
 *
 * Invariant: a rank sends the reduction over its subtree up. Subtrees do not cover consecutive
 * ranks, so the operation has to be commutative. */
#include "algorithms/all.h"
#include "algorithms/disjoint_trees.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct disjoint_ways ways_of(const struct allfold_problem *problem)
{
    return (struct disjoint_ways){.up = true, .root = problem->root};
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const bool is_root = problem->group.index == problem->root;
    allfold_disjoint_build(s, problem, ways_of(problem), parameters->value[SEGMENT],
                           span(ALLFOLD_OUT, 0, is_root ? problem->count : 0));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return allfold_disjoint_claim(problem, ways_of(problem), parameters->value[SEGMENT]);
}

const struct allfold_algorithm allfold_reduce_disjoint_trees = {
    .name = "disjoint_trees",
    .collective = ALLFOLD_REDUCE,
    .source = "Roskind and Tarjan 1985, for the trees",
    .summary = "parts up spanning trees of the network that share no cable",
    .use = "long vectors of commutative operations where nodes are linked directly, as in a torus; "
           "any root; inside smp with several ranks a node; elsewhere two_tree or chain",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_CABLES | ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true, /* between nodes of several ranks */
    .back = &allfold_bcast_disjoint_trees,
    .back_differs = true, /* other ranks are tops there */
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = build,
    .claim = claim,
    .unmet = allfold_disjoint_unmet,
};
