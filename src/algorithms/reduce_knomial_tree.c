/* Reduce over a k-nomial tree: the binomial tree (Rabenseifner 2004, section 2.3) with radix k.
 *
 * Each rank reduces what its children send, a level at a time, the smallest parts first, and sends
 * the result to its parent.
 *
 * Invariant: after each child a rank holds the reduction over consecutive ranks, so operands stay
 * in rank order. */
#include "algorithms/all.h"
#include "algorithms/knomial_tree.h"
#include "schedule/verbs.h"

/* Reduces the children first .. end - 1, which are of one level, with `mine`: those below this rank
 * from the nearest to the farthest, then those above it. */
static struct allfold_span reduce_level(struct allfold_builder *s, const struct tree *tree,
                                        int first, int end, int r, struct allfold_span from,
                                        struct allfold_span mine, struct allfold_span result)
{
    const size_t n = mine.length;
    int above = first;
    for (int i = first; i < end; i++) {
        recv_from(s, tree->children[i], part(from, (size_t)(i - first) * n, n));
        above += tree->children[i] < r;
    }
    for (int i = above - 1; i >= first; i--, mine = result)
        reduce(s, result, part(from, (size_t)(i - first) * n, n), mine);
    for (int i = above; i < end; i++, mine = result)
        reduce(s, result, mine, part(from, (size_t)(i - first) * n, n));
    return result;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, radix = (int)parameters->value[0];
    const size_t n = problem->count;
    const struct allfold_knomial place = allfold_knomial_tree(p, problem->root, r, radix);
    const struct allfold_span result =
        r == problem->root ? span(ALLFOLD_OUT, 0, n) : scratch(s, place.levels > 0 ? n : 0);
    const size_t room = place.levels > 0 ? (size_t)(radix - 1) * n : 0;
    const struct allfold_span from[2] = {scratch(s, room), scratch(s, place.levels > 1 ? room : 0)};
    struct allfold_span mine = span(ALLFOLD_IN, 0, n);
    for (int i = place.levels - 1; i >= 0; i--)
        mine = reduce_level(s, &place.tree, i == 0 ? 0 : place.ends[i - 1], place.ends[i], r,
                            from[i % 2], mine, result);
    if (place.tree.parent >= 0)
        send_to(s, place.tree.parent, mine);
    else if (p == 1)
        copy(s, result, mine);
}

const struct allfold_algorithm allfold_reduce_knomial_tree = {
    .name = "knomial_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "k-nomial tree, after Rabenseifner 2004, section 2.3",
    .summary = "whole vectors up a tree of depth log_k p, from radix - 1 children at once",
    .use = "short vectors, any p, root and operation, where several small messages overlap: fewer "
           "rounds than binomial_tree; the root receives up to (k - 1) ceil(log_k p) vectors",
    .consistent = true,
    .is_inner = true,
    .back = &allfold_bcast_knomial_tree,
    .parameters = {ALLFOLD_KNOMIAL_RADIX},
    .build = build,
    .claim = allfold_knomial_claim,
};
