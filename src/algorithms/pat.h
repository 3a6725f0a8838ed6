/* PAT, parallel aggregated trees: Jeaugey, arXiv 2506.20252. Allgather and reduce-scatter in few
 * rounds, in which no message has more than `aggregation` blocks. Pure functions.
 *
 * Block b goes to the ranks b + d (mod p) along a tree of the numbers d < p. The parent of d is d
 * without its lowest bit, and a parent's farthest child is first. The messages of all ranks have
 * one form: each goes to the rank at `distance` and has the blocks of several children d.
 *
 * - First, in a round for each distance, all ranks d so far pass on what they have: far ones first.
 *   This phase ends where a message would have too many blocks. The numbers d that have been
 *   reached are roots, `apart` numbers apart.
 * - Then the trees below all roots go at once, depth first: one child of each root a round.
 *
 * A reduce-scatter does the same backwards. As it goes depth first, it needs room for one child of
 * each root for each bit of `apart` only.
 *
 * Invariant: a rank is a parent after it was a child; each number but 0 is a child once. */
#ifndef ALLFOLD_ALGORITHMS_PAT_H
#define ALLFOLD_ALGORITHMS_PAT_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

struct pat {
    int p;
    int apart;  /* a power of two */
    int roots;  /* 0, apart, 2 apart, ... < p */
    int rounds; /* some may have no blocks where each message has one */
};

/* With at most that number of blocks in a message; 0: as many as there are. */
struct pat allfold_pat(int p, size_t aggregation);

/* The children of a round: first, first + stride, ..., `count` in all. */
struct pat_round {
    int distance;
    int first, stride, count;
    bool is_below; /* the children lie below the roots, else they become roots */
};

struct pat_round allfold_pat_round(const struct pat *pat, int number);

/* Rounds that have blocks. */
size_t allfold_pat_rounds(const struct pat *pat);

/* The part of a buffer with all blocks that rank r has as number d: block r - d. */
struct allfold_span allfold_pat_block(const struct allfold_problem *problem, int buffer, int d);

/* The elements of the blocks that the rank has as the children of a round. */
size_t allfold_pat_length(const struct allfold_problem *problem, const struct pat_round *round);

/* The round with the parents in the place of their children. */
static inline struct pat_round allfold_pat_parents(const struct pat_round *round)
{
    struct pat_round parents = *round;
    parents.first -= round->distance;
    return parents;
}

/* The room that a reduce-scatter takes. A number's level is that of its lowest bit, which differs
 * from those of its parents. */
struct pat_rooms {
    const struct allfold_problem *problem;
    const struct pat *pat;
    struct allfold_span levels; /* for each bit of `apart` but the lowest, the partial results of
                                   one number below each root */
    struct allfold_span roots;  /* the partial results of all roots */
    struct allfold_span given, got; /* the messages of a round */
};

struct pat_rooms allfold_pat_rooms(struct allfold_builder *s, const struct allfold_problem *problem,
                                   const struct pat *pat);

/* Where the partial results of number `first` below each root lie, one after the other; that of
 * root d. */
struct allfold_span allfold_pat_level(const struct pat_rooms *rooms, int first);
struct allfold_span allfold_pat_root(const struct pat_rooms *rooms, int d);

/* The parameter. */
#define ALLFOLD_PAT_AGGREGATION                                                                    \
    {                                                                                              \
        .name = "aggregation", .unit = "", .maximum = (size_t)1 << 30, ALLFOLD_TRIED(0, 1, 2, 5),  \
        .meaning = "blocks in a message at most; 0: as many as there are"                          \
    }

#endif
