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

void allfold_walk_down(struct allfold_builder *s, const struct tree *tree, struct allfold_span all)
{
    if (tree->parent >= 0)
        recv_from(s, tree->parent, all);
    for (int i = 0; i < tree->child_count; i++)
        send_to(s, tree->children[i], all);
}
