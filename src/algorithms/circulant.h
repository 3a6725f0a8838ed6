/* Circulant graphs: the skips of Traeff, arXiv 2410.14234, and arcs, which are consecutive blocks
 * on the circle of all blocks.
 *
 * An arc is one message. If it goes past block p - 1 it is two spans, and has to be packed. The
 * arcs that a rank sends in a round are neighbors on the circle, or are the same except for their
 * ends; the same is true for the arcs that it receives. So at most one has to be packed, and one
 * unpacked. */
#ifndef ALLFOLD_ALGORITHMS_CIRCULANT_H
#define ALLFOLD_ALGORITHMS_CIRCULANT_H

#include <stddef.h>

#include "algorithms/peers.h"
#include "algorithms/problem.h"

/* The skips of the rounds: s_q = p, s_k = ceil(s_{k+1} / radix), s_0 = 1; q = ceil(log_radix p). */
struct skips {
    int q;
    int s[ALLFOLD_MAX_LOG2 + 1];
};

/* Returns the skips for p ranks. */
struct skips allfold_skips(int p, int radix);

/* Returns the number of blocks in the part of round k that starts at lo = s_k, 2 s_k, ... <
 * s_{k+1}. */
static inline int part_blocks(const struct skips *skips, int k, int lo)
{
    const int rest = skips->s[k + 1] - lo;
    return rest < skips->s[k] ? rest : skips->s[k];
}

/* Two spans, one after the other on the circle; `tail` is empty if the arc does not wrap. */
struct arc {
    struct allfold_span head, tail;
};

/* Returns `blocks` blocks of a buffer, starting with block `first` (mod p). */
struct arc allfold_arc(const struct allfold_problem *problem, int buffer, int first, int blocks);

/* Returns the number of elements of an arc. */
static inline size_t arc_length(struct arc arc)
{
    return arc.head.length + arc.tail.length;
}

/* Returns where an arc can be received: its only span if it does not wrap, otherwise the start of
 * `room`. */
struct allfold_span allfold_arc_room(struct arc arc, struct allfold_span room);

/* Returns the arc as one span. If it wraps, it is copied to `room`. */
struct allfold_span allfold_arc_pack(struct allfold_builder *s, struct arc arc,
                                     struct allfold_span room);

/* Copies an arc that was received in `room`, as allfold_arc_room says, to its two spans. */
void allfold_arc_unpack(struct allfold_builder *s, struct arc arc, struct allfold_span room);

/* Scratch memory: `tmp` for what a round receives, `room` for one arc that wraps. */
struct circulant_scratch {
    struct allfold_span tmp, room;
};

/* Allocates scratch memory for the functions below. */
struct circulant_scratch allfold_circulant_scratch(struct allfold_builder *s,
                                                   const struct allfold_problem *problem,
                                                   const struct skips *skips);

/* Reduce-scatter in q rounds: afterwards block r of the buffer `result` is the reduction of all
 * ranks' blocks r. The rest of `result`, which must be as long as IN, is overwritten. */
void allfold_circulant_reduce_scatter(struct allfold_builder *s,
                                      const struct allfold_problem *problem,
                                      const struct skips *skips, int result,
                                      const struct circulant_scratch *scratch);

/* Returns the maximum number of elements that a rank reduces in the reduce-scatter, or sends in an
 * allgather: an upper bound, exact if all blocks have the same length. */
size_t allfold_circulant_reduced(const struct allfold_problem *problem, const struct skips *skips);

/* Gathers the blocks of `result` at `root`. The ranks, counted from the root, are divided into
 * parts of s_{q-1}, each of these into parts of s_{q-2}, and so on. Before round k the first rank
 * of each part of s_k has the blocks of all ranks of that part. Each rank except the root sends
 * once. */
void allfold_circulant_gather(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct skips *skips, int root, int result,
                              const struct circulant_scratch *scratch);

/* Allgather in q rounds: all ranks receive all blocks of `result` from their owners. */
void allfold_circulant_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct skips *skips, int result,
                                 const struct circulant_scratch *scratch);

/* Allgather of p parts of equal length in `all`, counted from the rank itself: its own part is the
 * first one. Afterwards part i is that of rank r + i. */
void allfold_circulant_allgather_turned(struct allfold_builder *s,
                                        const struct allfold_group *group,
                                        const struct skips *skips, struct allfold_span all);

/* Round-optimal pipelining over a circulant graph: b blocks reach all p ranks in b - 1 + ceil(lg p)
 * rounds. Backwards, the reduction over all ranks reaches one rank. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time (doi 10.1145/3735139). Ranks are counted from the root. Pure
 * functions.
 *
 * In round i, with k = i mod q, rank r receives from r - skip[k] and sends to r + skip[k].
 *
 * Invariant: a rank sends only blocks that it received in an earlier round, and receives each block
 * once. Only the root sends its last block again. */

/* The schedule of a rank. */
struct circulant {
    int q;                           /* ceil(lg p) */
    int skip[ALLFOLD_MAX_LOG2 + 1];  /* skip[k] = ceil(skip[k+1] / 2), skip[q] = p */
    int received[ALLFOLD_MAX_LOG2];  /* round k of a phase -> the block to receive, relative to the
                                        phase; < 0: of an earlier one */
    int forwarded[ALLFOLD_MAX_LOG2]; /* round k of a phase -> the block to send, relative to the
                                        phase */
    /* first_round: the number of rounds of the first phase that are left out. */
    size_t blocks, first_round;
};

/* Returns the schedule of rank r of p > 1, by q + 1 searches: its own and those of the ranks to
 * which it sends. */
struct circulant allfold_circulant(int p, int r, size_t blocks);

/* Returns the block that `entry`, one of `received` or `forwarded`, stands for in round i. Numbers
 * beyond the last block mean the last block. If there is no block yet, it returns a number beyond
 * all blocks. */
size_t allfold_circulant_block(const struct circulant *c, int entry, size_t i);

#endif
