/* Swing, the latency-optimal form: De Sensi et al., NSDI 2024, section 3; with one dimension, the
 * allreduce for short vectors of Bine trees (De Sensi et al., SC 2025), too.
 *
 * Whole vectors with the peers of swing.h, here the farthest first: then all ranks that have the
 * same partial result are alike in the steps to come, which says whose operand is on the left.
 * Where p is no power of two, the odd rank of each removed pair gives its vector to the even one
 * first and gets the result at the end (Rabenseifner 2004, section 2.4).
 *
 * Invariant: before a step, OUT (at first: IN) is the reduction over the core ranks that are alike
 * in that step and all nearer ones (allfold_swing_is_second). */
#include "algorithms/swing.h"
#include "schedule/verbs.h"

enum { X, Y };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    const struct core core = core_of(p, r, 0);

    if (core.index < 0) {
        send_to(s, core.partner, in);
        recv_from(s, core.partner, out);
        return;
    }
    if (p == 1) {
        copy(s, out, in);
        return;
    }
    const struct swing swing = allfold_swing(core.size, parameters->value[X], parameters->value[Y]);
    const struct allfold_span tmp = scratch(s, problem->count);
    struct allfold_span mine = in;
    if (core.partner >= 0) {
        recv_from(s, core.partner, tmp);
        reduce(s, out, in, tmp);
        mine = out;
    }
    for (int step = swing.steps - 1; step >= 0; step--) {
        const int index = allfold_swing_peer(&swing, core.index, step);
        const int peer = core_rank(&core, index, 0);
        const bool is_right = allfold_swing_is_second(&swing, core.index, step);
        exchange(s, peer, mine, peer, tmp);
        reduce(s, out, is_right ? tmp : mine, is_right ? mine : tmp);
        mine = out;
    }
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const size_t lg = (size_t)floor_log2(p);
    const bool removes = (p & (p - 1)) != 0;
    return (struct allfold_claim){
        .rounds = lg + (removes ? 2 : 0),
        .sent = (lg + removes) * problem->count,
        .reduced = (lg + removes) * problem->count,
        .divisor = 1,
    };
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
    .for_study = "its advantage is on tori and between groups of nodes with thin links, which the "
                 "model does not know",
    .parameters = {ALLFOLD_TORUS_X, ALLFOLD_TORUS_Y},
    .build = build,
    .claim = claim,
};
