/* Positions in binary trees for pipelines (see binary_tree.h). */
#include "algorithms/binary_tree.h"

#include <assert.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* N(t) is the most ranks that a message can reach in t rounds where each sends it twice at most.
 * N(t) = 1 + N(t-1) + N(t-2). */
struct reach {
    int rounds;        /* the least t with N(t) >= n */
    int now, one, two; /* N(t), N(t-1), N(t-2) */
};

static struct reach reach_of(int n)
{
    struct reach reach = {.rounds = 0, .now = 1, .one = 0, .two = 0};
    while (reach.now < n) {
        reach.two = reach.one;
        reach.one = reach.now;
        const int now = 1 + reach.one;
        reach.now = now > n - reach.two ? n : now + reach.two;
        reach.rounds++;
    }
    return reach;
}

/* How many of the n ranks of a subtree, besides its root, go to the first child. */
static int first_share(int n, enum shares shares)
{
    const int half = (n - 1) / 2;
    if (shares == EVEN_SHARES || n < 3)
        return half;
    const int most = reach_of(n).two;
    return most < half ? most : half;
}

struct range {
    int lo, hi, root;
};

/* The ranks below the root of a range, as its children's ranges; the first may be empty. */
static void share_out(struct range of, enum shares shares, struct range below[2])
{
    const int first = first_share(of.hi - of.lo, shares);
    if (of.root == of.hi - 1) {
        const int cut = of.root - first;
        below[0] = (struct range){cut, of.root, of.root - 1};
        below[1] = (struct range){of.lo, cut, cut - 1};
    } else if (of.root == of.lo) {
        const int cut = of.root + 1 + first;
        below[0] = (struct range){of.root + 1, cut, of.root + 1};
        below[1] = (struct range){cut, of.hi, cut};
    } else {
        const int lower = of.root - of.lo, upper = of.hi - 1 - of.root;
        below[lower > upper] = (struct range){of.lo, of.root, of.root - 1};
        below[lower <= upper] = (struct range){of.root + 1, of.hi, of.root + 1};
    }
    assert(below[0].hi - below[0].lo + below[1].hi - below[1].lo == of.hi - of.lo - 1);
}

struct place allfold_binary_tree(int lo, int hi, int root, int r, enum shares shares)
{
    struct place place = {.parent = -1};
    struct range at = {lo, hi, root}, below[2];
    assert(lo <= root && root < hi && lo <= r && r < hi);
    share_out(at, shares, below);
    while (at.root != r) {
        place.parent = at.root;
        place.depth++;
        at = below[r < below[0].lo || r >= below[0].hi];
        share_out(at, shares, below);
    }
    place.ranks = at.hi - at.lo;
    for (int i = 0; i < 2; i++)
        if (below[i].lo < below[i].hi)
            place.children[place.child_count++] = below[i].root;
    return place;
}

int allfold_binary_tree_rounds(int p, int root)
{
    if (root == 0 || root == p - 1)
        return reach_of(p).rounds;
    const int lower = root, upper = p - 1 - root;
    const int first = reach_of(lower < upper ? lower : upper).rounds;
    const int second = reach_of(lower < upper ? upper : lower).rounds;
    return larger(2 + first, 1 + second);
}

struct segments allfold_binary_tree_segments(const struct allfold_problem *problem, size_t bytes)
{
    const int p = problem->group.size, slope = p > 2 ? 2 : 1;
    const int fixed = allfold_binary_tree_rounds(p, problem->root) - slope;
    return allfold_pipeline(problem, bytes, fixed, slope);
}

size_t allfold_binary_tree_pipeline(int p, int root, size_t b)
{
    const size_t further = b > 1 ? b - 1 : 0;
    return (size_t)allfold_binary_tree_rounds(p, root) +
           (size_t)allfold_binary_tree_degree(p) * further;
}
