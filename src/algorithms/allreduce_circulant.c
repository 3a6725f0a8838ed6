/* Circulant graphs: Traeff, arXiv 2410.14234; here with any radix n + 1, not only 2.
 *
 * Skips s_q = p, s_k = ceil(s_{k+1} / (n+1)). R[i] is a rank's partial result for block (r + i) mod
 * p. The reduce-scatter, k = q-1 .. 0, sends R[j s_k .. (j+1) s_k - 1] to rank r + j s_k for each j
 * s_k < s_{k+1} and adds what comes alike to R[0 ..]. The allgather is the reverse. R lies in OUT,
 * each block at its place.
 *
 * Invariant: before round k of the allgather R[0 .. s_k - 1] are results. A block is reduced by its
 * owner's tree alone, so all ranks get bitwise identical results; operands come in the order of the
 * graph. */
#include <math.h>

#include "algorithms/algorithm.h"
#include "algorithms/circulant.h"
#include "algorithms/costs.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { RADIX, FEW_RANKS = 7 };

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

/* All send as many bytes; a large radix has fewer rounds, with more messages. Only few nodes are
 * taken to be below one switch: of many, most of these messages would cross links that are thin
 * (docs/decisions/2026-11-25-radices-of-circulant.md). */
static int best_radix(const struct allfold_problem *problem)
{
    const int p = problem->group.size, most = problem->one_node || p > FEW_RANKS ? 2 : p;
    int best = 2;
    double best_s = HUGE_VAL;
    for (int radix = 2; radix <= most; radix++) {
        const struct allfold_claim claim = claim_of(problem, radix);
        const double cost_s =
            allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
        if (cost_s < best_s) {
            best = radix;
            best_s = cost_s;
        }
    }
    return best;
}

static int radix_of(const struct allfold_problem *problem,
                    const struct allfold_parameters *parameters)
{
    const int radix = (int)parameters->value[RADIX];
    return radix == 0 ? best_radix(problem) : radix;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct skips skips = allfold_skips(problem->group.size, radix_of(problem, parameters));
    const struct circulant_scratch scratch = allfold_circulant_scratch(s, problem, &skips);
    allfold_circulant_reduce_scatter(s, problem, &skips, ALLFOLD_OUT, &scratch);
    allfold_circulant_allgather(s, problem, &skips, ALLFOLD_OUT, &scratch);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return claim_of(problem, radix_of(problem, parameters));
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    (void)problem;
    return parameters->value[RADIX] == 1 ? "a radix of 2 or more" : NULL;
}

const struct allfold_algorithm allfold_allreduce_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff 2024, arXiv 2410.14234",
    .summary = "reduce-scatter and allgather in lg p rounds each, least volume, at any p",
    .use = "long vectors of commutative operations, any p: ring's volume in 2 ceil(lg p) rounds, "
           "on up to 7 nodes in 2, which the model offers; where order counts rather "
           "halving_doubling, binary_blocks or dual_chain",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .offers = ALLFOLD_OFFERS(
        {.place = ALLFOLD_BETWEEN_NODES,
         .most_ranks = FEW_RANKS,
         .why = "so few nodes are below one switch; of more, its messages would cross thin links"}),
    .parameters = {{.name = "radix",
                    .unit = "",
                    .meaning = "a round multiplies the blocks held by it, in radix - 1 messages; 0 "
                               "lets the cost model select",
                    .minimum = 0,
                    .maximum = ALLFOLD_MOST_PORTS + 1,
                    .preset = 0,
                    ALLFOLD_TRIED(0, 2, 3, 4, 7, ALLFOLD_MOST_PORTS + 1)}},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
