/* Two trees: Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction
 * and scan (2009).
 *
 * The messages are those of the broadcast, backwards. The even segments go up one binary tree over
 * all ranks except the root, the odd ones up another. The trees' roots send them to the root in
 * turn.
 *
 * Invariant: after a rank has received a segment from its children in a tree, it has the reduction
 * over its subtree. The root is last in the order of both trees, so if it is between other ranks,
 * the operation has to be commutative. To avoid that, both trees would need a free position for the
 * root there, and they have none. */
#include "algorithms/all.h"
#include "algorithms/two_tree.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct two_trees trees = two_trees_below(p, root);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, r == root ? problem->count : 0);
    if (p == 1)
        copy(s, out, span(ALLFOLD_IN, 0, problem->count));
    allfold_two_tree_up(s, problem, trees, two_tree_segments(problem, parameters->value[SEGMENT]),
                        out);
}

/* The busiest rank has two children in the first tree, from four ranks on. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = two_tree_segments(problem, parameters->value[SEGMENT]);
    const size_t got = p == 1   ? 0
                       : p <= 3 ? problem->count
                                : 2 * allfold_two_tree_half(problem, cut);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = two_tree_pipeline(p, cut.count),
            .sent = p == 1 ? 0 : problem->count,
            .reduced = got,
            .divisor = 1,
            .got = got,
        },
        cut.length);
}

const struct allfold_algorithm allfold_reduce_two_tree = {
    .name = "two_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "Sanders, Speck and Traeff 2009",
    .summary = "segments up two binary trees in turn, so that all ranks are busy; volume 1",
    .use = "long vectors of commutative operations on many ranks, any root: as bcast.two_tree, "
           "turned round",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_bcast_two_tree,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 20))},
    .build = build,
    .claim = claim,
};
