/* Adapted n-way dissemination: End et al. 2016, section III B; their P and p are p and r here.
 *
 * In round l a rank sends its partial result S to the ranks at distance i (n+1)^(l-1) to its right,
 * i = 1 .. n, and reduces the partial results from its left. The last round is adapted
 * (adapted_dissemination.h), so that no rank is included twice: its last sender sends an earlier S,
 * of c ranks, and the receiver leaves out its own first ranks if it receives them, too. The
 * reduction beyond these ranks is kept in a second accumulator, because an inverse operation may
 * not restore it (Inf - Inf).
 *
 * Invariant: after round l, S is the reduction over r and the (n+1)^l - 1 ranks to its left. Each
 * rank starts with itself, so operands are not in rank order, and the ranks' orders of summation
 * differ. */
#include "algorithms/algorithm.h"
#include "algorithms/adapted_dissemination.h"
#include "algorithms/peers.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { WAYS };

static void exchange_round(struct allfold_builder *s, const struct allfold_problem *problem,
                           const struct adaption *a, const struct sums *sums, int step)
{
    const int p = problem->group.size, r = problem->group.index;
    const bool is_last = step == a->last;
    for (int i = 1; i <= (is_last ? last_messages(a) : a->n); i++) {
        const int what = is_last && i == a->senders ? sums->prefix : sums->all;
        const int distance = i * step % p; /* senders of the last round may be once around */
        exchange(s, wrap(r + distance, p), sums->place[what], wrap(r - distance, p),
                 allfold_sums_message(a, sums, i, step));
    }
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const size_t n = problem->count;
    struct adaption a;
    if (!allfold_adapt(problem->group.size, (int)parameters->value[WAYS], &a))
        return; /* unmet */
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    struct sums sums = allfold_sums(s, &a, n);
    for (int step = 1; step < a.last; step *= a.n + 1) {
        exchange_round(s, problem, &a, &sums, step);
        allfold_sums_reduce(s, &a, &sums, step);
    }
    exchange_round(s, problem, &a, &sums, a.last);
    struct allfold_span mine = a.left_out > 0 ? sums.beyond : sums.place[sums.all];
    for (int i = a.left_out == a.last ? 2 : 1; i <= last_messages(&a); i++) {
        reduce(s, out, mine, allfold_sums_message(&a, &sums, i, a.last));
        mine = out;
    }
    copy(s, out, mine);
}

/* All ranks do the same: a reduction for each message that needs one, and another for those kept
 * beyond. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    struct adaption a;
    allfold_adapt(problem->group.size, (int)parameters->value[WAYS], &a);
    const int messages = early_messages(&a) + last_messages(&a);
    const int reduced = messages - (a.left_out == a.last) + allfold_messages_beyond(&a) -
                        allfold_messages_unneeded(&a);
    return (struct allfold_claim){
        .rounds = (size_t)a.rounds,
        .sent = (size_t)messages * problem->count,
        .reduced = (size_t)reduced * problem->count,
        .ports = (unsigned)a.n,
        .divisor = 1,
    };
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    struct adaption a;
    return allfold_adapt(problem->group.size, (int)parameters->value[WAYS], &a)
               ? NULL
               : "an n and a number of ranks that fit each other";
}

const struct allfold_algorithm allfold_allreduce_dissemination = {
    .name = "dissemination",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "End et al. 2016, section III B",
    .summary = "whole vectors in log_{n+1} p rounds of n messages, where p and n fit",
    .use = "as bruck, where p and n fit: its rounds are as many, but bruck serves every p, and in "
           "End et al. 2016 ran steadier on short vectors",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = false,
    .parameters = {{.name = "n",
                    .unit = "",
                    .meaning = "messages at a time; 0 takes the fewest that p can be adapted to",
                    .minimum = 0,
                    .maximum = ALLFOLD_MOST_PORTS,
                    .preset = 0,
                    ALLFOLD_TRIED(0, 1, 2, 3, 5, 8)}},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
