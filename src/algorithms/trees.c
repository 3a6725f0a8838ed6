/* Trees (see peers.h). */
#include "algorithms/peers.h"

#include <assert.h>

struct tree allfold_tree_of_splits(int p, int root, int r,
                                   struct tree_split (*split)(int lo, int hi, int root))
{
    struct tree tree = {.parent = -1, .child_count = 0};
    int lo = 0, hi = p;
    assert(root >= 0 && root < p && r >= 0 && r < p);
    while (hi - lo > 1) {
        const struct tree_split at = split(lo, hi, root);
        const bool root_is_low = root < at.mid, is_low = r < at.mid;
        if (r == root)
            tree.children[tree.child_count++] = at.other;
        if (r == at.other)
            tree.parent = root;
        if (is_low != root_is_low)
            root = at.other;
        if (is_low)
            hi = at.mid;
        else
            lo = at.mid;
    }
    return tree;
}

static struct tree_split binomial_split(int lo, int hi, int root)
{
    const int mid = lo + (1 << (ceil_log2(hi - lo) - 1));
    return (struct tree_split){mid, root < mid ? mid : lo};
}

struct tree allfold_tree(int p, int root, int r)
{
    return allfold_tree_of_splits(p, root, r, binomial_split);
}

static struct tree_split canonical_split(int lo, int hi, int root)
{
    const int mid = lo + canonical_left(hi - lo);
    return (struct tree_split){mid, root < mid ? mid : lo};
}

struct tree allfold_canonical_tree(int p, int root, int r)
{
    return allfold_tree_of_splits(p, root, r, canonical_split);
}

/* A part of either tree that its lowest rank leads is ceil(lg) of its ranks deep, and that rank has
 * a child on each level. */
static int degree_of(int p, int root, struct tree_split (*split)(int lo, int hi, int root))
{
    int degree = 0, children_of_root = 0;
    while (p > 1) {
        int low = split(0, p, root).mid;
        int other = root < low ? p - low : low; /* ranks in the part that a child leads */
        children_of_root++;
        if (ceil_log2(other) > degree)
            degree = ceil_log2(other);
        root = root < low ? root : root - low;
        p -= other;
    }
    return children_of_root > degree ? children_of_root : degree;
}

int allfold_tree_degree(int p, int root)
{
    return degree_of(p, root, binomial_split);
}

int allfold_canonical_tree_degree(int p, int root)
{
    return degree_of(p, root, canonical_split);
}
