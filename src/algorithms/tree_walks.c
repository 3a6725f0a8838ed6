/* Reduction up and broadcast down a tree (see tree_walks.h). */
#include "algorithms/tree_walks.h"

#include "schedule/verbs.h"

/* The first child of the level that ends before child `end`. */
static int first_of_level(const struct tree *tree, int end)
{
    int first = end - 1;
    while (first > 0 && tree->children[first - 1].level == tree->children[end - 1].level)
        first--;
    return first;
}

/* The most children of a level. */
static int widest_level(const struct tree *tree)
{
    int widest = 0;
    for (int end = tree->child_count; end > 0; end = first_of_level(tree, end))
        if (end - first_of_level(tree, end) > widest)
            widest = end - first_of_level(tree, end);
    return widest;
}

/* Reduces the children first .. end - 1, which are of one level and in the order of their ranks,
 * with `mine`: those below this rank from the nearest to the farthest, then those above it. */
static void reduce_level(struct allfold_builder *s, const struct tree *tree, int first, int end,
                         int r, struct allfold_span from, struct allfold_span mine,
                         struct allfold_span result)
{
    const size_t n = mine.length;
    int above = first;
    for (int i = first; i < end; i++) {
        recv_from(s, tree->children[i].rank, part(from, (size_t)(i - first) * n, n));
        above += tree->children[i].rank < r;
    }
    for (int i = above - 1; i >= first; i--, mine = result)
        reduce(s, result, part(from, (size_t)(i - first) * n, n), mine);
    for (int i = above; i < end; i++, mine = result)
        reduce(s, result, mine, part(from, (size_t)(i - first) * n, n));
}

struct allfold_span allfold_walk_up(struct allfold_builder *s, const struct tree *tree, int r,
                                    size_t n, struct allfold_span result)
{
    struct allfold_span mine = span(ALLFOLD_IN, 0, n);
    if (tree->child_count > 0) {
        const size_t room = (size_t)widest_level(tree) * n;
        const bool has_levels = tree->children[tree->child_count - 1].level > 0;
        const struct allfold_span from[2] = {scratch(s, room), scratch(s, has_levels ? room : 0)};
        for (int end = tree->child_count; end > 0;) {
            const int first = first_of_level(tree, end);
            reduce_level(s, tree, first, end, r, from[tree->children[first].level % 2], mine,
                         result);
            mine = result;
            end = first;
        }
    }
    if (tree->parent >= 0)
        send_to(s, tree->parent, mine);
    return mine;
}

void allfold_build_up(struct allfold_builder *s, const struct allfold_problem *problem,
                      const struct tree *tree)
{
    const int r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span result =
        r == problem->root ? span(ALLFOLD_OUT, 0, n) : scratch(s, tree->child_count > 0 ? n : 0);
    const struct allfold_span mine = allfold_walk_up(s, tree, r, n, result);
    if (problem->group.size == 1)
        copy(s, result, mine);
}

void allfold_walk_down(struct allfold_builder *s, const struct tree *tree, struct allfold_span all)
{
    if (tree->parent >= 0)
        recv_from(s, tree->parent, all);
    for (int i = 0; i < tree->child_count; i++)
        send_to(s, tree->children[i].rank, all);
}

void allfold_build_up_and_down(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct tree tree =
        (problem->canonical ? allfold_canonical_tree : allfold_tree)(s, p, 0, r);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);

    const struct allfold_span mine = allfold_walk_up(s, &tree, r, problem->count, out);
    if (p == 1)
        copy(s, out, mine);
    allfold_walk_down(s, &tree, out);
}

/* Rank 0 has ceil(lg p) children and sends to each. No other rank has that many, so that with the
 * vector to its parent it sends no more. */
struct allfold_claim allfold_claim_up_and_down(const struct allfold_problem *problem,
                                               const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t lg = (size_t)ceil_log2(problem->group.size);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = 2 * lg,
            .sent = lg * problem->count,
            .reduced = lg * problem->count,
            .divisor = 1,
        },
        problem->count);
}
