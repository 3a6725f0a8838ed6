/* PAT (parallel aggregated trees), Jeaugey, arXiv 2506.20252: allgather and reduce-scatter in few
 * rounds, in which no message has more than `aggregation` blocks. Pure functions.
 *
 * In an allgather, block b goes to the ranks b + d (mod p), for d from 1 to p - 1. The path is a
 * tree of these numbers d, the same for all blocks: the parent of d is d without its lowest set
 * bit, and sends to its farthest child first. In each round, every rank sends one message to the
 * rank `distance` further on. The message has the blocks that reach the numbers d of this round.
 *
 * - In the first phase there is a round for each power of two below p, in descending order, as
 *   distance. In it all numbers reached so far send their blocks. The phase ends when a message
 *   would have more than `aggregation` blocks. The numbers reached by then are called roots. They
 *   are the multiples of `apart`.
 * - Then the trees below all roots proceed at the same time, depth first: one child of each root
 *   per round.
 *
 * A reduce-scatter runs the rounds backwards. Because the order is depth first, it needs memory
 * only for one number below each root for each of the distances 2, 4, ..., apart/2.
 *
 * Invariant: a number is a parent only after it was a child; each number except 0 is a child once.
 */
#ifndef ALLFOLD_ALGORITHMS_PAT_H
#define ALLFOLD_ALGORITHMS_PAT_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

/* The parameters of the rounds. */
struct pat {
    int p;
    int apart;  /* a power of two */
    int roots;  /* 0, apart, 2 apart, ... < p */
    int rounds; /* some of them have no blocks if each message has one block */
};

/* Returns the parameters for at most `aggregation` blocks in a message; 0: unlimited. */
struct pat allfold_pat(int p, size_t aggregation);

/* The children of a round: first, first + stride, ..., `count` of them. */
struct pat_round {
    int distance;
    int first, stride, count;
    bool is_below; /* the children are below the roots; otherwise they become roots */
};

/* Returns round `number`. */
struct pat_round allfold_pat_round(const struct pat *pat, int number);

/* Returns the number of rounds that have blocks. */
size_t allfold_pat_rounds(const struct pat *pat);

/* Returns block r - d (mod p) of a buffer with all blocks: the block that reaches rank r as number
 * d. */
struct allfold_span allfold_pat_block(const struct allfold_problem *problem, int buffer, int d);

/* Returns the number of elements in the blocks that the rank has as the children of a round. */
size_t allfold_pat_length(const struct allfold_problem *problem, const struct pat_round *round);

/* Returns the round with the parents instead of their children. */
static inline struct pat_round allfold_pat_parents(const struct pat_round *round)
{
    struct pat_round parents = *round;
    parents.first -= round->distance;
    return parents;
}

/* The scratch memory of a reduce-scatter. The level of a number is the position of its lowest set
 * bit. A number and its parent always have different levels. */
struct pat_rooms {
    const struct allfold_problem *problem;
    const struct pat *pat;
    struct allfold_span levels; /* for each of the distances 2, 4, ..., apart/2: the partial results
                                   of one number below each root */
    struct allfold_span roots;  /* the partial results of all roots */
    struct allfold_span given, got; /* the sent and the received message of a round */
};

/* Allocates the scratch memory of a reduce-scatter. */
struct pat_rooms allfold_pat_rooms(struct allfold_builder *s, const struct allfold_problem *problem,
                                   const struct pat *pat);

/* Returns the memory of the partial results of number `first` below each root: root after root. */
struct allfold_span allfold_pat_level(const struct pat_rooms *rooms, int first);

/* Returns the memory of the partial result of root d. */
struct allfold_span allfold_pat_root(const struct pat_rooms *rooms, int d);

/* The parameter of the descriptors. */
#define ALLFOLD_PAT_AGGREGATION                                                                    \
    {                                                                                              \
        .name = "aggregation", .unit = "", .maximum = (size_t)1 << 30, ALLFOLD_TRIED(0, 1, 2, 5),  \
        .meaning = "blocks in a message at most; 0: as many as there are"                          \
    }

#endif
