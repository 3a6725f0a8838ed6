/* Dissemination barrier with n messages at a time: Hensgen, Finkel, Manber 1988; n-way after End et
 * al. 2016, section III B. Without the adaption, because tokens may come twice.
 *
 * Invariant: before the round at distance d = (n+1)^i, OUT (at first: IN) includes the d ranks from
 * r to the left. A round sends it to the ranks r + d, r + 2d, ..., r + nd. */
#include "algorithms/algorithm.h"
#include "algorithms/peers.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { WAYS };

/* The messages of the round at distance d: none that would only tell what is known. */
static int messages_at(int p, int n, size_t d)
{
    const size_t useful = ceil_divide((size_t)p, d) - 1;
    return useful < (size_t)n ? (int)useful : n;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const int n = fewest_ports(p, (int)parameters->value[WAYS]);
    const size_t count = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, count), out = span(ALLFOLD_OUT, 0, count);
    const struct allfold_span tmp = scratch(s, (size_t)messages_at(p, n, 1) * count);
    struct allfold_span known = in;

    for (size_t d = 1; d < (size_t)p; d *= (size_t)n + 1) {
        const int messages = messages_at(p, n, d);
        for (int j = 1; j <= messages; j++) {
            const int offset = j * (int)d;
            exchange(s, wrap(r + offset, p), known, wrap(r - offset, p),
                     part(tmp, (size_t)(j - 1) * count, count));
        }
        for (int j = 1; j <= messages; j++) {
            reduce(s, out, part(tmp, (size_t)(j - 1) * count, count), known);
            known = out;
        }
    }
    copy(s, out, known);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const int n = fewest_ports(p, (int)parameters->value[WAYS]);
    size_t messages = 0;
    for (size_t d = 1; d < (size_t)p; d *= (size_t)n + 1)
        messages += (size_t)messages_at(p, n, d);
    return (struct allfold_claim){
        .rounds = (size_t)rounds_with_ports(p, n),
        .sent = messages * problem->count,
        .reduced = messages * problem->count,
        .ports = (unsigned)n,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_barrier_dissemination = {
    .name = "dissemination",
    .collective = ALLFOLD_BARRIER,
    .source = "Hensgen, Finkel, Manber 1988; End et al. 2016, section III B",
    .summary = "tells n ranks further on at a time; log_{n+1} p rounds, the fewest",
    .use = "any p: no barrier has fewer rounds, with n > 1 where several messages overlap; sends p "
           "messages or more in each",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .parameters = {{.name = "n",
                    .unit = "",
                    .meaning = "messages at a time",
                    .minimum = 1,
                    .maximum = ALLFOLD_MOST_PORTS,
                    .preset = 1,
                    ALLFOLD_TRIED(1, 2, 3, 7, ALLFOLD_MOST_PORTS)}},
    .build = build,
    .claim = claim,
};
