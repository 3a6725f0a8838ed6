/* Allreduce over edge-disjoint spanning trees, for direct networks such as a torus. The trees are
 * those of Tutte 1961 and Nash-Williams 1961, found by the algorithm of Roskind and Tarjan 1985.
 *
 * With k trees, a part of n / k elements goes up each tree in segments, and down again as soon as
 * it is reduced. So each cable carries n / k elements in each direction. On a torus of d dimensions
 * k is d, and no allreduce is faster: each node has to send nearly 2 n elements over 2 d cables.
 *
 * Invariant: an element is reduced in only one tree, so all ranks get bitwise identical results.
 * Subtrees do not cover consecutive ranks, so the operation has to be commutative. */
#include "algorithms/algorithm.h"
#include "algorithms/disjoint_trees.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static const struct disjoint_ways ways = {.up = true, .down = true, .root = -1};

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    allfold_disjoint_build(s, problem, ways, parameters->value[SEGMENT],
                           span(ALLFOLD_OUT, 0, problem->count));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return allfold_disjoint_claim(problem, ways, parameters->value[SEGMENT]);
}

const struct allfold_algorithm allfold_allreduce_disjoint_trees = {
    .name = "disjoint_trees",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Roskind and Tarjan 1985, for the trees",
    .summary = "parts up and down spanning trees of the network that share no cable",
    .use =
        "long vectors of commutative operations where nodes are linked directly, as in a torus: "
        "all cables work at a time; inside multilane with several ranks a node; elsewhere bucket",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_CABLES | ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true, /* between nodes of several ranks */
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12))},
    .build = build,
    .claim = claim,
    .unmet = allfold_disjoint_unmet,
};
