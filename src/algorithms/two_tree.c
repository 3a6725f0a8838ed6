/* Positions in the two binary trees, and the programs over them (see two_tree.h).
 *
 * Ranks with children alternate with ranks without: of 2k + 1 consecutive positions the k odd ones
 * have two children each. An even n lacks the last position or, if k is odd, the first. The first
 * child is the lower one. */
#include "algorithms/two_tree.h"

#include <assert.h>

#include "algorithms/peers.h"
#include "schedule/verbs.h"

/* A(t) is the most ranks with children in a tree whose last rank receives t rounds after its root.
 * A(t) = 1 + A(t-1) + A(t-2), with the last of these rounded down to an even number. */
struct reach {
    int rounds;    /* the least t with A(t) >= k */
    long now, two; /* A(t), A(t-2) */
};

static long even(long k)
{
    return k - k % 2;
}

static struct reach reach_of(int k)
{
    struct reach reach = {.rounds = k > 0};
    long one = 0;
    while (reach.now < k) {
        reach.two = one;
        one = reach.now;
        reach.now = 1 + one + even(reach.two);
        reach.rounds++;
    }
    return reach;
}

/* How many of k ranks with children go to the second child: as even as the rounds let it be. */
static int second_share(int k)
{
    const long half = even((k - 1) / 2), most = even(reach_of(k).two);
    return (int)(half < most ? half : most);
}

/* The subtree with the odd positions 2 lo + 1 .. 2 hi - 1; if there are none, only position 2 lo.
 */
struct row {
    int lo, hi;
};

static int top(struct row row)
{
    const int k = row.hi - row.lo;
    return k == 0 ? 2 * row.lo : 2 * (row.hi - 1 - second_share(k)) + 1;
}

static int mirrored(int n, int i)
{
    return i < n / 2 * 2 ? n / 2 * 2 - 1 - i : i;
}

/* Converts a rank to its position, or a position to its rank; n or more if an even n lacks the
 * position. */
static int place_of(int n, int tree, int i)
{
    const int k = n / 2;
    return ((tree == 0 ? i : mirrored(n, i)) + k % 2) % (2 * k + 1);
}

static int rank_at(int n, int tree, int place)
{
    const int k = n / 2, i = k % 2 == 0 ? place : place == 0 ? 2 * k : place - 1;
    return tree == 0 ? i : mirrored(n, i);
}

struct two_tree_place allfold_two_tree(int n, int tree, int i)
{
    struct row at = {0, n / 2};
    int here = top(at);
    if (i == n)
        return (struct two_tree_place){.parent = -1,
                                       .child_count = 1,
                                       .children = {rank_at(n, tree, here)},
                                       .times = {1 + tree}};

    const int place = place_of(n, tree, i);
    struct two_tree_place found = {.parent = n, .time = 1 + tree};
    while (here != place) {
        const bool second = place > here;
        at = second ? (struct row){here / 2 + 1, at.hi} : (struct row){at.lo, here / 2};
        found.time += 1 + second;
        found.parent = rank_at(n, tree, here);
        here = top(at);
    }
    const struct row below[2] = {{at.lo, here / 2}, {here / 2 + 1, at.hi}};
    for (int c = 0; c < 2 && at.lo < at.hi; c++) {
        const int child = rank_at(n, tree, top(below[c]));
        if (child >= n)
            continue;
        found.children[found.child_count] = child;
        found.times[found.child_count++] = found.time + 1 + c;
    }
    return found;
}

/* The place that an even n lacks is one of the last to receive; the only one for these three n. */
int allfold_two_tree_rounds(int n)
{
    return n == 0 ? 0 : 1 + reach_of(n / 2).rounds - (n == 2 || n == 6 || n == 14);
}

bool allfold_two_tree_is_full(int n)
{
    const long most = reach_of(n / 2).now;
    return n / 2 == most || n / 2 == even(most);
}

struct link {
    int peer, tree, time;
    bool is_child, is_lower; /* its subtree covers lower ranks */
    bool joins;              /* going up: what there is before is not the rank's own input alone */
};

struct links {
    int count;
    struct link of[4];
};

/* Children first, so that of an exchange the send starts first. */
static struct links links_of(const struct allfold_problem *problem, struct two_trees trees)
{
    const int p = problem->group.size, n = trees.n;
    const int i = wrap(problem->group.index - trees.first, p);
    struct links links = {.count = 0};
    /* an odd difference, so that the rank's two trees never want the same round */
    assert(i >= n || (allfold_two_tree(n, 0, i).time + allfold_two_tree(n, 1, i).time) % 2 != 0);
    for (int l = 0; l < 4 && n > 0; l++) {
        const int tree = l % 2;
        const struct two_tree_place place = allfold_two_tree(n, tree, i);
        for (int c = 0; c < place.child_count && l < 2; c++)
            links.of[links.count++] =
                (struct link){.peer = wrap(trees.first - p + place.children[c], p),
                              .tree = tree,
                              .time = place.times[c],
                              .is_child = true,
                              .is_lower = place.children[c] < i,
                              .joins = c + 1 < place.child_count};
        if (l >= 2 && place.parent >= 0 && place.parent < p)
            links.of[links.count++] = (struct link){.peer = wrap(trees.first - p + place.parent, p),
                                                    .tree = tree,
                                                    .time = place.time,
                                                    .joins = place.child_count > 0};
    }
    return links;
}

/* No message is later. */
static size_t last_round(struct two_trees trees, struct segments cut)
{
    return cut.count + (size_t)allfold_two_tree_rounds(trees.n) + 1;
}

/* Returns the number of the segment that a link carries in a round; a number beyond all segments if
 * there is none. */
static size_t segment_in(const struct link *link, size_t round)
{
    const size_t time = (size_t)link->time;
    return round < time || (round - time) % 2 != 0 ? SIZE_MAX : round - time + (size_t)link->tree;
}

void allfold_two_tree_down(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct two_trees trees, struct segments cut, struct allfold_span all)
{
    const struct links links = links_of(problem, trees);
    const size_t last = last_round(trees, cut);
    for (size_t round = 1; round <= last; round++)
        for (int l = 0; l < links.count; l++) {
            const struct link *link = &links.of[l];
            const struct allfold_span moved = segment_of(all, cut, segment_in(link, round));
            if (link->is_child)
                send_to(s, link->peer, moved);
            else
                recv_from(s, link->peer, moved);
        }
}

void allfold_two_tree_up(struct allfold_builder *s, const struct allfold_problem *problem,
                         struct two_trees trees, struct segments cut, struct allfold_span out)
{
    const struct links links = links_of(problem, trees);
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    struct allfold_span tmp[4][2], sum = in;
    for (int l = 0; l < links.count; l++)
        for (int i = 0; i < 2; i++)
            tmp[l][i] = scratch(s, links.of[l].is_child ? cut.length : 0);

    for (size_t round = last_round(trees, cut); round > 0; round--)
        for (int l = links.count - 1; l >= 0; l--) {
            const struct link *link = &links.of[l];
            const size_t j = segment_in(link, round);
            if (j >= cut.count)
                continue;
            const struct allfold_span mine = link->joins ? sum : segment_of(in, cut, j);
            if (!link->is_child) {
                send_to(s, link->peer, mine);
                continue;
            }
            const struct allfold_span got = part(tmp[l][j / 2 % 2], 0, mine.length);
            sum = out.length > 0 ? segment_of(out, cut, j) : got;
            recv_from(s, link->peer, got);
            reduce(s, sum, link->is_lower ? got : mine, link->is_lower ? mine : got);
        }
}

size_t allfold_two_tree_half(const struct allfold_problem *problem, struct segments cut)
{
    const size_t n = problem->count, last = cut.count == 0 ? 0 : n - (cut.count - 1) * cut.length;
    return cut.count / 2 * cut.length + (cut.count % 2 == 0 ? 0 : last);
}
