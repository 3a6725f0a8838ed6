/* Binomial and canonical trees (see trees.h). */
#include "algorithms/trees.h"

#include <assert.h>
#include <string.h>

struct tree allfold_tree_begin(struct allfold_builder *s)
{
    return (struct tree){.parent = -1, .builder = s};
}

void allfold_tree_add(struct tree *tree, struct tree_child child)
{
    if (tree->child_count == tree->capacity) {
        const int capacity = tree->capacity == 0 ? ALLFOLD_MAX_LOG2 : 2 * tree->capacity;
        const size_t bytes = (size_t)tree->child_count * sizeof child;
        struct tree_child *wider =
            allfold_builder_memory(tree->builder, (size_t)capacity * sizeof child);
        if (wider == NULL)
            return;
        if (bytes > 0)
            memcpy(wider, tree->children, bytes);
        tree->children = wider;
        tree->capacity = capacity;
    }
    tree->children[tree->child_count++] = child;
}

struct tree allfold_tree_of_splits(struct allfold_builder *s, int p, int root, int r,
                                   struct tree_split (*split)(int lo, int hi, int root))
{
    struct tree tree = allfold_tree_begin(s);
    int lo = 0, hi = p;
    assert(root >= 0 && root < p && r >= 0 && r < p);
    tree.covered = p;
    while (hi - lo > 1) {
        const struct tree_split at = split(lo, hi, root);
        const bool root_is_low = root < at.mid, is_low = r < at.mid;
        const int covered = root_is_low ? hi - at.mid : at.mid - lo;
        if (r == root)
            allfold_tree_add(&tree, (struct tree_child){at.other, tree.child_count, covered});
        if (r == at.other) {
            tree.parent = root;
            tree.covered = covered;
        }
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

struct tree allfold_tree(struct allfold_builder *s, int p, int root, int r)
{
    return allfold_tree_of_splits(s, p, root, r, binomial_split);
}

static struct tree_split canonical_split(int lo, int hi, int root)
{
    const int mid = lo + canonical_left(hi - lo);
    return (struct tree_split){mid, root < mid ? mid : lo};
}

struct tree allfold_canonical_tree(struct allfold_builder *s, int p, int root, int r)
{
    return allfold_tree_of_splits(s, p, root, r, canonical_split);
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
