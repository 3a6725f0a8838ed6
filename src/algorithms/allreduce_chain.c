/* Doubly pipelined chain: TU Wien 2023, exercise 3.
 *
 * Segments go up through all ranks to the last one and, as soon as they are reduced there, back
 * down. A rank in between sends and receives each segment twice.
 *
 * Invariant: see doubly_pipelined.h; a segment that goes up covers ranks 0 .. r. */
#include "algorithms/algorithm.h"
#include "algorithms/doubly_pipelined.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    return allfold_pipeline(problem, parameters->value[SEGMENT], p > 2 ? 2 * p - 5 : 1,
                            p > 2 ? 2 : 1);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct place place = {
        .parent = r == p - 1 ? -1 : r + 1,
        .depth = p - 1 - r,
        .child_count = r > 0,
        .children = {r - 1},
    };
    if (p == 1)
        copy(s, span(ALLFOLD_OUT, 0, problem->count), span(ALLFOLD_IN, 0, problem->count));
    else
        allfold_doubly_pipelined(s, problem, &place, -1, false, segments(problem, parameters));
}

/* 2 (p-1) rounds for one segment. Of more, the second follows one round behind, as nothing comes
 * down yet. Each other follows two rounds behind, as ranks between have two messages each way for
 * it. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t p = (size_t)problem->group.size, n = problem->count;
    const struct segments cut = segments(problem, parameters);
    const size_t b = cut.count;
    const size_t rounds = b <= 1 ? 2 * (p - 1) : p == 2 ? b + 1 : 2 * (p - 1) + 2 * b - 3;
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = p == 1 ? 0 : rounds,
            .sent = p <= 2 ? (p - 1) * n : 2 * n,
            .reduced = p == 1 ? 0 : n,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_allreduce_chain = {
    .name = "chain",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "TU Wien 2023, exercise 3",
    .summary = "segments up through all ranks, and down as soon as they are reduced",
    .use = "very long vectors on few ranks, for comparison; dual_chain sends as much, with half "
           "the rounds until the pipeline is full",
    .consistent = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12, 64))},
    .build = build,
    .claim = claim,
};
