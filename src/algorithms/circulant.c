/* Reduce-scatter, gather and allgather over circulant graphs, and round-optimal pipelining (see
 * circulant.h). */
#include "algorithms/circulant.h"

#include <assert.h>
#include <stdint.h>

#include "schedule/verbs.h"

struct skips allfold_skips(int p, int radix)
{
    struct skips skips = {.q = 0};
    assert(p > 0 && radix > 1);
    for (int t = p; t > 1; t = (int)ceil_divide((size_t)t, (size_t)radix))
        skips.q++;
    skips.s[skips.q] = p;
    for (int k = skips.q - 1; k >= 0; k--)
        skips.s[k] = (int)ceil_divide((size_t)skips.s[k + 1], (size_t)radix);
    assert(skips.s[0] == 1);
    return skips;
}

struct arc allfold_arc(const struct allfold_problem *problem, int buffer, int first, int blocks)
{
    const int p = problem->group.size, begin = first % p, end = begin + blocks;
    assert(first >= 0 && blocks >= 0 && blocks <= p);
    return (struct arc){
        .head = allfold_blocks(buffer, problem, begin, (end < p ? end : p) - begin),
        .tail = allfold_blocks(buffer, problem, 0, end < p ? 0 : end - p),
    };
}

static bool wraps(struct arc arc)
{
    return arc.head.length > 0 && arc.tail.length > 0;
}

struct allfold_span allfold_arc_room(struct arc arc, struct allfold_span room)
{
    if (wraps(arc))
        return part(room, 0, arc_length(arc));
    return arc.head.length > 0 ? arc.head : arc.tail;
}

struct allfold_span allfold_arc_pack(struct allfold_builder *s, struct arc arc,
                                     struct allfold_span room)
{
    if (wraps(arc)) {
        copy(s, part(room, 0, arc.head.length), arc.head);
        copy(s, part(room, arc.head.length, arc.tail.length), arc.tail);
    }
    return allfold_arc_room(arc, room);
}

void allfold_arc_unpack(struct allfold_builder *s, struct arc arc, struct allfold_span room)
{
    if (wraps(arc)) {
        copy(s, arc.head, part(room, 0, arc.head.length));
        copy(s, arc.tail, part(room, arc.head.length, arc.tail.length));
    }
}

/* The most elements in any arc of that number of blocks. */
static size_t longest_arc(const struct allfold_problem *problem, int blocks)
{
    const size_t n = allfold_problem_length(problem);
    const size_t length = (size_t)blocks * allfold_longest_block(problem);
    size_t longest = 0;
    if (problem->begins == NULL)
        return length < n ? length : n;
    for (int i = 0; i < problem->group.size; i++) {
        const size_t found = arc_length(allfold_arc(problem, ALLFOLD_IN, i, blocks));
        longest = found > longest ? found : longest;
    }
    return longest;
}

/* The last round, k = q - 1, has the longest arcs and as many of them as any. */
struct circulant_scratch allfold_circulant_scratch(struct allfold_builder *s,
                                                   const struct allfold_problem *problem,
                                                   const struct skips *skips)
{
    const int p = problem->group.size, last = skips->q == 0 ? 1 : skips->s[skips->q - 1];
    const size_t arcs = ceil_divide((size_t)p, (size_t)last) - 1;
    const size_t longest = longest_arc(problem, last);
    return (struct circulant_scratch){.tmp = scratch(s, arcs * longest),
                                      .room = scratch(s, arcs == 0 ? 0 : longest)};
}

/* to = got o mine, with what was received as one span. */
static void reduce_arc(struct allfold_builder *s, struct arc to, struct allfold_span got,
                       struct arc mine)
{
    reduce(s, to.head, part(got, 0, to.head.length), mine.head);
    reduce(s, to.tail, part(got, to.head.length, to.tail.length), mine.tail);
}

void allfold_circulant_reduce_scatter(struct allfold_builder *s,
                                      const struct allfold_problem *problem,
                                      const struct skips *skips, int result,
                                      const struct circulant_scratch *scratch)
{
    const int p = problem->group.size, r = problem->group.index, q = skips->q;
    int mine = ALLFOLD_IN;

    /* what stays after the first round, but is not reduced in it: one block at most */
    const int stay = q == 0 ? 1 : skips->s[q - 1];
    const int reduced = q == 0 ? 0 : part_blocks(skips, q - 1, stay);
    copy(s, allfold_arc(problem, result, r + reduced, stay - reduced).head,
         allfold_arc(problem, ALLFOLD_IN, r + reduced, stay - reduced).head);

    for (int k = q - 1; k >= 0; k--) {
        const int skip = skips->s[k], end = skips->s[k + 1];
        size_t at = 0;
        for (int lo = skip; lo < end; lo += skip) {
            const int blocks = part_blocks(skips, k, lo);
            const struct arc theirs = allfold_arc(problem, mine, r + lo, blocks);
            const size_t length = arc_length(allfold_arc(problem, result, r, blocks));
            exchange(s, wrap(r + lo, p), allfold_arc_pack(s, theirs, scratch->room),
                     wrap(r - lo, p), part(scratch->tmp, at, length));
            at += length;
        }
        at = 0;
        for (int lo = skip; lo < end; lo += skip) {
            const struct arc kept = allfold_arc(problem, result, r, part_blocks(skips, k, lo));
            const struct allfold_span got = part(scratch->tmp, at, arc_length(kept));
            reduce_arc(s, kept, got, allfold_arc(problem, mine, r, part_blocks(skips, k, lo)));
            at += got.length;
            mine = result;
        }
    }
}

size_t allfold_circulant_reduced(const struct allfold_problem *problem, const struct skips *skips)
{
    size_t reduced = 0;
    for (int k = 0; k < skips->q; k++)
        for (int lo = skips->s[k]; lo < skips->s[k + 1]; lo += skips->s[k])
            reduced += longest_arc(problem, part_blocks(skips, k, lo));
    return reduced;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void allfold_circulant_gather(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct skips *skips, int root, int result,
                              const struct circulant_scratch *scratch)
{
    const int p = problem->group.size, r = problem->group.index, i = wrap(r - root, p);
    int lo = 0, hi = p, parent = 0, k = skips->q;
    while (lo != i) {
        k--;
        parent = lo;
        lo += (i - lo) / skips->s[k] * skips->s[k];
        hi = smaller(hi, lo + skips->s[k]);
    }
    for (int j = 0; j < k; j++) {
        const int skip = skips->s[j], end = smaller(skips->s[j + 1], hi - lo);
        for (int at = skip; at < end; at += skip) {
            const struct arc theirs = allfold_arc(problem, result, r + at, smaller(skip, end - at));
            recv_from(s, wrap(r + at - p, p), allfold_arc_room(theirs, scratch->tmp));
            allfold_arc_unpack(s, theirs, scratch->tmp);
        }
    }
    if (i > 0)
        send_to(s, wrap(root + parent - p, p),
                allfold_arc_pack(s, allfold_arc(problem, result, r, hi - lo), scratch->room));
}

void allfold_circulant_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct skips *skips, int result,
                                 const struct circulant_scratch *scratch)
{
    const int p = problem->group.size, r = problem->group.index;
    for (int k = 0; k < skips->q; k++) {
        const int skip = skips->s[k];
        /* the first part of a round is its longest; the others are sent its begin */
        const struct arc held = allfold_arc(problem, result, r, part_blocks(skips, k, skip));
        const struct allfold_span packed = allfold_arc_pack(s, held, scratch->room);
        for (int lo = skip; lo < skips->s[k + 1]; lo += skip) {
            const int blocks = part_blocks(skips, k, lo);
            const struct arc mine = allfold_arc(problem, result, r, blocks);
            const struct arc theirs = allfold_arc(problem, result, r + lo, blocks);
            exchange(s, wrap(r - lo, p), part(packed, 0, arc_length(mine)), wrap(r + lo, p),
                     allfold_arc_room(theirs, scratch->tmp));
            allfold_arc_unpack(s, theirs, scratch->tmp);
        }
    }
}

void allfold_circulant_allgather_turned(struct allfold_builder *s,
                                        const struct allfold_group *group,
                                        const struct skips *skips, struct allfold_span all)
{
    const int p = group->size, r = group->index;
    const size_t n = all.length / (size_t)p;
    for (int k = 0; k < skips->q; k++)
        for (int at = skips->s[k]; at < skips->s[k + 1]; at += skips->s[k]) {
            const size_t length = (size_t)part_blocks(skips, k, at) * n;
            exchange(s, wrap(r - at, p), part(all, 0, length), wrap(r + at - p, p),
                     part(all, (size_t)at * n, length));
        }
}

/* The search for a rank's blocks. A path of skips from the root to the rank says through whom a
 * block comes. Each number of a skip may begin the path of one block only. */
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

/* Depth first, largest skips first, from the path that ends at `at`. Finds the skips for rounds k
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

/* The invariant: a rank sends what it received in this phase, or its newest block of the phase
 * before. */
__attribute__((unused)) static bool sends_what_it_has(const struct circulant *c)
{
    int newest = c->received[0];
    for (int k = 1; k < c->q; k++)
        newest = c->received[k] > newest ? c->received[k] : newest;
    for (int k = 0; k < c->q; k++) {
        bool has = c->forwarded[k] == newest - c->q;
        for (int i = 0; i < k; i++)
            has = has || c->received[i] == c->forwarded[k];
        if (!has)
            return false;
    }
    return true;
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
    assert(r == 0 || sends_what_it_has(&c));
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
