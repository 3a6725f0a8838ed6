/* Round-optimal pipelining over a circulant graph: b blocks reach all p ranks in b - 1 + ceil(lg p)
 * rounds, or backwards, the reduction over all ranks reaches one. Traeff, Optimal Broadcast
 * Schedules in Logarithmic Time (doi 10.1145/3735139); ranks count from the root. Pure functions.
 *
 * In round i, with k = i mod q, rank r receives from r - skip[k] and sends to r + skip[k].
 *
 * Invariant: a rank sends only blocks that it received in an earlier round, and receives each block
 * once; only the root sends its last block again. */
#ifndef ALLFOLD_ALGORITHMS_CIRCULANT_PIPELINE_H
#define ALLFOLD_ALGORITHMS_CIRCULANT_PIPELINE_H

#include <stddef.h>

#include "algorithms/peers.h"

struct circulant {
    int q;                           /* ceil(lg p) */
    int skip[ALLFOLD_MAX_LOG2 + 1];  /* skip[k] = ceil(skip[k+1] / 2), skip[q] = p */
    int received[ALLFOLD_MAX_LOG2];  /* of the rank: the block of round k of a phase, when the */
    int forwarded[ALLFOLD_MAX_LOG2]; /* phase's first block is 0; negative ones are before that */
    size_t blocks, first_round;      /* of the first phase, so many rounds are left out */
};

/* The schedule of rank r of p > 1, by q + 1 searches: its own and those of the ranks it sends to.
 */
struct circulant allfold_circulant(int p, int r, size_t blocks);

/* The block that `entry`, one of received or forwarded, stands for in round i: the last block for
 * all beyond it; where there is none yet, a number beyond all blocks. */
size_t allfold_circulant_block(const struct circulant *c, int entry, size_t i);

#endif
