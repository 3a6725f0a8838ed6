/* Two trees: Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction
 * and scan (2009): the reduction, then the broadcast.
 *
 * The even segments go up one binary tree and the odd ones up another; then all of them go down
 * again. An even number of ranks needs no common root: each tree's own root has its result. With an
 * odd number, the last rank is the parent of both roots. The way up keeps all ranks busy, so it
 * would not help if the first segments went down earlier.
 *
 * Invariant: both trees keep rank order, and a segment is reduced in only one of them, so all ranks
 * get bitwise identical results. */
#include "algorithms/algorithm.h"
#include "algorithms/peers.h"
#include "algorithms/two_tree.h"
#include "schedule/verbs.h"

enum { SEGMENT };

/* The rounds of b segments: twice those of the paper's reduction, without the two between the
 * trees' roots and their parent where there is none. The second of two segments starts at once
 * there, which saves two rounds where no other segment and no free place comes between. */
static size_t rounds(int p, size_t b)
{
    const bool has_parent = p % 2 != 0;
    if (p <= 2 || b == 0)
        return p == 1 ? 0 : (b + 1) / 2 * 2;
    const size_t up = (size_t)allfold_two_tree_rounds(p / 2 * 2) - 1 + b;
    const bool overlaps = b == 2 && p != 6 && allfold_two_tree_is_full(p);
    return 2 * up - (has_parent ? 0 : overlaps ? 4 : 2);
}

/* Two ranks just exchange halves. */
static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    if (problem->group.size == 2)
        return allfold_segments(problem->count, parameters->value[SEGMENT], problem->element_bytes,
                                ceil_divide(problem->count, 2));
    const double fixed = (double)rounds(problem->group.size, 3) - 6;
    return allfold_pipeline(problem, parameters->value[SEGMENT], fixed, 2);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct two_trees trees = {.first = 0, .n = problem->group.size / 2 * 2};
    const struct segments cut = segments(problem, parameters);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    if (problem->group.size == 1)
        copy(s, out, span(ALLFOLD_IN, 0, problem->count));
    allfold_two_tree_up(s, problem, trees, cut, out);
    allfold_two_tree_down(s, problem, trees, cut, out);
}

/* A rank with two children in the first tree sends the vector up, and what that tree carries down
 * twice. There is one from four ranks on. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = segments(problem, parameters);
    const size_t n = problem->count, half = allfold_two_tree_half(problem, cut);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = rounds(p, cut.count),
            .sent = p == 1 ? 0 : n + (p >= 4 ? 2 : p == 3) * half,
            .reduced = p == 1   ? 0
                       : p == 2 ? half
                       : p == 3 ? n
                                : 2 * half,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_allreduce_two_tree = {
    .name = "two_tree",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Sanders, Speck and Traeff 2009",
    .summary = "segments up and then down two binary trees in turn; volume 2, any operation",
    .use = "very long vectors on many ranks, any operation: 2 n sent, as dual_chain, in rounds "
           "that grow with lg p, not with p",
    .consistent = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12, 20))},
    .build = build,
    .claim = claim,
};
