/* Leaders and splits of Bine trees (see bine.h). */
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
static struct tree_split split(int lo, int hi, int root)
{
    const int longer = hi - lo - (hi - lo) / 2;
    if (root < lo + longer) {
        const int mid = lo + longer;
        return (struct tree_split){mid, mid + allfold_bine_lead(hi - mid, true)};
    }
    const int mid = hi - longer;
    assert(root >= mid);
    return (struct tree_split){mid, lo + allfold_bine_lead(mid - lo, false)};
}

struct tree allfold_bine_tree(struct allfold_builder *s, int p, int root, int r)
{
    return allfold_tree_of_splits(s, p, root, r, split);
}
