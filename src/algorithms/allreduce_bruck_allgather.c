/* Allgather of the vectors, then a local reduction: Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE
 * TPDS 8(11), 1997, for the allgather, here with the skips of circulant.h.
 *
 * In ceil(log_radix p) rounds each rank receives all p vectors. Before round k it has those of
 * ranks r .. r + s_k - 1, and receives from r + s_k, r + 2 s_k, ... the vectors that they have. At
 * the end it reduces them.
 *
 * Invariant: every rank reduces all vectors in rank order, from left to right. So any operation is
 * supported, and all ranks get bitwise identical results. */
#include "algorithms/algorithm.h"
#include "algorithms/circulant.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { RADIX, MOST_BYTES = 1 << 16 };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct skips skips = allfold_skips(p, (int)parameters->value[RADIX]);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span all = scratch(s, p == 1 ? 0 : (size_t)p * n);

    if (p == 1) {
        copy(s, out, span(ALLFOLD_IN, 0, n));
        return;
    }
    copy(s, part(all, 0, n), span(ALLFOLD_IN, 0, n));
    allfold_circulant_allgather_turned(s, &problem->group, &skips, all);
    struct allfold_span left = part(all, (size_t)wrap(-r, p) * n, n);
    for (int i = 1; i < p; i++) {
        reduce(s, out, left, part(all, (size_t)wrap(i - r, p) * n, n));
        left = out;
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size;
    const struct skips skips = allfold_skips((int)p, (int)parameters->value[RADIX]);
    return (struct allfold_claim){
        .rounds = (size_t)skips.q,
        .sent = (p - 1) * problem->count,
        .reduced = (p - 1) * problem->count,
        .ports = (unsigned)parameters->value[RADIX] - 1,
        .divisor = 1,
    };
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t most = MOST_BYTES / (size_t)problem->group.size / problem->element_bytes;
    return problem->count <= most ? NULL : "vectors of 64 KiB at most on all ranks together";
}

const struct allfold_algorithm allfold_allreduce_bruck_allgather = {
    .name = "bruck_allgather",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Bruck et al. 1997",
    .summary = "all vectors to all ranks in log_radix p rounds, reduced by each",
    .use = "a few elements on few ranks, above all of operations that do not commute: no allreduce "
           "has fewer rounds, but each rank sends and reduces p-1 vectors",
    .consistent = true,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round multiplies the vectors held by it, in radix - 1 messages")},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
