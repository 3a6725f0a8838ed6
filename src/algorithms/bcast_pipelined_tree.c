/* Pipelined binary tree: TU Wien 2023, exercise 4, MY_Bcast_T.
 *
 * It uses the reduce's tree from the root to the leaves. Each rank sends each segment to its second
 * child and then to its first, while it receives the next.
 *
 * Invariant: a rank that a single message would reach in round k receives segment j in round k +
 * 2j. */
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
    const struct allfold_span all = span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count);

    for (size_t j = 0; j < cut.count; j++) {
        if (r != root)
            recv_from(s, place.parent, segment_of(all, cut, j));
        for (int i = place.child_count - 1; i >= 0; i--)
            send_to(s, place.children[i], segment_of(all, cut, j));
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
            .sent = children * n,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_bcast_pipelined_tree = {
    .name = "pipelined_tree",
    .collective = ALLFOLD_BCAST,
    .source = "TU Wien 2023, exercise 4",
    .summary = "segments down a binary tree",
    .use = "long vectors, for comparison: the root sends them twice, with pipelined_circulant "
           "about once; a rank talks to three others at most",
    .consistent = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 20))},
    .build = build,
    .claim = claim,
};
