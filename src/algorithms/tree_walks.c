/* Walks of whole vectors over a tree (see tree_walks.h). */
#include "algorithms/tree_walks.h"

#include "schedule/verbs.h"

struct allfold_span allfold_walk_up(struct allfold_builder *s, const struct tree *tree, int r,
                                    size_t n, struct allfold_span result)
{
    struct allfold_span mine = span(ALLFOLD_IN, 0, n);
    if (tree->child_count > 0) {
        const struct allfold_span tmp[2] = {scratch(s, n), scratch(s, n)};
        for (int i = tree->child_count - 1; i >= 0; i--) {
            const int child = tree->children[i];
            recv_from(s, child, tmp[i % 2]);
            if (child < r)
                reduce(s, result, tmp[i % 2], mine);
            else
                reduce(s, result, mine, tmp[i % 2]);
            mine = result;
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
        send_to(s, tree->children[i], all);
}

void allfold_build_up_and_down(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct tree tree = (problem->canonical ? allfold_canonical_tree : allfold_tree)(p, 0, r);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);

    const struct allfold_span mine = allfold_walk_up(s, &tree, r, problem->count, out);
    if (p == 1)
        copy(s, out, mine);
    allfold_walk_down(s, &tree, out);
}

/* Rank 0 has ceil(lg p) children and sends to each. No other rank has so many, so that with the
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
