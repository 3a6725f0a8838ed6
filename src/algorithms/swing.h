/* Swing: De Sensi et al., NSDI 2024. Reduce-scatter and allgather around a circle of ranks. The
 * peers of an even rank r are, step by step, r + 1, r - 1, r + 3, r - 5, r + 11, and so on. Those
 * of an odd rank are r - 1, r + 1, r - 3, and so on. The same peers make the butterflies of Bine
 * trees (De Sensi et al., SC 2025).
 *
 * On a torus the steps take its dimensions in turn. All lengths are even.
 *
 * Block b reaches rank r in the allgather over a path of steps, the farthest first. Along one
 * dimension, r lies j = d_1 + d_2 + ... away from b, where d_i are distances of the steps taken,
 * with signs in turn. Each j of an interval of 2^k numbers has one path. Written in base -2, its
 * digits differ from their left neighbors at the steps taken. Where a length L < 2^k is no power of
 * two, j and j - L mean the same rank. Exactly one of these paths takes step t, where 2^(t+1) is
 * the largest power of two that divides L. The other path is used.
 *
 * Invariant: what a rank receives of a block in the reduce-scatter is not in what it has. Each rank
 * gives each block but its own away once. */
#ifndef ALLFOLD_ALGORITHMS_SWING_H
#define ALLFOLD_ALGORITHMS_SWING_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

enum { ALLFOLD_SWING_DIMENSIONS = 3, ALLFOLD_SWING_STEPS = ALLFOLD_MAX_LOG2 + 3 };

/* How p ranks swing. Blocks have positions in the vectors of reduce-scatter and allgather. In each
 * of the first `nested` steps, the blocks that a rank gives away lie side by side. At a power of
 * two of ranks these are all steps. Block 0 is at position 0. */
struct swing {
    int p, steps, nested;
    int dimensions, length[ALLFOLD_SWING_DIMENSIONS];
    struct {
        int dimension, number; /* the number counts the steps of a dimension */
    } step[ALLFOLD_SWING_STEPS];
};

/* On a torus of x by y by whatever is left of p ranks, x first; y = 0: there are two dimensions.
 * The ranks are a circle where x is 0 or such a torus does not have p ranks or has odd lengths. */
struct swing allfold_swing(int p, size_t x, size_t y);

/* The parameters that say so. */
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

/* With whom rank r exchanges in a step. */
int allfold_swing_peer(const struct swing *w, int r, int step);

/* For a nested step: does rank r keep the second half of its blocks? Ranks that do the same
 * in all steps before it, a class, have parts of the same blocks before it. In the step itself they
 * give away the blocks of those that differ from them. */
bool allfold_swing_is_second(const struct swing *w, int r, int step);

/* The block whose path to rank r takes these steps (bit i is step i); -1 where that path is not
 * used. Rank r gives the block away in the lowest of them in the reduce-scatter and gets it then in
 * the allgather. */
int allfold_swing_block_of(const struct swing *w, int r, uint64_t steps);

/* The position of block b, and the block at a position. */
int allfold_swing_position(const struct swing *w, int b);
int allfold_swing_at(const struct swing *w, int position);

enum { ALLFOLD_SWING_MARKS = 64 };

/* A vector in blocks of the core's ranks, in the order of their positions. */
struct swing_vector {
    const struct swing *w;
    const struct core *core;
    size_t n;
    const struct allfold_problem *blocks; /* block i is as long as that of the core's rank i; where
                                             a rank is removed, block 0 holds its partner's too.
                                             NULL: lengths differ by 1 at most, by position */
    struct allfold_span result;
    struct allfold_span tmp, room;    /* scratch: for what comes, and to pack what goes */
    int apart;                        /* where blocks differ: */
    size_t mark[ALLFOLD_SWING_MARKS]; /* where those at positions 0, apart, 2 apart, ... begin */
};

/* Sets the scratch and the marks of a vector whose other fields are set. */
void allfold_swing_scratch(struct allfold_builder *s, struct swing_vector *v);

/* How long the block of the core's rank i is. Not where `blocks` is NULL. */
size_t allfold_swing_length(const struct swing_vector *v, int i);

/* The block at a position in the buffer of `result`. */
struct allfold_span allfold_swing_block(const struct swing_vector *v, int position);

/* Where the core's rank of this index has its own block. */
struct allfold_span allfold_swing_own(const struct swing_vector *v);

/* Afterwards each rank has its own block, reduced, in `result`. The input is IN, or `result`
 * where `from_result`. */
void allfold_swing_reduce_scatter(struct allfold_builder *s, const struct swing_vector *v,
                                  bool from_result);

/* Afterwards each rank has all blocks in `result`. */
void allfold_swing_allgather(struct allfold_builder *s, const struct swing_vector *v);

/* What a rank gets at most of n elements in either of these; exact where p divides n. */
size_t allfold_swing_got(const struct swing *w, size_t n);

#endif
