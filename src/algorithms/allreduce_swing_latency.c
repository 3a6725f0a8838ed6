/* Swing, the latency-optimal form: De Sensi et al., NSDI 2024, section 3. With one dimension, it is
 * also the allreduce for short vectors of Bine trees (De Sensi et al., SC 2025).
 *
 * Whole vectors are exchanged with the peers of swing.h, here with the farthest first. Then all
 * ranks with the same partial result have the same remaining steps, which determine whose operand
 * is on the left. If p is not a power of two, pairs of ranks are removed: the odd rank of a pair
 * first sends its vector to the even one, and receives the result at the end (Rabenseifner 2004,
 * section 2.4).
 *
 * Invariant: before a step, OUT (at first: IN) is the reduction over the core ranks that are equal
 * to this rank in that step and in all nearer ones (allfold_swing_is_second). */
#include "algorithms/doubling.h"
#include "algorithms/swing.h"

enum { X, Y };

static struct doubling_round round_of(const void *how, int index, int k)
{
    const struct swing *swing = how;
    const int step = swing->steps - 1 - k;
    return (struct doubling_round){allfold_swing_peer(swing, index, step),
                                   allfold_swing_is_second(swing, index, step)};
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct swing swing = allfold_swing(1 << floor_log2(problem->group.size),
                                             parameters->value[X], parameters->value[Y]);
    allfold_build_doubling(s, problem, round_of, &swing);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    return allfold_doubling_claim(problem);
}

const struct allfold_algorithm allfold_allreduce_swing_latency = {
    .name = "swing_latency",
    .alias = "bine_latency",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "De Sensi et al. 2024 (NSDI), section 3; De Sensi et al. 2025 (SC)",
    .summary = "whole vectors with ranks 1, 1, 3, 5, 11, ... away, to both sides in turn",
    .use = "short vectors of commutative operations on a torus, or between groups of nodes with "
           "thin links; recursive_doubling goes half as far again, and serves any operation",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_TORUS_X, ALLFOLD_TORUS_Y},
    .build = build,
    .claim = claim,
};
