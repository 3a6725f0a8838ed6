/* Pipelined binary tree: TU Wien 2023, exercise 4, MY_Reduce_T, there for root 0 and MPI_MAX.
 *
 * Each rank reduces the segments of its children, the first child's first, and sends the result
 * while it receives the next. The trees of binary_tree.h keep consecutive ranks together.
 *
 * Invariant: after each child a rank has the reduction over consecutive ranks, so operands stay in
 * rank order. */
#include "algorithms/algorithm.h"
#include "algorithms/binary_tree.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct place place = allfold_binary_tree(0, p, root, r, EARLY_SHARES);
    const struct segments cut = allfold_binary_tree_segments(problem, parameters->value[SEGMENT]);
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, r == root ? problem->count : 0);
    struct allfold_span tmp[2][2];

    if (p == 1)
        copy(s, out, in);
    for (int i = 0; i < 2 * place.child_count; i++)
        tmp[i / 2][i % 2] = scratch(s, cut.length);
    for (size_t j = 0; j < cut.count; j++) {
        struct allfold_span mine = segment_of(in, cut, j);
        for (int i = 0; i < place.child_count; i++) {
            const struct allfold_span got = part(tmp[i][j % 2], 0, mine.length);
            const struct allfold_span result = r == root ? segment_of(out, cut, j) : got;
            recv_from(s, place.children[i], got);
            if (place.children[i] < r)
                reduce(s, result, got, mine);
            else
                reduce(s, result, mine, got);
            mine = result;
        }
        if (r != root)
            send_to(s, place.parent, mine);
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const size_t n = problem->count, children = (size_t)allfold_binary_tree_degree(p);
    const struct segments cut = allfold_binary_tree_segments(problem, parameters->value[SEGMENT]);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = allfold_binary_tree_pipeline(p, problem->root, cut.count),
            .sent = p == 1 ? 0 : n,
            .reduced = children * n,
            .divisor = 1,
            .got = children * n,
        },
        cut.length);
}

const struct allfold_algorithm allfold_reduce_pipelined_tree = {
    .name = "pipelined_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "TU Wien 2023, exercise 4",
    .summary = "segments up a binary tree",
    .use = "long vectors on more ranks than chain is for, any operation: fills its pipeline in "
           "about 1.5 lg p rounds, but the root receives 2 n",
    .consistent = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 20))},
    .build = build,
    .claim = claim,
};
