/* Arithmetic of peers: logarithms, blocks, cores of a power of two of ranks, halves of the
 * canonical tree. Pure functions. */
#ifndef ALLFOLD_ALGORITHMS_PEERS_H
#define ALLFOLD_ALGORITHMS_PEERS_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_MAX_LOG2 = 31 };

/* Returns floor(lg p) for p >= 1. */
static inline int floor_log2(int p)
{
    return (int)(8 * sizeof(unsigned)) - 1 - __builtin_clz((unsigned)p);
}

/* Returns ceil(lg p) for p >= 1. */
static inline int ceil_log2(int p)
{
    return p == 1 ? 0 : floor_log2(p - 1) + 1;
}

/* Returns the minimum. */
static inline size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns ceil(a / b). */
static inline size_t ceil_divide(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* Returns i mod p, for i >= -p. */
static inline int wrap(int i, int p)
{
    return (i + p) % p;
}

/* Returns the start of block i of n elements in p blocks whose lengths differ by at most 1, longer
 * ones first. Block i ends where block i + 1 starts; i = p gives n. */
static inline size_t block_begin(size_t n, int p, int i)
{
    size_t longer = n % (size_t)p;
    size_t index = (size_t)i;
    return index * (n / (size_t)p) + (index < longer ? index : longer);
}

/* Returns the length of block i. */
static inline size_t block_length(size_t n, int p, int i)
{
    return n / (size_t)p + ((size_t)i < n % (size_t)p);
}

/* A core of ranks: Rabenseifner 2004, section 2.5, reduces p ranks to a core of p' = 2^floor(lg p)
 * ranks. Of the first 2 (p - p') ranks each pair (even, odd) has one rank in the core, and the
 * other one is removed. The core is numbered from 0, pairs first, so that it keeps the rank order.
 */
struct core {
    int size;    /* p' */
    int pairs;   /* p - p' */
    int index;   /* of this rank in the core; -1: it is removed */
    int partner; /* the other rank of this rank's pair; -1: it is in no pair */
    int base; /* the rank from which the core's ranks are counted; 0 unless the core is in a block
                 of ranks */
};

/* Returns a core of `size` ranks, p/2 <= size <= p, as rank r sees it. If `root` is in a pair, it
 * is the rank that stays. If there is no root, `root` must be 0. */
static inline struct core core_of_size(int p, int size, int r, int root)
{
    struct core core = {.size = size, .pairs = p - size, .partner = -1};
    if (r >= 2 * core.pairs) {
        core.index = r - core.pairs;
        return core;
    }
    core.partner = r ^ 1;
    bool stays = r / 2 == root / 2 ? r == root : r % 2 == 0;
    core.index = stays ? r / 2 : -1;
    return core;
}

/* Returns the paper's core, of 2^floor(lg p) ranks. */
static inline struct core core_of(int p, int r, int root)
{
    return core_of_size(p, 1 << floor_log2(p), r, root);
}

/* Returns the rank with that index in the core. */
static inline int core_rank(const struct core *core, int index, int root)
{
    if (index >= core->pairs)
        return core->base + index + core->pairs;
    return index == root / 2 ? root : 2 * index;
}

/* The canonical tree over n >= 2 ranks is the binary tree whose levels are full except for the
 * last, which is filled from the left. Recursive doubling with removed pairs has this order of
 * summation. Returns the number of ranks in its left half; each half is the canonical tree over its
 * ranks. */
static inline int canonical_left(int n)
{
    const int half = 1 << (floor_log2(n) - 1), more = n - 2 * half;
    return half + (more < half ? more : half);
}

#endif
