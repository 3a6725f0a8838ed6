/* One round of recursive multiplying: the generalization of recursive doubling and recursive
 * halving to groups of any radix, in rank order. */
#ifndef ALLFOLD_ALGORITHMS_MULTIPLYING_H
#define ALLFOLD_ALGORITHMS_MULTIPLYING_H

#include "algorithms/halving.h"

/* The core ranks whose indices differ in one digit of a mixed-radix number: this rank's position
 * among `radix` ranks, and the index of the first of them. `stride` is the weight of the digit. */
struct radix_group {
    int radix, stride;
    int position, first;
    /* Set by the caller: reduce by the canonical tree instead of from left to right. */
    bool by_tree;
};

/* Returns the group of a core rank. */
struct radix_group allfold_radix_group(int index, int radix, int stride);

/* Returns piece j of `held`, divided into `radix` pieces whose lengths differ by at most 1, longer
 * ones first. */
struct bounds allfold_piece(struct bounds held, int radix, int j);

/* Exchanges elements of `mine` with all other ranks of the group at once, and reduces the received
 * ones, in rank order, into the same elements of `out`. If `scatters` is false, these are all
 * elements of `held`; otherwise each rank reduces the piece of its position. Returns the elements
 * that the rank has then. `mine` may be `out`. `tmp` must have memory for radix - 1 times the
 * number of these elements. */
struct bounds allfold_multiply(struct allfold_builder *s, const struct core *core,
                               const struct radix_group *group, bool scatters, struct bounds held,
                               struct allfold_span mine, struct allfold_span out,
                               struct allfold_span tmp);

/* Reverses a round that scattered: exchanges this rank's piece of `held` in `out`, which is
 * complete, for the pieces of the other ranks. */
void allfold_collect(struct allfold_builder *s, const struct core *core,
                     const struct radix_group *group, struct bounds held, struct allfold_span out);

#endif
