/* Bine trees (see bine.h). */
#include "algorithms/bine.h"

#include <assert.h>

/* The leader is in the half that is near those who talk to it, and leads that half seen from the
 * other one. The near half is the longer one, so that the leader has ceil(lg m) children. */
int allfold_bine_lead(int m, bool from_below)
{
    int at = 0;
    for (; m > 1; m -= m / 2) {
        at += from_below ? 0 : m / 2;
        from_below = !from_below;
    }
    return at;
}

/* The root's half is the longer one, so that the root has ceil(lg p) children wherever it is. */
struct tree allfold_bine_tree(int p, int root, int r)
{
    struct tree tree = {.parent = -1, .child_count = 0};
    int lo = 0, hi = p;
    assert(root >= 0 && root < p && r >= 0 && r < p);
    while (hi - lo > 1) {
        const int longer = hi - lo - (hi - lo) / 2;
        const bool root_is_low = root < lo + longer;
        const int mid = root_is_low ? lo + longer : hi - longer;
        const int other = root_is_low ? mid + allfold_bine_lead(hi - mid, true)
                                      : lo + allfold_bine_lead(mid - lo, false);
        assert(root_is_low == (root < mid));
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
