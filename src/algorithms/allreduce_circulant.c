/* Allreduce over circulant graphs: Traeff, arXiv 2410.14234; here with any radix n + 1, not only 2.
 *
 * Skips s_q = p, s_k = ceil(s_{k+1} / (n+1)). R[i] is a rank's partial result for block (r + i) mod
 * p. The reduce-scatter, k = q-1 .. 0, sends R[j s_k .. (j+1) s_k - 1] to rank r + j s_k for each j
 * s_k < s_{k+1}, and adds the blocks received in the same way to R[0 ..]. The allgather is the
 * reverse. R is in OUT, each block at its offset.
 *
 * Invariant: before round k of the allgather R[0 .. s_k - 1] are results. A block is reduced only
 * by its owner's tree, so all ranks get bitwise identical results; operands are in the order of the
 * graph. */
#include <math.h>

#include "algorithms/algorithm.h"
#include "algorithms/circulant.h"
#include "algorithms/costs.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { RADIX };

/* A rank sends each block but its own once in the reduce-scatter, and in the allgather as much as
 * it reduced. */
static struct allfold_claim claim_of(const struct allfold_problem *problem, int radix)
{
    const size_t p = (size_t)problem->group.size, n = problem->count;
    const struct skips skips = allfold_skips((int)p, radix);
    const size_t reduced = allfold_circulant_reduced(problem, &skips);
    return (struct allfold_claim){
        .rounds = 2 * (size_t)skips.q,
        .sent = n - n / p + reduced,
        .reduced = reduced,
        .ports = (unsigned)radix - 1,
        .divisor = p,
    };
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct skips skips = allfold_skips(problem->group.size, (int)parameters->value[RADIX]);
    const struct circulant_scratch scratch = allfold_circulant_scratch(s, problem, &skips);
    allfold_circulant_reduce_scatter(s, problem, &skips, ALLFOLD_OUT, &scratch);
    allfold_circulant_allgather(s, problem, &skips, ALLFOLD_OUT, &scratch);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return claim_of(problem, (int)parameters->value[RADIX]);
}

const struct allfold_algorithm allfold_allreduce_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff 2024, arXiv 2410.14234",
    .summary = "reduce-scatter and allgather in lg p rounds each, least volume, at any p",
    .use = "long vectors of commutative operations, any p: ring's volume in 2 ceil(lg p) rounds, "
           "with radix p in 2; where order counts rather halving_doubling, binary_blocks or "
           "dual_chain",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round multiplies the blocks held by it, in radix - 1 messages")},
    .build = build,
    .claim = claim,
};
