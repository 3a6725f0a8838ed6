/* Splits of the k-nomial tree, and its claim (see knomial_tree.h). */
#include "algorithms/knomial_tree.h"

/* The length of the parts that n > 1 ranks are cut into: the largest power of k below n. */
static int part_of(int n, int radix)
{
    int part = 1;
    while (part < (n - 1) / radix + 1)
        part *= radix;
    return part;
}

static int count_parts(int n, int part)
{
    return (n - 1) / part + 1;
}

struct tree allfold_knomial_tree(struct allfold_builder *s, int p, int root, int r, int radix)
{
    struct tree tree = allfold_tree_begin(s);
    tree.covered = r == root ? p : 1;
    for (int begin = 0, n = p, leader = root, level = 0; n > 1; level += r == leader) {
        const int part = part_of(n, radix), parts = count_parts(n, part);
        const int mine = (r - begin) / part, leaders = (leader - begin) / part;
        for (int i = 0; i < parts && r == leader; i++)
            if (i != mine)
                allfold_tree_add(&tree, (struct tree_child){begin + i * part, level,
                                                            i == parts - 1 ? n - i * part : part});
        const int lowest = begin + mine * part;
        n = mine == parts - 1 ? n - mine * part : part;
        if (mine != leaders) {
            if (r == lowest) {
                tree.parent = leader;
                tree.covered = n;
            }
            leader = lowest;
        }
        begin = lowest;
    }
    return tree;
}

static int count_levels(int p, int radix)
{
    int levels = 0;
    for (int n = p; n > 1; levels++)
        n = part_of(n, radix);
    return levels;
}

/* The children of the root: on each level one for each part but its own. */
static int count_children(int n, int root, int radix)
{
    int children = 0;
    while (n > 1) {
        const int part = part_of(n, radix), parts = count_parts(n, part), mine = root / part;
        children += parts - 1;
        n = mine == parts - 1 ? n - mine * part : part;
        root -= mine * part;
    }
    return children;
}

/* The most children of a rank: of the root, or of one that leads a part of k^j ranks. */
static int most_children(int p, int root, int radix)
{
    const int of_root = count_children(p, root, radix);
    if (p == 1)
        return 0;
    const int part = part_of(p, radix);
    const bool another_is_whole = p / part > 1 || root >= part;
    const int of_another = (radix - 1) * count_levels(part, radix);
    return another_is_whole && of_another > of_root ? of_another : of_root;
}

struct allfold_claim allfold_knomial_claim(const struct allfold_problem *problem,
                                           const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, radix = (int)parameters->value[0];
    const bool reduces = problem->collective == ALLFOLD_REDUCE;
    const size_t children = (size_t)most_children(p, problem->root, radix) * problem->count;
    return (struct allfold_claim){
        .rounds = (size_t)count_levels(p, radix),
        .sent = reduces ? (p > 1) * problem->count : children,
        .reduced = reduces ? children : 0,
        .ports = (unsigned)lesser((size_t)radix, (size_t)p) - 1,
        .divisor = 1,
        .got = reduces ? children : 0,
    };
}
