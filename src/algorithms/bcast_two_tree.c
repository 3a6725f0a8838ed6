/* Two trees: Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction
 * and scan (2009).
 *
 * The root sends the even segments to the root of a binary tree over the other ranks, and the odd
 * ones to the root of a second tree. In the second tree only ranks without children in the first
 * have children. So all ranks send as much as they receive. The trees differ from the paper's: see
 * two_tree.h.
 *
 * Invariant: a rank that receives the first segment of a tree in round t receives segment j of that
 * tree in round t + 2j, and never two segments in one round. */
#include "algorithms/algorithm.h"
#include "algorithms/two_tree.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct two_trees trees = two_trees_below(p, root);
    allfold_two_tree_down(s, problem, trees, two_tree_segments(problem, parameters->value[SEGMENT]),
                          span(r == root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count));
}

/* The busiest rank has two children in the first tree, from four ranks on. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = two_tree_segments(problem, parameters->value[SEGMENT]);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = two_tree_pipeline(p, cut.count),
            .sent = p == 1   ? 0
                    : p <= 3 ? problem->count
                             : 2 * allfold_two_tree_half(problem, cut),
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_bcast_two_tree = {
    .name = "two_tree",
    .collective = ALLFOLD_BCAST,
    .source = "Sanders, Speck and Traeff 2009",
    .summary = "segments down two binary trees in turn, so that all ranks are busy; volume 1",
    .use = "long vectors on many ranks, any root: each rank sends little more than the vector "
           "once; pipelined_circulant sends as much and fills its pipeline sooner",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 20))},
    .build = build,
    .claim = claim,
};
