/* Trees (see peers.h). */
#include "algorithms/peers.h"

#include <assert.h>

struct tree allfold_tree(int p, int root, int r)
{
    struct tree tree = {.parent = -1, .child_count = 0};
    int lo = 0, hi = p;
    assert(root >= 0 && root < p && r >= 0 && r < p);
    while (hi - lo > 1) {
        int mid = lo + (1 << (ceil_log2(hi - lo) - 1));
        bool root_is_low = root < mid;
        int other = root_is_low ? mid : lo;
        if ((r < mid) == root_is_low) {
            if (r == root)
                tree.children[tree.child_count++] = other;
        } else {
            if (r == other)
                tree.parent = root;
            root = other;
        }
        if (r < mid)
            hi = mid;
        else
            lo = mid;
    }
    return tree;
}

int allfold_tree_degree(int p, int root)
{
    int degree = 0, children_of_root = 0;
    while (p > 1) {
        int low = 1 << (ceil_log2(p) - 1);
        int other = root < low ? p - low : low; /* ranks in the part that a child leads */
        children_of_root++;
        if (ceil_log2(other) > degree)
            degree = ceil_log2(other);
        root = root < low ? root : root - low;
        p -= other;
    }
    return children_of_root > degree ? children_of_root : degree;
}
