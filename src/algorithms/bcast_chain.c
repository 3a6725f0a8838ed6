/* Linear pipeline: TU Wien 2023, exercise 2, MY_Bcast_P (Traeff, Algorithms for Collective
 * Communication).
 *
 * The ranks form a chain that starts at the root and wraps around after the last rank; each sends
 * one segment while it receives the next.
 *
 * Invariant: in round k the rank at distance d from the root sends segment k - d. */
#include "algorithms/algorithm.h"
#include "algorithms/peers.h"
#include "algorithms/segments.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    return allfold_pipeline(problem, parameters->value[SEGMENT], problem->group.size - 2, 1);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct segments cut = segments(problem, parameters);
    const struct allfold_span all = span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count);

    for (size_t j = 0; j < cut.count; j++) {
        if (r != root)
            recv_from(s, wrap(r - 1, p), segment_of(all, cut, j));
        if (wrap(r + 1, p) != root)
            send_to(s, wrap(r + 1, p), segment_of(all, cut, j));
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size;
    const struct segments cut = segments(problem, parameters);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = p == 1 ? 0 : p + cut.count - 2,
            .sent = p == 1 ? 0 : problem->count,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_bcast_chain = {
    .name = "chain",
    .collective = ALLFOLD_BCAST,
    .source = "TU Wien 2023, exercise 2",
    .summary = "segments through all ranks in turn",
    .use = "very long vectors on few ranks; pipelined_circulant sends about as much and fills its "
           "pipeline in ceil(lg p) rounds, not p",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 20))},
    .build = build,
    .claim = claim,
};
