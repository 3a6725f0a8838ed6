/* Recursive vector halving and doubling in a core of 2^k ranks: the shared part of allreduce and
 * reduce by halving-doubling. Rabenseifner 2004, section 2.5. */
#ifndef ALLFOLD_ALGORITHMS_HALVING_H
#define ALLFOLD_ALGORITHMS_HALVING_H

#include "algorithms/peers.h"
#include "schedule/schedule.h"

/* Elements [lo, hi). */
struct bounds {
    size_t lo, hi;
};

/* Returns the part of n elements that core rank `index` has after the ranks at all distances below
 * `distance` have halved. Bit 0 of the index selects the first half (0) or the second (1) of the
 * whole, bit 1 of that half, and so on. */
struct bounds allfold_halved(size_t n, int index, int distance);

/* Returns the first half of `whole`, which is not longer than the second, or the second. */
struct bounds allfold_half_of(struct bounds whole, bool second);

/* Writes the paper's first step, for a rank in a pair (core->partner >= 0). The pair's lower rank
 * reduces the first half of the vector, the upper one the second. Then the removed rank sends its
 * half to the rank that stays, which has both halves in `result` afterwards. A removed rank uses
 * `result` for its half only. Returns whether this rank stays in the core. */
bool allfold_remove_pair(struct allfold_builder *s, const struct core *core, int r, size_t n,
                         struct allfold_span result, struct allfold_span tmp);

/* Reduce-scatter by recursive vector halving and distance doubling over the core. Afterwards each
 * core rank has in `result` the reduction of the elements that allfold_halved gives for distance
 * core->size. In this function and the next ones, `root` must be the same as for core_of. The input
 * is IN, or `result` if from_result. */
void allfold_halve(struct allfold_builder *s, const struct core *core, int root, size_t n,
                   struct allfold_span result, bool from_result, struct allfold_span tmp);

/* Writes one round of the allgather by vector doubling, with the core rank at `distance`. Exchanges
 * the part of `result` that this rank has, which allfold_halved gives for 2 x distance. */
void allfold_join(struct allfold_builder *s, const struct core *core, int root, size_t n,
                  struct allfold_span result, int distance);

/* Gathers the parts of `result` at the core rank with index `to`, by a binary tree. At distances
 * size/2, ..., 1, the ranks whose bit differs from that of `to` send their part and are done. The
 * rank with index 0 is `first`; core_rank gives the others. */
void allfold_gather_halves(struct allfold_builder *s, const struct core *core, int root, int to,
                           int first, size_t n, struct allfold_span result);

#endif
