/* Recursive vector halving and doubling in a core of 2^k ranks: the parts that allreduce and reduce
 * by halving-doubling share. Rabenseifner 2004, section 2.5. */
#ifndef ALLFOLD_ALGORITHMS_HALVING_H
#define ALLFOLD_ALGORITHMS_HALVING_H

#include "algorithms/peers.h"
#include "schedule/schedule.h"

/* Elements lo .. hi - 1. */
struct bounds {
    size_t lo, hi;
};

/* What the core rank `index` keeps of n elements once the ranks at all distances below `distance`
 * have halved. Bit 0 of the index chose the first half (0) or the second (1) of the whole, bit 1 of
 * that half, and so on. */
struct bounds allfold_halved(size_t n, int index, int distance);

/* The first half of some elements, the shorter one, or the second. */
struct bounds allfold_half_of(struct bounds whole, bool second);

/* The paper's first step, for a rank that is in a pair (core->partner >= 0). The pair's lower rank
 * reduces the first half of the vector and the upper one the second. Then the removed rank sends
 * its half to the rank that stays, which has both halves in `result` afterwards. A removed rank
 * uses `result` for its half only. Returns true where this rank stays in the core. */
bool allfold_remove_pair(struct allfold_builder *s, const struct core *core, int r, size_t n,
                         struct allfold_span result, struct allfold_span tmp);

/* Reduce-scatter by recursive vector halving and distance doubling over the core. Afterwards each
 * core rank has in `result` the reduction of what allfold_halved gives for distance core->size.
 * Here and below, `root` is the one that core_of had. The input is IN, or `result` where
 * `from_result`. */
void allfold_halve(struct allfold_builder *s, const struct core *core, int root, size_t n,
                   struct allfold_span result, bool from_result, struct allfold_span tmp);

/* One round of the allgather by vector doubling, with the core rank at `distance`. Exchanges what
 * this rank holds of `result`, as allfold_halved gives it for 2 x distance. */
void allfold_join(struct allfold_builder *s, const struct core *core, int root, size_t n,
                  struct allfold_span result, int distance);

/* Gathers the segments of `result` at the core rank of index `to`, by a binary tree. At distances
 * size/2, ..., 1 the ranks whose bit differs from that of `to` send what they hold and are done.
 * The rank of index 0 is `first`; core_rank names the others. */
void allfold_gather_halves(struct allfold_builder *s, const struct core *core, int root, int to,
                           int first, size_t n, struct allfold_span result);

#endif
