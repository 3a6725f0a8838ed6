/* Recursive multiplying: recursive doubling (Rabenseifner 2004, section 2.4) with mixed radices.
 *
 * Round i has radix k_i: a rank exchanges its whole partial result with k_i - 1 peers at once and
 * reduces all k_i. The peers are the core ranks whose indices differ from its own only in digit i.
 * The core has q = k_1 k_2 ... ranks. If q is not p, pairs of ranks are removed: the odd rank of a
 * pair first sends its vector to the even one, and receives the result at the end.
 *
 * Invariant: before round i, OUT (at first: IN) is the reduction over the core ranks that differ
 * only in the digits before i, which are consecutive. Ranks reduce in rank order, all with the same
 * association. */
#include "algorithms/algorithm.h"
#include "algorithms/multiplying.h"
#include "algorithms/radix.h"
#include "schedule/verbs.h"

enum { RADIX, LARGEST_RADIX = 16 };

static struct factors factors_of(const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, radix = (int)parameters->value[RADIX];
    return problem->canonical ? allfold_tree_factors(p, radix) : allfold_factors(p, radix);
}

static bool keeps_tree(const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters)
{
    const struct factors k = factors_of(problem, parameters);
    return allfold_radices_keep_tree(&k, problem->group.size);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct factors k = factors_of(problem, parameters);
    const struct core core = core_of_size(p, k.core, r, 0);

    if (core.index < 0) {
        send_to(s, core.partner, in);
        recv_from(s, core.partner, out);
        return;
    }
    if (p == 1) {
        copy(s, out, in);
        return;
    }
    const struct allfold_span tmp = scratch(s, (size_t)(allfold_largest_factor(&k) - 1) * n);
    struct allfold_span mine = in;
    if (core.partner >= 0) {
        recv_from(s, core.partner, part(tmp, 0, n));
        reduce(s, out, in, part(tmp, 0, n));
        mine = out;
    }
    for (int i = 0, stride = 1; i < k.count; stride *= k.factor[i++]) {
        struct radix_group group = allfold_radix_group(core.index, k.factor[i], stride);
        group.by_tree = problem->canonical;
        allfold_multiply(s, &core, &group, false, (struct bounds){0, n}, mine, out, tmp);
        mine = out;
    }
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

/* A rank that stays of a pair sends one vector more, and reduces one more. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct factors k = factors_of(problem, parameters);
    const bool removes = k.core < problem->group.size;
    const size_t vectors = (size_t)(k.messages - (removes ? 1 : 0));
    return (struct allfold_claim){
        .rounds = (size_t)k.rounds,
        .sent = vectors * problem->count,
        .reduced = vectors * problem->count,
        .ports = (unsigned)allfold_largest_factor(&k) - (k.count > 0),
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_allreduce_recursive_multiplying = {
    .name = "recursive_multiplying",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "in-order mixed-radix recursive multiplying, after Rabenseifner 2004, section 2.4",
    .summary = "whole vectors with radix - 1 peers at once",
    .use = "the shortest vectors, any operation, where several small messages overlap: fewer "
           "rounds than recursive_doubling; with one message at a time no better than that",
    .consistent = true,
    .keeps_tree = keeps_tree,
    .is_inner = true,
    .parameters = {{.name = "radix",
                    .kind = ALLFOLD_PARAMETER_RADIX,
                    .unit = "",
                    .meaning = "largest number of ranks that exchange all with all in a round",
                    .minimum = 2,
                    .maximum = LARGEST_RADIX,
                    .preset = 4,
                    ALLFOLD_TRIED(2, 3, 4, 5, 8, LARGEST_RADIX)}},
    .build = build,
    .claim = claim,
};
