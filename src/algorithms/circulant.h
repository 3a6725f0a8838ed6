/* Circulant graphs: the skips of Traeff, arXiv 2410.14234, and arcs of blocks round the circle.
 *
 * An arc is one message, but where it passes block p - 1 it is two spans, and has to be packed. The
 * arcs that a rank sends in a round lie side by side on the circle or are the same but for their
 * ends. The same holds for the arcs that it receives. So at most one has to be packed, and one
 * unpacked. */
#ifndef ALLFOLD_ALGORITHMS_CIRCULANT_H
#define ALLFOLD_ALGORITHMS_CIRCULANT_H

#include <stddef.h>

#include "algorithms/peers.h"
#include "algorithms/problem.h"

/* s_q = p, s_k = ceil(s_{k+1} / radix), s_0 = 1; q = ceil(log_radix p). */
struct skips {
    int q;
    int s[ALLFOLD_MAX_LOG2 + 1];
};

struct skips allfold_skips(int p, int radix);

/* How many blocks the part of round k has that begins at lo = s_k, 2 s_k, ... < s_{k+1}. */
static inline int part_blocks(const struct skips *skips, int k, int lo)
{
    const int rest = skips->s[k + 1] - lo;
    return rest < skips->s[k] ? rest : skips->s[k];
}

/* Two spans that are one after the other on the circle; the second is empty where nothing wraps. */
struct arc {
    struct allfold_span head, tail;
};

/* `blocks` blocks of a buffer, from block `first` (taken mod p) on. */
struct arc allfold_arc(const struct allfold_problem *problem, int buffer, int first, int blocks);

static inline size_t arc_length(struct arc arc)
{
    return arc.head.length + arc.tail.length;
}

/* The one span of an arc that does not wrap, else as much of `room`: where it can be received. */
struct allfold_span allfold_arc_room(struct arc arc, struct allfold_span room);

/* The arc as one span: itself, or a copy of it in `room` where it wraps. */
struct allfold_span allfold_arc_pack(struct allfold_builder *s, struct arc arc,
                                     struct allfold_span room);

/* Puts what was received where allfold_arc_room said into its place. */
void allfold_arc_unpack(struct allfold_builder *s, struct arc arc, struct allfold_span room);

/* Scratch: `tmp` for what a round receives, `room` for one arc that wraps. */
struct circulant_scratch {
    struct allfold_span tmp, room;
};

struct circulant_scratch allfold_circulant_scratch(struct allfold_builder *s,
                                                   const struct allfold_problem *problem,
                                                   const struct skips *skips);

/* Reduce-scatter in q rounds: afterwards block r of the buffer `result` is the reduction of all
 * ranks' blocks r. The rest of `result`, as long as IN, is used on the way. */
void allfold_circulant_reduce_scatter(struct allfold_builder *s,
                                      const struct allfold_problem *problem,
                                      const struct skips *skips, int result,
                                      const struct circulant_scratch *scratch);

/* The most elements that a rank reduces there, or sends in an allgather: an upper bound, exact
 * where all blocks have the same length. */
size_t allfold_circulant_reduced(const struct allfold_problem *problem, const struct skips *skips);

/* Gather of the blocks of `result` at `root`. The ranks, counted from the root, are cut into parts
 * of s_{q-1}, each of these into parts of s_{q-2}, and so on. Before round k the first rank of each
 * part of s_k has the blocks of all ranks of that part. Each rank but the root sends once. */
void allfold_circulant_gather(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct skips *skips, int root, int result,
                              const struct circulant_scratch *scratch);

/* Allgather in q rounds: all ranks get all blocks of `result` from the owner of each. */
void allfold_circulant_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct skips *skips, int result,
                                 const struct circulant_scratch *scratch);

/* The same, counted from the rank itself: `all` is p parts of equal length, the first one the
 * rank's own. Afterwards part i is that of rank r + i. */
void allfold_circulant_allgather_turned(struct allfold_builder *s,
                                        const struct allfold_group *group,
                                        const struct skips *skips, struct allfold_span all);

/* Round-optimal pipelining over a circulant graph: b blocks reach all p ranks in b - 1 + ceil(lg p)
 * rounds. Backwards, the reduction over all ranks reaches one rank. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time (doi 10.1145/3735139); ranks count from the root. Pure functions.
 *
 * In round i, with k = i mod q, rank r receives from r - skip[k] and sends to r + skip[k].
 *
 * Invariant: a rank sends only blocks that it received in an earlier round, and receives each block
 * once. Only the root sends its last block again. */

struct circulant {
    int q;                           /* ceil(lg p) */
    int skip[ALLFOLD_MAX_LOG2 + 1];  /* skip[k] = ceil(skip[k+1] / 2), skip[q] = p */
    int received[ALLFOLD_MAX_LOG2];  /* of the rank: the block of round k of a phase, when the */
    int forwarded[ALLFOLD_MAX_LOG2]; /* phase's first block is 0; negative ones are before that */
    size_t blocks, first_round;      /* of the first phase, the number of rounds left out */
};

/* The schedule of rank r of p > 1, by q + 1 searches: its own and those of the ranks it sends to.
 */
struct circulant allfold_circulant(int p, int r, size_t blocks);

/* The block that `entry`, one of received or forwarded, stands for in round i: the last block for
 * all beyond it. Where there is none yet, a number beyond all blocks. */
size_t allfold_circulant_block(const struct circulant *c, int entry, size_t i);

#endif
