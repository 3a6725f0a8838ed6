/* Programs and claims of scan and exscan (see prefix.h). */
#include "algorithms/prefix.h"

#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct allfold_span allfold_prefix_input(struct allfold_builder *s,
                                         const struct allfold_problem *problem)
{
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    if (problem->collective == ALLFOLD_SCAN || !problem->in_place)
        return in;
    const struct allfold_span kept = scratch(s, problem->count);
    copy(s, kept, in);
    return kept;
}

struct prefix allfold_prefix_begin(struct allfold_builder *s, const struct allfold_problem *problem)
{
    return (struct prefix){.s = s,
                           .n = problem->count,
                           .is_exclusive = problem->collective == ALLFOLD_EXSCAN,
                           .is_empty = true,
                           .in = allfold_prefix_input(s, problem)};
}

static struct allfold_span out_of(const struct prefix *prefix)
{
    return span(ALLFOLD_OUT, 0, prefix->n);
}

/* A scratch buffer that is made once; spans begin as ones of IN. */
static struct allfold_span made(struct prefix *prefix, struct allfold_span *buffer)
{
    if (buffer->buffer == ALLFOLD_IN)
        *buffer = scratch(prefix->s, prefix->n);
    return *buffer;
}

/* The first that an exscan receives is its result so far. */
struct allfold_span allfold_prefix_room(struct prefix *prefix)
{
    return prefix->is_exclusive && prefix->is_empty ? out_of(prefix) : made(prefix, &prefix->tmp);
}

void allfold_prefix_add(struct prefix *prefix, struct allfold_span received)
{
    const struct allfold_span out = out_of(prefix);
    if (!prefix->is_exclusive)
        reduce(prefix->s, out, received, prefix->is_empty ? prefix->in : out);
    else if (!prefix->is_empty)
        reduce(prefix->s, out, received, out);
    prefix->is_empty = false;
    prefix->is_known = false;
}

void allfold_prefix_receive(struct prefix *prefix, int peer)
{
    const struct allfold_span room = allfold_prefix_room(prefix);
    recv_from(prefix->s, peer, room);
    allfold_prefix_add(prefix, room);
}

struct allfold_span allfold_prefix_all(struct prefix *prefix)
{
    if (prefix->is_empty)
        return prefix->in;
    if (!prefix->is_exclusive)
        return out_of(prefix);
    if (!prefix->is_known)
        reduce(prefix->s, made(prefix, &prefix->all), out_of(prefix), prefix->in);
    prefix->is_known = true;
    return prefix->all;
}

void allfold_prefix_end(struct prefix *prefix)
{
    if (!prefix->is_exclusive && prefix->is_empty)
        copy(prefix->s, out_of(prefix), prefix->in);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* --- simultaneous binomial trees --- */

void allfold_build_simultaneous_trees(struct allfold_builder *s,
                                      const struct allfold_problem *problem,
                                      const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    struct prefix prefix = allfold_prefix_begin(s, problem);
    for (int d = 1; d < p; d *= 2) {
        if (d < p - r)
            send_to(s, r + d, allfold_prefix_all(&prefix));
        if (r >= d)
            allfold_prefix_receive(&prefix, r - d);
    }
    allfold_prefix_end(&prefix);
}

/* An exscan's rank that got something in floor(lg r) + 1 rounds adds all of it but the first. It
 * adds its own for each round that it sends in and got something before. */
static size_t most_reduced_exclusively(int p)
{
    size_t most = 0;
    for (int lg = 0; 1 << lg < p; lg++) {
        const size_t got = (size_t)lg + 1;
        const size_t sent = (size_t)ceil_log2(p - (1 << lg)); /* by rank 2^lg */
        const size_t renewed = sent == 0 ? 0 : sent - 1;
        most = larger(most, got - 1 + (renewed < got ? renewed : got));
    }
    return most;
}

/* Of ceil(lg p) rounds in which some rank sends its whole vector each time. */
static struct allfold_claim claim_of_doubling(const struct allfold_problem *problem,
                                              size_t vectors_reduced)
{
    const size_t n = problem->count, rounds = (size_t)ceil_log2(problem->group.size);
    return (struct allfold_claim){
        .rounds = rounds, .sent = rounds * n, .reduced = vectors_reduced * n};
}

struct allfold_claim allfold_claim_simultaneous_trees(const struct allfold_problem *problem,
                                                      const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return claim_of_doubling(problem, problem->collective == ALLFOLD_SCAN
                                          ? (size_t)ceil_log2(p)
                                          : most_reduced_exclusively(p));
}

/* --- recursive doubling --- */

/* Will rank r send, or join once more, what it joins from two blocks of d ranks? The left one of
 * two blocks sends what it has. The right one sends if the left one needs it. The left one's number
 * has no such bit and is less, so it needs it wherever the right one itself does. */
static bool needs_joined(int p, int r, int d)
{
    int twice = 2 * d;
    for (; twice < p && (r & twice) != 0; twice *= 2)
        r ^= twice;
    return twice < p && (r | twice) < p;
}

/* Does rank r send its block of d ranks? The right one of two needs the left one's for its result,
 * the left one the right one's to join them. */
static bool sends_block(int p, int r, int d)
{
    const int peer = r ^ d;
    return peer < p && ((r & d) == 0 || needs_joined(p, peer, d));
}

void allfold_build_joined_blocks(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    struct prefix prefix = allfold_prefix_begin(s, problem);
    const struct allfold_span sum = scratch(s, problem->count), tmp = scratch(s, problem->count);
    struct allfold_span block = prefix.in; /* the fold over this rank's block of d ranks */

    for (int d = 1; d < p; d *= 2) {
        const int peer = r ^ d;
        const bool is_right = (r & d) != 0, joins = needs_joined(p, r, d);
        if (peer >= p)
            continue;
        if (sends_block(p, r, d))
            send_to(s, peer, block);
        const struct allfold_span room = is_right ? allfold_prefix_room(&prefix) : tmp;
        if (sends_block(p, peer, d))
            recv_from(s, peer, room);
        if (joins) {
            reduce(s, sum, is_right ? room : block, is_right ? block : room);
            block = sum;
        }
        if (is_right)
            allfold_prefix_add(&prefix, room);
    }
    allfold_prefix_end(&prefix);
}

/* A rank adds to its result whenever it is the right one, an exscan's but the first time. It adds
 * to its block whenever that joins another one. */
static size_t joined_by(int p, int r, bool is_exclusive)
{
    size_t adds = 0, rights = 0;
    for (int d = 1; d < p; d *= 2) {
        rights += (r & d) != 0;
        adds += (r ^ d) < p && needs_joined(p, r, d);
    }
    return adds + rights - (rights > 0 && is_exclusive);
}

/* Ranks that are on the right of many blocks have many ones. So the first or the last rank adds
 * most, or a rank whose number has a 0 where that of the last rank has a 1. After that 0 the number
 * has ones alone, or a further 0 and ones. The verifier agrees. */
static size_t most_joined(int p, bool is_exclusive)
{
    const int last = p - 1;
    size_t most = larger(joined_by(p, 0, is_exclusive), joined_by(p, last, is_exclusive));
    for (int d = 1; d <= last; d *= 2) {
        const int above = last & ~(2 * d - 1);
        if ((last & d) == 0)
            continue;
        most = larger(most, joined_by(p, above | (d - 1), is_exclusive));
        most = larger(most, joined_by(p, above | (d - 1) / 2, is_exclusive));
    }
    return most;
}

struct allfold_claim allfold_claim_joined_blocks(const struct allfold_problem *problem,
                                                 const struct allfold_parameters *parameters)
{
    (void)parameters;
    return claim_of_doubling(
        problem, most_joined(problem->group.size, problem->collective == ALLFOLD_EXSCAN));
}

/* --- one binomial tree --- */

/* Rank r collects the block of 2^k ranks of which it is the last, where 2^k is the largest power of
 * two that divides r + 1. Once it has all that is below its block, it sends its prefix to the last
 * ranks of the blocks right behind it, the largest first. */
void allfold_build_up_and_right(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const int block = (r + 1) & -(r + 1);
    struct prefix prefix = allfold_prefix_begin(s, problem);
    for (int d = 1; d < block; d *= 2)
        allfold_prefix_receive(&prefix, r - d);
    if (block < p - r)
        send_to(s, r + block, allfold_prefix_all(&prefix));
    if (r >= block)
        allfold_prefix_receive(&prefix, r - block);
    for (int d = block / 2; d > 0; d /= 2)
        if (d < p - r)
            send_to(s, r + d, allfold_prefix_all(&prefix));
    allfold_prefix_end(&prefix);
}

/* An exscan's rank that collects 2^k ranks adds k - 1 of their folds. It adds its own for its
 * parent, what is below its block, and its own again for the ranks behind it. */
static size_t most_collected_exclusively(int p)
{
    size_t most = 0;
    for (int lg = 1; 1 << lg <= p; lg++) {
        const int first = (1 << lg) - 1, second = first + (2 << lg); /* ranks with such blocks */
        most = larger(most, (size_t)lg - 1 + (first + 1 < p));
        if (second < p)
            most = larger(most, (size_t)lg + (second + (1 << lg) < p) + (second + 1 < p));
    }
    return most;
}

struct allfold_claim allfold_claim_up_and_right(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, lg = floor_log2(p);
    const size_t n = problem->count, up = (size_t)lg;
    const bool has_late = p > 1 && p - (1 << lg) >= 1 << (lg - 1);
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = p == 1 ? 0 : 2 * up - 1 + has_late,
            .sent = up * n,
            .reduced =
                (problem->collective == ALLFOLD_SCAN ? up : most_collected_exclusively(p)) * n,
        },
        n);
}

/* --- linear pipeline --- */

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    return allfold_pipeline(problem, parameters->value[0], problem->group.size - 2, 1);
}

void allfold_build_prefix_chain(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const bool is_exclusive = problem->collective == ALLFOLD_EXSCAN;
    const struct segments cut = segments(problem, parameters);
    const struct allfold_span in = allfold_prefix_input(s, problem);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, r > 0 || !is_exclusive ? in.length : 0);
    const struct allfold_span tmp[2] = {scratch(s, cut.length), scratch(s, cut.length)};

    for (size_t j = 0; j < cut.count; j++) {
        const struct allfold_span mine = segment_of(in, cut, j), result = segment_of(out, cut, j);
        const struct allfold_span other = part(tmp[j % 2], 0, mine.length);
        const struct allfold_span below = is_exclusive ? result : other;
        const struct allfold_span all = is_exclusive ? other : result;
        if (r > 0)
            recv_from(s, r - 1, below);
        if (r > 0 && (r < p - 1 || !is_exclusive))
            reduce(s, all, below, mine);
        if (r < p - 1)
            send_to(s, r + 1, r > 0 ? all : mine);
    }
    if (r == 0 && !is_exclusive)
        copy(s, out, in);
}

struct allfold_claim allfold_claim_prefix_chain(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = segments(problem, parameters);
    const size_t n = problem->count;
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = p == 1 ? 0 : (size_t)p + cut.count - 2,
            .sent = p == 1 ? 0 : n,
            .reduced = p > 1 + (problem->collective == ALLFOLD_EXSCAN) ? n : 0,
        },
        cut.length);
}
