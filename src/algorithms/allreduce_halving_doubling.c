/* Recursive halving and doubling: Rabenseifner 2004, section 2.5 and Fig. 1.
 *
 * Reduce-scatter by vector halving and distance doubling, allgather by vector doubling and distance
 * halving. If p is not a power of two, the first p - p' pairs first reduce to one rank each, with
 * half vectors. The removed ranks receive the result at the end.
 *
 * Invariant: each half goes to the rank on its side, so operands stay in rank order. */
#include "algorithms/algorithm.h"
#include "algorithms/halving.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct core core = core_of(p, r, 0);

    if (p == 1) {
        copy(s, out, span(ALLFOLD_IN, 0, n));
        return;
    }
    const struct allfold_span tmp = scratch(s, n);
    if (core.partner >= 0 && !allfold_remove_pair(s, &core, r, n, out, tmp)) {
        recv_from(s, core.partner, out);
        return;
    }
    allfold_halve(s, &core, 0, n, out, core.partner >= 0, tmp);

    for (int distance = core.size / 2; distance >= 1; distance /= 2)
        allfold_join(s, &core, 0, n, out, distance);
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

/* A core rank sends half of what it holds on the way down and the other half on the way up. So each
 * level costs it what it holds there: n, n/2, ..., 2 n/p'. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const size_t n = problem->count, lg = (size_t)floor_log2(p);
    const bool removes = (p & (p - 1)) != 0;
    size_t sent = removes ? ceil_divide(n, 2) + n : 0;
    size_t reduced = removes ? ceil_divide(n, 2) : 0;
    for (size_t k = 0; k < lg; k++) {
        sent += ceil_divide(n, (size_t)1 << k);
        reduced += ceil_divide(n, (size_t)2 << k);
    }
    return (struct allfold_claim){
        .rounds = 2 * lg + (removes ? 3 : 0),
        .sent = sent,
        .reduced = reduced,
        .divisor = (size_t)1 << lg,
    };
}

const struct allfold_algorithm allfold_allreduce_halving_doubling = {
    .name = "halving_doubling",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.5",
    .summary = "halves in, halves out: reduce-scatter and allgather in lg p rounds each",
    .use = "long vectors on a power of two of ranks, any operation; at another p the busiest rank "
           "sends 1.5 n more, so rather binary_blocks, or, for commutative operations, circulant",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .out_of_order = true,
    .is_inner = true,
    .build = build,
    .claim = claim,
};
