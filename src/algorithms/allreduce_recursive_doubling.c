/* Recursive doubling: Rabenseifner 2004, section 2.4.
 *
 * In round k a rank exchanges its whole partial result with the rank at distance 2^k, and both
 * reduce. Where p is no power of two, the odd rank of each removed pair gives its vector to the
 * even one first and gets the result at the end.
 *
 * Invariant: before round k, OUT (at first: IN) is the reduction over the 2^k core ranks whose
 * indices differ from this one's only in the k lowest bits. */
#include "algorithms/algorithm.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
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
    const struct allfold_span tmp = scratch(s, problem->count);
    struct allfold_span mine = in;
    if (core.partner >= 0) {
        recv_from(s, core.partner, tmp);
        reduce(s, out, in, tmp);
        mine = out;
    }
    for (int distance = 1; distance < core.size; distance *= 2) {
        int peer = core_rank(&core, core.index ^ distance, 0);
        exchange(s, peer, mine, peer, tmp);
        if (core.index & distance)
            reduce(s, out, tmp, mine);
        else
            reduce(s, out, mine, tmp);
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

const struct allfold_algorithm allfold_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.4",
    .summary = "whole vectors with ranks at distance 1, 2, 4, ...",
    .use = "short vectors, where rounds decide: any p, any operation; halving_doubling sends less "
           "once vectors are long",
    .consistent = true,
    .is_inner = true,
    .build = build,
    .claim = claim,
};
