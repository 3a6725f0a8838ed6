/* PAT (parallel aggregated trees), Jeaugey, arXiv 2506.20252: allgather and reduce-scatter in few
 * rounds, in which no message has more than `aggregation` blocks. Pure functions.
 *
 * Block b goes to the ranks b + d (mod p) along a tree of the numbers d < p. The parent of d is d
 * without its lowest set bit, and a parent's farthest child comes first. The messages of all ranks
 * have the same form: each goes to the rank at `distance`, and has the blocks of several children
 * d.
 *
 * - First there is a round for each distance, in descending order, in which all numbers d reached
 *   so far send their blocks. This phase ends when a message would have too many blocks. The
 *   numbers reached by then are roots; they are `apart` numbers apart.
 * - Then the trees below all roots proceed at the same time, depth first: one child of each root
 *   per round.
 *
 * A reduce-scatter runs backwards. Because it is depth first, it needs memory only for one child of
 * each root for each bit of `apart`.
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

/* Returns the block that rank r has as number d, block r - d, in a buffer with all blocks. */
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

/* The scratch memory of a reduce-scatter. The level of a number is that of its lowest set bit,
 * which differs from the levels of its parents. */
struct pat_rooms {
    const struct allfold_problem *problem;
    const struct pat *pat;
    struct allfold_span levels; /* for each bit of `apart` except the lowest: the partial results of
                                   one number below each root */
    struct allfold_span roots;  /* the partial results of all roots */
    struct allfold_span given, got; /* the messages of a round: sent and received */
};

/* Allocates the scratch memory of a reduce-scatter. */
struct pat_rooms allfold_pat_rooms(struct allfold_builder *s, const struct allfold_problem *problem,
                                   const struct pat *pat);

/* Returns where the partial results of number `first` below each root are, one after the other. */
struct allfold_span allfold_pat_level(const struct pat_rooms *rooms, int first);

/* Returns where the partial result of root d is. */
struct allfold_span allfold_pat_root(const struct pat_rooms *rooms, int d);

/* The parameter of the descriptors. */
#define ALLFOLD_PAT_AGGREGATION                                                                    \
    {                                                                                              \
        .name = "aggregation", .unit = "", .maximum = (size_t)1 << 30, ALLFOLD_TRIED(0, 1, 2, 5),  \
        .meaning = "blocks in a message at most; 0: as many as there are"                          \
    }

#endif
