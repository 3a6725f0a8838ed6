/* Round-optimal schedules on a circulant graph (see circulant_pipeline.h). */
#include "algorithms/circulant_pipeline.h"

#include <stdint.h>

/* The search for a rank's blocks. A path of skips from the root to the rank says through whom a
 * block comes; each number of a skip may begin the path of one block only. */
struct search {
    const int *skip;
    int q;
    int *found;   /* round -> number of a skip */
    long target;  /* r + p */
    long nearest; /* the last path ended there, and later ones have to end before it */
    int next[ALLFOLD_MAX_LOG2 + 2], previous[ALLFOLD_MAX_LOG2 + 2]; /* skips left, by number + 1 */
};

static void take_out(struct search *s, int e)
{
    s->next[s->previous[e + 1] + 1] = s->next[e + 1];
    s->previous[s->next[e + 1] + 1] = s->previous[e + 1];
}

/* Depth first, largest skips first, from the path that ends at `at`: finds the skips for rounds k
 * and later, and returns the first round for which there is none yet. */
static int search_from(struct search *s, long at, int e, int k)
{
    for (; e != -1 && k < s->q; e = s->next[e + 1]) {
        const long end = at + s->skip[e];
        if (end > s->target - s->skip[k] || end >= s->nearest)
            continue;
        if (end <= s->target - s->skip[k + 1])
            k = search_from(s, end, e, k);
        if (k >= s->q || at > s->target - s->skip[k + 1])
            return k;
        if (end > s->target - s->skip[k] || end >= s->nearest)
            continue;
        s->nearest = end;
        s->found[k++] = e;
        take_out(s, e);
    }
    return k;
}

/* The first skip on the rank's own path, by which its first block comes; q for the root. */
static int base_block(const int *skip, int q, int r)
{
    for (int k = q - 1; k >= 0 && r > 0; k--) {
        if (r == skip[k])
            return k;
        if (r > skip[k])
            r -= skip[k];
    }
    return q;
}

static void find_received(const int *skip, int q, int r, int *received)
{
    const int base = base_block(skip, q, r);
    struct search s = {.skip = skip,
                       .q = q,
                       .found = received,
                       .target = (long)r + skip[q],
                       .nearest = 2L * skip[q]};
    for (int e = -1; e <= q; e++) {
        s.next[e + 1] = e == -1 ? q : e - 1;
        s.previous[e + 1] = e == q ? -1 : e + 1;
    }
    take_out(&s, base);
    search_from(&s, 0, q, 0);
    for (int k = 0; k < q; k++)
        received[k] = received[k] == q ? base : received[k] - q;
}

struct circulant allfold_circulant(int p, int r, size_t blocks)
{
    struct circulant c = {.q = ceil_log2(p), .blocks = blocks};
    const size_t q = (size_t)c.q;
    c.first_round = blocks == 0 ? 0 : (q - (blocks - 1) % q) % q;
    c.skip[c.q] = p;
    for (int k = c.q - 1; k >= 0; k--)
        c.skip[k] = c.skip[k + 1] / 2 + c.skip[k + 1] % 2;
    find_received(c.skip, c.q, r, c.received);
    for (int k = 0; k < c.q; k++) {
        int received[ALLFOLD_MAX_LOG2];
        find_received(c.skip, c.q, (int)(((long)r + c.skip[k]) % p), received);
        c.forwarded[k] = received[k];
    }
    return c;
}

size_t allfold_circulant_block(const struct circulant *c, int entry, size_t i)
{
    const int64_t block =
        (int64_t)(i - i % (size_t)c->q) - (int64_t)c->first_round + (int64_t)entry;
    if (block < 0)
        return SIZE_MAX;
    return (size_t)block < c->blocks ? (size_t)block : c->blocks - 1;
}
