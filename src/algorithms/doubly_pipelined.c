/* Doubly pipelined reduction to all (see doubly_pipelined.h). */
#include "algorithms/doubly_pipelined.h"

#include "schedule/verbs.h"

static void reduce_from(struct allfold_builder *s, int r, int peer, struct allfold_span to,
                        struct allfold_span got, struct allfold_span mine)
{
    if (peer < r)
        reduce(s, to, got, mine);
    else
        reduce(s, to, mine, got);
}

/* What a rank exchanges with its child i, out of a segment. */
static struct allfold_span share(struct allfold_span segment, const struct place *place, int i,
                                 bool halves)
{
    return halves ? half_span(segment, place->children[i] > place->children[1 - i]) : segment;
}

void allfold_doubly_pipelined(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct place *place, int other_root, bool halves,
                              struct segments cut)
{
    const int r = problem->group.index;
    const size_t n = problem->count, d = (size_t)place->depth;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span tmp[2] = {scratch(s, cut.length), scratch(s, cut.length)};
    unsigned received = 0;

    for (size_t j = 0; j < cut.count + d + 1; j++) {
        const struct allfold_span up = segment_of(out, cut, j);
        const struct allfold_span down = segment_of(out, cut, j - d - 1);
        struct allfold_span mine = segment_of(in, cut, j);
        for (int i = 0; i < place->child_count; i++) {
            const int child = place->children[i];
            const struct allfold_span sum = share(up, place, i, halves);
            const struct allfold_span got = part(tmp[received++ % 2], 0, sum.length);
            exchange(s, child, share(down, place, i, halves), child, got);
            reduce_from(s, r, child, sum, got, share(mine, place, i, halves));
            mine = halves ? mine : up;
        }
        mine = place->child_count > 0 ? up : mine;
        if (other_root >= 0) {
            const struct allfold_span got = part(tmp[received++ % 2], 0, up.length);
            exchange(s, other_root, mine, other_root, got);
            reduce_from(s, r, other_root, up, got, mine);
        } else if (place->parent >= 0) {
            exchange(s, place->parent, mine, place->parent, segment_of(out, cut, j - d));
        }
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The trips of m and of m + 1 ranks; the shares of both are of (m-1)/2 and (m-1)/2 + 1 ranks. */
static void trips_of(int m, bool halves, struct trip trips[2])
{
    struct trip below[2];
    const int least = (m - 1) / 2;
    if (m > 1)
        trips_of(least, halves, below);
    for (int i = 0; i < 2; i++) {
        const int n = m + i;
        trips[i] = (struct trip){n - 1, n - 1};
        if (n < 3)
            continue;
        const struct trip first = below[(n - 1) / 2 - least], second = below[n / 2 - least];
        const int swap = n == 3 && halves;
        trips[i].up = 1 + larger(1 + first.up, second.up) + swap;
        trips[i].down = larger(1 + first.down, 2 + second.down) + swap;
    }
}

struct trip allfold_trip(int n, bool halves)
{
    struct trip trips[2];
    trips_of(n, halves, trips);
    return trips[0];
}

size_t allfold_dual_root_degree(int p)
{
    return p >= 5 ? 3 : p >= 3 ? 2 : (size_t)p - 1;
}

/* The first segment goes up the one or the other tree, across, and down. */
size_t allfold_dual_root_rounds(int p, size_t b, bool halves)
{
    if (p == 1)
        return 0;
    const struct trip lower = allfold_trip(p / 2, halves);
    const struct trip upper = allfold_trip(p - p / 2, halves);
    const int first = larger(lower.up, upper.up) + 1 + larger(lower.down, upper.down);
    return (size_t)first + (b > 1 ? allfold_dual_root_degree(p) * (b - 1) : 0);
}
