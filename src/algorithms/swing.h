/* Swing: De Sensi et al., NSDI 2024. Reduce-scatter and allgather around a circle of ranks. The
 * peers of an even rank r are, step by step, r + 1, r - 1, r + 3, r - 5, r + 11, and so on. Those
 * of an odd rank are r - 1, r + 1, r - 3, and so on. The same peers form the butterflies of Bine
 * trees (De Sensi et al., SC 2025).
 *
 * On a torus the steps use its dimensions in turn. All lengths must be even.
 *
 * In the allgather, block b reaches rank r over a path of steps, the farthest first. Along one
 * dimension, r is j = d_1 + d_2 + ... away from b; the d_i are the distances of the steps taken,
 * with alternating signs. Each j in an interval of 2^k numbers has one path: the digits of j in
 * base -2 differ from their left neighbors at the steps taken. If a length L < 2^k is not a power
 * of two, j and j - L are the same rank. Exactly one of their two paths takes step t, where 2^(t+1)
 * is the largest power of two that divides L. The other path is used.
 *
 * Invariant: what a rank receives of a block in the reduce-scatter does not overlap with what it
 * has. Each rank gives away each block except its own once. */
#ifndef ALLFOLD_ALGORITHMS_SWING_H
#define ALLFOLD_ALGORITHMS_SWING_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

enum { ALLFOLD_SWING_DIMENSIONS = 3, ALLFOLD_SWING_STEPS = ALLFOLD_MAX_LOG2 + 3 };

/* The steps of p ranks. Blocks have positions in the vectors of reduce-scatter and allgather. In
 * each of the first `nested` steps, the blocks that a rank gives away are contiguous. With a power
 * of two of ranks these are all steps. Block 0 is at position 0. */
struct swing {
    int p, steps, nested;
    int dimensions, length[ALLFOLD_SWING_DIMENSIONS];
    struct {
        int dimension, number; /* `number` counts the steps of a dimension */
    } step[ALLFOLD_SWING_STEPS];
};

/* Returns the steps on a torus of x by y by the rest of the p ranks, x first; y = 0: there are two
 * dimensions. The ranks form a circle if x is 0, or if such a torus would not have p ranks or would
 * have odd lengths. */
struct swing allfold_swing(int p, size_t x, size_t y);

/* The parameters for x and y. */
#define ALLFOLD_TORUS_X                                                                            \
    {                                                                                              \
        .name = "x", .unit = "", .maximum = (size_t)1 << 30, ALLFOLD_TRIED(0, 4, 6),               \
        .meaning = "ranks along the first dimension of a torus; 0, or where p ranks do not fill "  \
                   "it: a circle"                                                                  \
    }
#define ALLFOLD_TORUS_Y                                                                            \
    {                                                                                              \
        .name = "y", .unit = "", .maximum = (size_t)1 << 30, ALLFOLD_TRIED(0, 4),                  \
        .meaning = "ranks along its second dimension, of three; 0: there are two"                  \
    }

/* Returns the peer of rank r in a step. */
int allfold_swing_peer(const struct swing *w, int r, int step);

/* For a nested step: returns whether rank r keeps the second half of its blocks. Ranks that keep
 * the same halves in all steps before it have parts of the same blocks before it. In the step
 * itself they give away the blocks of the ranks that differ from them. */
bool allfold_swing_is_second(const struct swing *w, int r, int step);

/* Returns the block whose path to rank r takes these steps (bit i is step i); -1 if that path is
 * not used. Rank r gives the block away in the lowest of them in the reduce-scatter, and receives
 * it in that step in the allgather. */
int allfold_swing_block_of(const struct swing *w, int r, uint64_t steps);

/* Returns the position of block b. */
int allfold_swing_position(const struct swing *w, int b);

/* Returns the block at a position. */
int allfold_swing_at(const struct swing *w, int position);

enum { ALLFOLD_SWING_MARKS = 64 };

/* A vector in blocks of the core's ranks, in the order of their positions. */
struct swing_vector {
    const struct swing *w;
    const struct core *core;
    size_t n;
    /* Block i is as long as that of the core's rank i; if a rank is removed, block 0 includes
     * its partner's block. NULL: lengths differ by at most 1, by position. */
    const struct allfold_problem *blocks;
    struct allfold_span result;
    struct allfold_span tmp, room;    /* scratch for received blocks, and for packing sent ones */
    int apart;                        /* for blocks of different lengths: the distance of `mark` */
    size_t mark[ALLFOLD_SWING_MARKS]; /* start of the blocks at positions 0, apart, 2 apart, ... */
};

/* Sets the scratch memory and the marks of a vector whose other fields are set. */
void allfold_swing_scratch(struct allfold_builder *s, struct swing_vector *v);

/* Returns the length of the block of the core's rank i. `blocks` must not be NULL. */
size_t allfold_swing_length(const struct swing_vector *v, int i);

/* Returns the block at a position in the buffer of `result`. */
struct allfold_span allfold_swing_block(const struct swing_vector *v, int position);

/* Returns where the core's rank with that index has its own block. */
struct allfold_span allfold_swing_own(const struct swing_vector *v);

/* Writes the reduce-scatter: afterwards each rank has its own block, reduced, in `result`. The
 * input is IN, or `result` if from_result. */
void allfold_swing_reduce_scatter(struct allfold_builder *s, const struct swing_vector *v,
                                  bool from_result);

/* Writes the allgather: afterwards each rank has all blocks in `result`. */
void allfold_swing_allgather(struct allfold_builder *s, const struct swing_vector *v);

/* Returns the maximum number of elements that a rank receives in either of them, for n elements;
 * exact if p divides n. */
size_t allfold_swing_got(const struct swing *w, size_t n);

#endif
