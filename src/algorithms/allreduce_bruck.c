/* Global combine: Bruck and Ho 1993, as in End et al. 2016, section III C; their P and p are p and
 * r here.
 *
 * There is a round for each digit a of p - 1 in base n + 1, starting with the highest digit. If S0
 * covers c ranks, the round receives S1 of the a ranks at offsets c+1, 2(c+1), and so on. From
 * there on it receives S0 of n - a ranks that are c apart: none in the first round, where c = 0.
 * Then c becomes c(n+1) + a. Of all n with the same number of rounds, the smallest one is used.
 *
 * Invariant: S0 is the reduction over the c ranks r+1 .. r+c, and S1 includes r as well; c is p - 1
 * at the end. Each rank starts with itself, so operands are not in rank order, and the ranks'
 * orders of summation differ. */
#include "algorithms/algorithm.h"

#include <assert.h>

#include "algorithms/peers.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { PORTS };

/* The value of the first digit's place. */
static int first_place(int p, int n)
{
    int place = 1;
    while ((p - 1) / place > n)
        place *= n + 1;
    return place;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const int n = fewest_ports(p, (int)parameters->value[PORTS]);
    const size_t count = problem->count, kept = first_place(p, n) > 1 ? count : 0;
    const struct allfold_span in = span(ALLFOLD_IN, 0, count), out = span(ALLFOLD_OUT, 0, count);
    const struct allfold_span s0 = scratch(s, kept), s0_and_r = scratch(s, kept);
    const struct allfold_span tmp = scratch(s, (size_t)(p - 1 < n ? p - 1 : n) * count);
    struct allfold_span s1 = in;

    for (int place = first_place(p, n), c = 0; place > 0; place /= n + 1) {
        const int a = (p - 1) / place - c * (n + 1), messages = c == 0 ? a : n;
        const bool is_last = place == 1, begins_s0 = c == 0 && !is_last;
        for (int i = 1; i <= messages; i++) {
            const int offset = i * c + (i < a ? i : a);
            exchange(s, wrap(r - offset, p), i <= a ? s1 : s0, wrap(r + offset, p),
                     begins_s0 && i == 1 ? s0 : part(tmp, (size_t)(i - 1) * count, count));
        }
        struct allfold_span mine = is_last ? s1 : s0;
        for (int i = begins_s0 ? 2 : 1; i <= messages; i++) {
            reduce(s, is_last ? out : s0, mine, part(tmp, (size_t)(i - 1) * count, count));
            mine = is_last ? out : s0;
        }
        if (is_last)
            copy(s, out, mine);
        else
            reduce(s, s0_and_r, in, s0);
        s1 = s0_and_r;
        c = (p - 1) / place;
        assert(!is_last || c == p - 1);
    }
}

/* All ranks do the same. A round reduces what it receives, and but for the last one r itself. The
 * first message of the first of several rounds is S0 without a reduction. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const int n = fewest_ports(p, (int)parameters->value[PORTS]);
    const int k = rounds_with_ports(p, n), first = (p - 1) / first_place(p, n);
    const size_t messages = (size_t)(first + (k > 1 ? (k - 1) * n : 0));
    return (struct allfold_claim){
        .rounds = (size_t)k,
        .sent = messages * problem->count,
        .reduced = (messages + (k > 1 ? (size_t)k - 2 : 0)) * problem->count,
        .ports = (unsigned)n,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_allreduce_bruck = {
    .name = "bruck",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Bruck and Ho 1993; End et al. 2016, section III C",
    .summary = "whole vectors in log_{n+1} p rounds of n messages, at any p",
    .use = "short vectors of commutative, exact operations where n messages overlap, any p; in End "
           "et al. 2016 the fastest of theirs for one integer; else recursive_doubling, which "
           "gives bitwise identical results",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = false,
    .parameters = {{.name = "n",
                    .unit = "",
                    .meaning = "messages at a time, fewer where they need no more rounds",
                    .minimum = 1,
                    .maximum = ALLFOLD_MOST_PORTS,
                    .preset = 1,
                    ALLFOLD_TRIED(1, 2, 3, 5, 15)}},
    .build = build,
    .claim = claim,
};
