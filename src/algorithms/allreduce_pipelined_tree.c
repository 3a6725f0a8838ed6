/* Doubly pipelined binary tree: TU Wien 2023, exercise 5, MY_Allreduce_T.
 *
 * Segments go up a binary tree and, as soon as they are reduced at its root, back down. A rank with
 * a parent and two children sends and receives each segment three times.
 *
 * Invariant: see doubly_pipelined.h; post-order numbering keeps operands in rank order. */
#include "algorithms/algorithm.h"
#include "algorithms/doubly_pipelined.h"
#include "schedule/verbs.h"

enum { SEGMENT };

/* Messages each way for a segment at the busiest rank, and so rounds from segment to segment. That
 * rank has two children and a parent, or two of these three, or it is one of two ranks. */
static size_t slope(int p)
{
    return p >= 6 ? 3 : p >= 3 ? 2 : (size_t)p - 1;
}

/* The rounds of b segments. The second follows one round closer where ranks have a parent and two
 * children, as nothing comes down yet. */
static size_t rounds(int p, size_t b)
{
    const struct trip trip = allfold_trip(p, false);
    return (size_t)(trip.up + trip.down) + (b > 1 ? slope(p) * (b - 1) - (p >= 6) : 0);
}

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const double per_segment = (double)slope(p);
    return allfold_pipeline(problem, parameters->value[SEGMENT],
                            (double)rounds(p, 2) - 2 * per_segment, per_segment);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct place place = allfold_binary_tree(0, p, p - 1, r, EVEN_SHARES);
    if (p == 1)
        copy(s, span(ALLFOLD_OUT, 0, problem->count), span(ALLFOLD_IN, 0, problem->count));
    else
        allfold_doubly_pipelined(s, problem, &place, -1, false, segments(problem, parameters));
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const size_t n = problem->count;
    const struct segments cut = segments(problem, parameters);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = rounds(p, cut.count),
            .sent = slope(p) * n,
            .reduced = (p >= 3 ? 2 : (size_t)p - 1) * n,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_allreduce_pipelined_tree = {
    .name = "pipelined_tree",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "TU Wien 2023, exercise 5",
    .summary = "segments up a binary tree, and down as soon as they are reduced",
    .use = "very long vectors on many ranks, any operation, for comparison; dual_root sends as "
           "much in somewhat fewer rounds",
    .consistent = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12, 64))},
    .build = build,
    .claim = claim,
};
