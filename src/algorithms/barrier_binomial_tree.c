/* Barrier over a binomial tree: the tree that End et al. 2016 compare with (sections I and IV).
 *
 * Tokens go up the tree of the reduce, and the root's word that all have come goes down.
 *
 * Invariant: a rank's token goes up once all ranks of its subtree have come. */
#include "algorithms/algorithm.h"
#include "algorithms/tree_walks.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct tree tree = allfold_tree(p, 0, r);

    const struct allfold_span mine = allfold_walk_up(s, &tree, r, n, out);
    if (r == 0)
        copy(s, out, mine);
    allfold_walk_down(s, &tree, out);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const size_t degree = (size_t)allfold_tree_degree(p, 0);
    return (struct allfold_claim){
        .rounds = 2 * (size_t)ceil_log2(p),
        .sent = degree * problem->count,
        .reduced = degree * problem->count,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_barrier_binomial_tree = {
    .name = "binomial_tree",
    .collective = ALLFOLD_BARRIER,
    .source = "End et al. 2016, sections I and IV",
    .summary = "tokens up a tree of depth lg p and back down; the fewest messages",
    .use = "where few messages in all, 2 (p-1), count more than rounds, of which it has twice as "
           "many as dissemination",
    .consistent = true,
    .only_forced = true,
    .build = build,
    .claim = claim,
};
