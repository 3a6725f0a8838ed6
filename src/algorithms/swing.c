/* Swing: peers, paths of blocks, and the reduce-scatter and allgather over them (see swing.h). */
#include "algorithms/swing.h"

#include <assert.h>

#include "schedule/verbs.h"

static int lowest_bit(int number)
{
    return __builtin_ctz((unsigned)number);
}

static bool is_power_of_two(int number)
{
    return (number & (number - 1)) == 0;
}

/* 1, -1, 3, -5, 11, ...: 1 - 2 + 4 - ... of that number of terms more than one. */
static int distance(int number)
{
    return (1 - (number % 2 == 0 ? -2 : 2) * (1 << number)) / 3;
}

/* j in base -2. */
static unsigned digits_of(int j)
{
    const unsigned odd = 0xAAAAAAAAu; /* digits of negative weight */
    return ((unsigned)j + odd) ^ odd;
}

/* Steps of a dimension in which all ranks that give a block away agree on where it lies. */
static int nested_steps(int length)
{
    return is_power_of_two(length) ? floor_log2(length) : lowest_bit(length) - 1;
}

static bool fills(int p, size_t x, size_t y)
{
    const size_t ranks = (size_t)p, lengths = y > 0 ? x * y : x;
    return x > 0 && x < ranks && y < ranks && x % 2 == 0 && y % 2 == 0 && ranks % lengths == 0 &&
           ranks / lengths % 2 == 0;
}

struct swing allfold_swing(int p, size_t x, size_t y)
{
    struct swing w = {.p = p, .dimensions = 1, .length = {p, 1, 1}};
    if (fills(p, x, y)) {
        w.length[0] = (int)x;
        w.length[w.dimensions++] = y > 0 ? (int)y : p / (int)x;
        if (y > 0)
            w.length[w.dimensions++] = p / (int)x / (int)y;
    }
    assert(w.length[0] * w.length[1] * w.length[2] == p);
    bool is_nested = true;
    for (int number = 0; number < ALLFOLD_MAX_LOG2; number++)
        for (int d = 0; d < w.dimensions; d++) {
            assert(w.length[d] == 1 || w.length[d] % 2 == 0);
            if (number >= ceil_log2(w.length[d]))
                continue;
            is_nested = is_nested && number < nested_steps(w.length[d]);
            w.nested += is_nested;
            w.step[w.steps].dimension = d;
            w.step[w.steps++].number = number;
        }
    return w;
}

/* What one step along a dimension is worth in ranks. */
static int stride_of(const struct swing *w, int dimension)
{
    int stride = 1;
    for (int d = 0; d < dimension; d++)
        stride *= w->length[d];
    return stride;
}

static int place_of(const struct swing *w, int r, int dimension)
{
    return r / stride_of(w, dimension) % w->length[dimension];
}

static int swung(int place, int length, int number)
{
    const int d = distance(number) % length;
    return wrap(place + (place % 2 == 0 ? d : -d), length);
}

int allfold_swing_peer(const struct swing *w, int r, int step)
{
    const int dimension = w->step[step].dimension, place = place_of(w, r, dimension);
    const int to = swung(place, w->length[dimension], w->step[step].number);
    return r + (to - place) * stride_of(w, dimension);
}

/* Where a path leads: j of swing.h. */
static int end_of(unsigned path)
{
    const unsigned odd = 0xAAAAAAAAu; /* digits of negative weight */
    unsigned digits = path;
    for (int shift = 1; shift < 32; shift *= 2)
        digits ^= digits >> shift;
    return (int)((digits ^ odd) - odd);
}

/* Of two paths to the same rank the one without step t of swing.h is used. */
static bool is_used(int length, unsigned path)
{
    const int k = ceil_log2(length), j = end_of(path);
    const int most = (int)(0x55555555u & ((1u << k) - 1)), least = most - (1 << k) + 1;
    const bool has_other = j + length <= most || j - length >= least;
    return !has_other || (path >> (lowest_bit(length) - 1) & 1) == 0;
}

int allfold_swing_block_of(const struct swing *w, int r, uint64_t steps)
{
    unsigned path[ALLFOLD_SWING_DIMENSIONS] = {0};
    for (int step = 0; steps >> step != 0; step++)
        path[w->step[step].dimension] |= (unsigned)(steps >> step & 1) << w->step[step].number;
    for (int d = 0, stride = 1; d < w->dimensions; stride *= w->length[d++]) {
        const int length = w->length[d], place = r / stride % length;
        if (!is_used(length, path[d]))
            return -1;
        const int j = end_of(path[d]) % length;
        const bool from_even = (place + __builtin_popcount(path[d])) % 2 == 0;
        r += (wrap(from_even ? place - j : place + j, length) - place) * stride;
    }
    return r;
}

/* The digit of the nearest-first path from rank 0, which is the same for all in the same class. */
bool allfold_swing_is_second(const struct swing *w, int r, int step)
{
    const int dimension = w->step[step].dimension, place = place_of(w, r, dimension);
    const int number = w->step[step].number;
    const unsigned all = (1u << ceil_log2(w->length[dimension])) - 1;
    const unsigned digits = digits_of(place % 2 != 0 ? place : -place) & all;
    return (digits ^ digits >> 1) >> number & 1;
}

/* The positions that rank r has parts of before a nested step: those in its class in all steps
 * before. */
static int first_position(const struct swing *w, int r, int step)
{
    int first = 0;
    for (int i = 0; i < step; i++)
        first += allfold_swing_is_second(w, r, i) ? w->p >> (i + 1) : 0;
    return first;
}

/* Places that hold the same blocks after that number of steps are two for each 2^(steps + 1):
 * `place` in the first of these, and its peer. */
static int place_alike(int length, int place, int steps, int u)
{
    if (length >> steps == 1)
        return place;
    const int modulus = 2 << steps;
    const int a = place % modulus, b = swung(a, modulus, steps);
    return ((a < b) == (u % 2 == 0) ? a : b) + u / 2 * modulus;
}

/* The other way round: which of them it is, in ascending order. */
static int number_alike(int length, int place, int steps)
{
    if (length >> steps == 1)
        return 0;
    const int modulus = 2 << steps;
    const int a = place % modulus, b = swung(a, modulus, steps);
    return (a > b) + place / modulus * 2;
}

/* The nested steps of each dimension. */
static void count_nested(const struct swing *w, int *steps)
{
    for (int d = 0; d < w->dimensions; d++)
        steps[d] = 0;
    for (int i = 0; i < w->nested; i++)
        steps[w->step[i].dimension]++;
}

int allfold_swing_position(const struct swing *w, int b)
{
    int steps[ALLFOLD_SWING_DIMENSIONS], position = first_position(w, b, w->nested);
    count_nested(w, steps);
    for (int d = 0, worth = 1; d < w->dimensions; worth *= w->length[d] >> steps[d], d++)
        position += worth * number_alike(w->length[d], place_of(w, b, d), steps[d]);
    return position;
}

int allfold_swing_at(const struct swing *w, int position)
{
    int place[ALLFOLD_SWING_DIMENSIONS] = {0}, steps[ALLFOLD_SWING_DIMENSIONS];
    for (int i = 0; i < w->nested; i++) {
        const int d = w->step[i].dimension;
        if (position / (w->p >> (i + 1)) % 2 == 1)
            place[d] = swung(place[d], w->length[d], w->step[i].number);
    }
    count_nested(w, steps);
    int u = position % (w->p >> w->nested), b = 0;
    for (int d = 0, stride = 1; d < w->dimensions; stride *= w->length[d++]) {
        const int alike = w->length[d] >> steps[d];
        b += place_alike(w->length[d], place[d], steps[d], u % alike) * stride;
        u /= alike;
    }
    return b;
}

size_t allfold_swing_length(const struct swing_vector *v, int i)
{
    const struct allfold_problem *blocks = v->blocks;
    return allfold_block_length(blocks, core_rank(v->core, i, 0)) +
           (i == 0 && v->core->pairs > 0 ? allfold_block_length(blocks, 1) : 0);
}

static size_t begin_of(const struct swing_vector *v, int position)
{
    if (v->blocks == NULL)
        return block_begin(v->n, v->w->p, position);
    if (v->blocks->begins == NULL &&
        allfold_problem_length(v->blocks) % (size_t)v->blocks->group.size == 0)
        return ((size_t)position + (position > 0 && v->core->pairs > 0)) * v->blocks->count;
    const int mark = (position < v->w->p ? position : v->w->p - 1) / v->apart;
    size_t begin = v->mark[mark];
    for (int i = mark * v->apart; i < position; i++)
        begin += allfold_swing_length(v, allfold_swing_at(v->w, i));
    return begin;
}

/* A run of positions whose blocks rank r gives away in a step. Both sides of the message have them
 * in the same order. */
struct run {
    int lo, hi;
    int r, step;
    int after;      /* the next position, which was looked at before; -1: none was */
    uint64_t paths; /* looked at so far */
};

static struct run no_run_yet(int r, int step)
{
    return (struct run){.r = r, .step = step, .after = -1};
}

/* Paths are numbered by their later steps. */
static int next_position(const struct swing *w, struct run *run)
{
    const uint64_t paths = (uint64_t)1 << (w->steps - 1 - run->step);
    while (run->paths < paths) {
        const uint64_t path = (2 * run->paths++ + 1) << run->step;
        const int b = allfold_swing_block_of(w, run->r, path);
        if (b >= 0)
            return allfold_swing_position(w, b);
    }
    return -1;
}

static bool find_run(const struct swing *w, struct run *run)
{
    if (run->step < w->nested) { /* one run: its peer's share of what both have */
        run->lo = first_position(w, allfold_swing_peer(w, run->r, run->step), run->step + 1);
        run->hi = run->lo + (w->p >> (run->step + 1));
        return run->paths++ == 0;
    }
    run->lo = run->after >= 0 ? run->after : next_position(w, run);
    run->hi = run->lo + 1;
    if (run->lo < 0)
        return false;
    for (run->after = next_position(w, run); run->after == run->hi; run->hi++)
        run->after = next_position(w, run);
    return true;
}

static struct allfold_span span_of(const struct swing_vector *v, struct allfold_span whole,
                                   const struct run *run)
{
    const size_t begin = begin_of(v, run->lo);
    return part(whole, begin, begin_of(v, run->hi) - begin);
}

/* Where the blocks that rank r gives away in a step are one span: their place in `whole`, if that
 * place is one run, else so much of `room`. */
static struct allfold_span as_one(const struct swing_vector *v, int r, int step,
                                  struct allfold_span whole, struct allfold_span room)
{
    struct run run = no_run_yet(r, step);
    struct allfold_span first = part(whole, 0, 0);
    size_t length = 0;
    for (int runs = 0; find_run(v->w, &run); runs++) {
        const struct allfold_span found = span_of(v, whole, &run);
        first = runs == 0 ? found : first;
        length += found.length;
    }
    return first.length == length ? first : part(room, 0, length);
}

/* Copies these blocks there, or back; nothing if they are contiguous. */
static struct allfold_span copied(struct allfold_builder *s, const struct swing_vector *v, int r,
                                  int step, struct allfold_span whole, struct allfold_span room,
                                  bool back)
{
    const struct allfold_span one = as_one(v, r, step, whole, room);
    struct run run = no_run_yet(r, step);
    size_t at = 0;
    while (find_run(v->w, &run) && one.buffer == room.buffer) {
        const struct allfold_span there = span_of(v, whole, &run);
        const struct allfold_span here = part(one, at, there.length);
        copy(s, back ? there : here, back ? here : there);
        at += there.length;
    }
    return one;
}

void allfold_swing_scratch(struct allfold_builder *s, struct swing_vector *v)
{
    v->tmp = scratch(s, v->n);
    v->room = scratch(s, v->w->nested == v->w->steps ? 0 : v->n);
    v->apart = v->w->p / ALLFOLD_SWING_MARKS + 1;
    size_t begin = 0;
    for (int i = 0; i < v->w->p && v->blocks != NULL; i++) {
        if (i % v->apart == 0)
            v->mark[i / v->apart] = begin;
        begin += allfold_swing_length(v, allfold_swing_at(v->w, i));
    }
}

struct allfold_span allfold_swing_block(const struct swing_vector *v, int position)
{
    const struct run run = {.lo = position, .hi = position + 1};
    return span_of(v, v->result, &run);
}

struct allfold_span allfold_swing_own(const struct swing_vector *v)
{
    return allfold_swing_block(v, allfold_swing_position(v->w, v->core->index));
}

/* What comes in the first step may leave out blocks that the rank keeps, as their paths to its peer
 * are not used. */
static void keep_first(struct allfold_builder *s, const struct swing_vector *v,
                       struct allfold_span mine)
{
    const int r = v->core->index, peer = allfold_swing_peer(v->w, r, 0);
    const uint64_t paths = v->w->nested > 0 ? 0 : (uint64_t)1 << (v->w->steps - 1);
    for (uint64_t later = 0; later < paths; later++) {
        const int b = allfold_swing_block_of(v->w, r, 2 * later);
        if (b < 0 || allfold_swing_block_of(v->w, peer, 2 * later + 1) == b)
            continue;
        const int position = allfold_swing_position(v->w, b);
        const struct run run = {.lo = position, .hi = position + 1};
        copy(s, span_of(v, v->result, &run), span_of(v, mine, &run));
    }
}

void allfold_swing_reduce_scatter(struct allfold_builder *s, const struct swing_vector *v,
                                  bool from_result)
{
    const int r = v->core->index;
    struct allfold_span mine = from_result ? v->result : span(ALLFOLD_IN, 0, v->n);
    for (int step = 0; step < v->w->steps; step++) {
        const int index = allfold_swing_peer(v->w, r, step), peer = core_rank(v->core, index, 0);
        struct run run = no_run_yet(index, step);
        size_t at = 0;
        const struct allfold_span given = copied(s, v, r, step, mine, v->room, false);
        const size_t length = as_one(v, index, step, v->result, v->tmp).length;
        exchange(s, peer, given, peer, part(v->tmp, 0, length));
        while (find_run(v->w, &run)) {
            const struct allfold_span kept = span_of(v, v->result, &run);
            reduce(s, kept, span_of(v, mine, &run), part(v->tmp, at, kept.length));
            at += kept.length;
        }
        if (step == 0)
            keep_first(s, v, mine);
        mine = v->result;
    }
}

void allfold_swing_allgather(struct allfold_builder *s, const struct swing_vector *v)
{
    const int r = v->core->index;
    for (int step = v->w->steps - 1; step >= 0; step--) {
        const int index = allfold_swing_peer(v->w, r, step), peer = core_rank(v->core, index, 0);
        const struct allfold_span given = copied(s, v, index, step, v->result, v->room, false);
        exchange(s, peer, given, peer, as_one(v, r, step, v->result, v->tmp));
        copied(s, v, r, step, v->result, v->tmp, true);
    }
}

size_t allfold_swing_got(const struct swing *w, size_t n)
{
    const size_t block = ceil_divide(n, (size_t)w->p), others = ((size_t)w->p - 1) * block;
    size_t got = 0;
    for (int step = 0; step < w->steps; step++) {
        const size_t most = ((size_t)1 << (w->steps - 1 - step)) * block;
        got += most < n ? most : n;
    }
    return got < others ? got : others;
}
