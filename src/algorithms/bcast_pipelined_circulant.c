/* Round-optimal pipelined broadcast: Traeff, Optimal Broadcast Schedules in Logarithmic Time (doi
 * 10.1145/3735139).
 *
 * Ranks are counted from the root. In round k, counted modulo q = ceil(lg p), a rank receives a
 * block from the rank at distance skip[k] below, and sends one to the rank at that distance above.
 *
 * Invariant: see circulant.h; a rank sends only blocks that it has. */
#include "algorithms/algorithm.h"
#include "algorithms/circulant.h"
#include "algorithms/segments.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    return allfold_pipeline(problem, parameters->value[SEGMENT], ceil_log2(problem->group.size) - 1,
                            1);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, root = problem->root;
    const int r = wrap(problem->group.index - root, p);
    const struct segments cut = segments(problem, parameters);
    const size_t b = cut.count;
    const struct allfold_span all = span(r == 0 ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count);
    const struct allfold_span none = span(ALLFOLD_OUT, 0, 0);

    if (p == 1 || b == 0)
        return;
    const struct circulant c = allfold_circulant(p, r, b);
    for (size_t i = c.first_round; i < c.first_round + b - 1 + (size_t)c.q; i++) {
        const int k = (int)(i % (size_t)c.q);
        const int to = wrap(r + c.skip[k] - p, p), from = wrap(r - c.skip[k], p);
        const size_t sent = allfold_circulant_block(&c, c.forwarded[k], i);
        const size_t received = allfold_circulant_block(&c, c.received[k], i);
        exchange(s, wrap(to + root - p, p), to == 0 ? none : segment_of(all, cut, sent),
                 wrap(from + root - p, p), r == 0 ? none : segment_of(all, cut, received));
    }
}

/* The root sends in each round, its last block q times. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const size_t q = (size_t)ceil_log2(p);
    const struct segments cut = segments(problem, parameters);
    return (struct allfold_claim){
        .rounds = p == 1 ? 0 : cut.count + q - 1,
        .sent = p == 1 ? 0 : problem->count + (q - 1) * cut.length,
        .divisor = cut.length,
    };
}

const struct allfold_algorithm allfold_bcast_pipelined_circulant = {
    .name = "pipelined_circulant",
    .collective = ALLFOLD_BCAST,
    .source = "Traeff, doi 10.1145/3735139",
    .summary = "segments over a circulant graph, in the least number of rounds",
    .use = "long vectors, any p and root: no pipeline has fewer rounds; for short ones "
           "binomial_tree is as fast and simpler",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 20))},
    .build = build,
    .claim = claim,
};
