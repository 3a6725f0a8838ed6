/* Doubly pipelined dual root: Traeff, arXiv 2109.12626, Algorithm 1; TU Wien 2023, exercise 5.
 *
 * Each half of the ranks reduces in a binary tree. The two roots exchange their reductions, and the
 * results go down again while later segments go up.
 *
 * Invariant: see doubly_pipelined.h; post-order numbering keeps operands in rank order. */
#include "algorithms/algorithm.h"
#include "algorithms/doubly_pipelined.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const double slope = (double)allfold_dual_root_degree(p);
    const double fixed = (double)allfold_dual_root_rounds(p, 1, false) - slope;
    return allfold_pipeline(problem, parameters->value[SEGMENT], fixed, slope);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, middle = p / 2;
    const bool is_upper = r >= middle;
    if (p == 1) {
        copy(s, span(ALLFOLD_OUT, 0, problem->count), span(ALLFOLD_IN, 0, problem->count));
        return;
    }
    const int root = is_upper ? p - 1 : middle - 1, other = is_upper ? middle - 1 : p - 1;
    const struct place place =
        allfold_binary_tree(is_upper ? middle : 0, root + 1, root, r, EVEN_SHARES);
    allfold_doubly_pipelined(s, problem, &place, r == root ? other : -1, false,
                             segments(problem, parameters));
}

/* For p = 2^h - 2 these are the paper's 4h - 10 + 3b rounds. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = segments(problem, parameters);
    const size_t busiest = allfold_dual_root_degree(p) * problem->count;
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = allfold_dual_root_rounds(p, cut.count, false),
            .sent = busiest,
            .reduced = busiest,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_allreduce_dual_root = {
    .name = "dual_root",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff, arXiv 2109.12626",
    .summary = "segments up two binary trees whose roots exchange, and down at once",
    .use = "very long vectors on many ranks, above all of operations that do not commute: fills "
           "its pipeline in about 4 lg p rounds where dual_chain takes p, but sends 3 n, not 2 n",
    .consistent = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12, 64))},
    .build = build,
    .claim = claim,
};
