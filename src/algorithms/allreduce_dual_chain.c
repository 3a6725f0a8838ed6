/* Dual chain: the doubly pipelined dual root (Traeff, arXiv 2109.12626) with chains instead of
 * trees.
 *
 * The lower half of the ranks reduces up to its last rank, the upper half down to its first. These
 * two exchange their reductions, and both halves receive the result. Only neighbors communicate.
 *
 * Invariant: see doubly_pipelined.h; a segment that goes towards the middle covers all ranks on its
 * path. */
#include "algorithms/algorithm.h"
#include "algorithms/doubly_pipelined.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    return allfold_pipeline(problem, parameters->value[SEGMENT], 2 * ((p + 1) / 2) - 3, 2);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, middle = p / 2;
    const bool is_upper = r >= middle;
    const int inner = is_upper ? r - 1 : r + 1, outer = is_upper ? r + 1 : r - 1;
    const bool is_root = r == middle || r == middle - 1;
    const struct place place = {
        .parent = is_root ? -1 : inner,
        .depth = is_upper ? r - middle : middle - 1 - r,
        .child_count = outer >= 0 && outer < p,
        .children = {outer},
    };
    if (p == 1)
        copy(s, span(ALLFOLD_OUT, 0, problem->count), span(ALLFOLD_IN, 0, problem->count));
    else
        allfold_doubly_pipelined(s, problem, &place, is_root ? inner : -1, false,
                                 segments(problem, parameters));
}

/* Two ranks just exchange. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size, n = problem->count;
    const struct segments cut = segments(problem, parameters);
    const size_t b = cut.count;
    const size_t both = p > 2 ? 2 : p - 1; /* a root's neighbors */
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = p <= 2 ? (p - 1) * b : 2 * b + 2 * ceil_divide(p, 2) - 3,
            .sent = both * n,
            .reduced = both * n,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_allreduce_dual_chain = {
    .name = "dual_chain",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff, arXiv 2109.12626, with chains",
    .summary = "segments from both ends to the middle and back",
    .use = "very long vectors on few ranks, above all of operations that do not commute: 2 n sent, "
           "in order; about p rounds to fill the pipeline, so dual_root on many ranks",
    .consistent = true,
    .out_of_order = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12, 64))},
    .build = build,
    .claim = claim,
};
