/* Pairwise exchange: End et al. 2016, section III A, and Fig. 1 (right); their P = 2^k + q is p.
 *
 * The q leftover ranks 2^k .. p-1 send their vectors to the first q ranks, and receive the result
 * at the end. The others exchange partial results with the ranks at distance 1, 2, 4, ..., 2^(k-1).
 *
 * Invariant: before the round at distance d, a rank has the reduction over d ranks, which differ
 * from it only in bits below d, and their leftover ranks. So all ranks use the same order of
 * summation; but the leftover operands are out of order, which recursive doubling avoids by its
 * pairs of neighbors. */
#include "algorithms/algorithm.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const int power = 1 << floor_log2(p), q = p - power;
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);

    if (r >= power) {
        send_to(s, r - power, in);
        recv_from(s, r - power, out);
        return;
    }
    const struct allfold_span tmp = scratch(s, p > 1 ? problem->count : 0);
    struct allfold_span mine = in;
    if (r < q) {
        recv_from(s, r + power, tmp);
        reduce(s, out, in, tmp);
        mine = out;
    }
    for (int distance = 1; distance < power; distance *= 2) {
        exchange(s, r ^ distance, mine, r ^ distance, tmp);
        if (r & distance)
            reduce(s, out, tmp, mine);
        else
            reduce(s, out, mine, tmp);
        mine = out;
    }
    copy(s, out, mine);
    if (r < q)
        send_to(s, r + power, out);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const size_t k = (size_t)floor_log2(p);
    const bool has_leftover = (p & (p - 1)) != 0;
    return (struct allfold_claim){
        .rounds = k + (has_leftover ? 2 : 0),
        .sent = (k + has_leftover) * problem->count,
        .reduced = (k + has_leftover) * problem->count,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_allreduce_pairwise_exchange = {
    .name = "pairwise_exchange",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "End et al. 2016, section III A",
    .summary = "the butterfly, with ranks left over from a power of two served by the first ones",
    .use = "short vectors of commutative operations, to compare with End et al. 2016 (there the "
           "best for 255 doubles); recursive_doubling costs as much and keeps rank order",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .build = build,
    .claim = claim,
};
