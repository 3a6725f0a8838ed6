/* Swing, the bandwidth-optimal form: De Sensi et al., NSDI 2024, section 3. With one dimension, it
 * is also the allreduce for long vectors of Bine trees (De Sensi et al., SC 2025).
 *
 * Reduce-scatter and allgather over the paths of swing.h. If p is odd, rank 1 is removed as in
 * Rabenseifner 2004, section 2.5: it first exchanges half vectors with rank 0, and receives the
 * result at the end.
 *
 * Invariant: a block is reduced only along the paths to its owner, so all ranks get bitwise
 * identical results. Operands are in the order of the paths. */
#include "algorithms/halving.h"
#include "algorithms/swing.h"
#include "schedule/verbs.h"

enum { X, Y };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct core core = core_of_size(p, p == 1 ? 1 : p & ~1, r, 0);

    if (p == 1) {
        copy(s, out, span(ALLFOLD_IN, 0, n));
        return;
    }
    const struct swing swing = allfold_swing(core.size, parameters->value[X], parameters->value[Y]);
    struct swing_vector v = {.w = &swing, .core = &core, .n = n, .result = out};
    allfold_swing_scratch(s, &v);
    if (core.partner >= 0 && !allfold_remove_pair(s, &core, r, n, out, v.tmp)) {
        recv_from(s, core.partner, out);
        return;
    }
    allfold_swing_reduce_scatter(s, &v, core.partner >= 0);
    allfold_swing_allgather(s, &v);
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

/* A rank gives each block but its own away once, and in the allgather as much as it reduced. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, core = p == 1 ? 1 : p & ~1;
    const size_t n = problem->count, removed = core < p ? ceil_divide(n, 2) : 0;
    const struct swing swing = allfold_swing(core, parameters->value[X], parameters->value[Y]);
    const size_t reduced = allfold_swing_got(&swing, n);
    return (struct allfold_claim){
        .rounds = 2 * (size_t)swing.steps + (core < p ? 3 : 0),
        .sent = n - n / (size_t)core + reduced + (core < p ? removed + n : 0),
        .reduced = removed + reduced,
        .divisor = (size_t)core,
    };
}

const struct allfold_algorithm allfold_allreduce_swing = {
    .name = "swing",
    .alias = "bine",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "De Sensi et al. 2024 (NSDI), section 3; De Sensi et al. 2025 (SC)",
    .summary = "reduce-scatter and allgather in lg p rounds each, with ranks 1, 1, 3, 5, 11, ... "
               "away, to both sides in turn",
    .use =
        "long vectors of commutative operations on an even number of ranks: on a torus, or between "
        "groups of nodes with thin links that begin anywhere among the ranks. Where they begin at "
        "multiples of a power of two, halving_doubling sends half as much between them",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .out_of_order = true,
    .is_inner = true,
    .parameters = {ALLFOLD_TORUS_X, ALLFOLD_TORUS_Y},
    .build = build,
    .claim = claim,
};
