/* One round of recursive multiplying: the generalisation of recursive doubling and of recursive
 * halving to groups of any radix, in the order of the ranks. */
#ifndef ALLFOLD_ALGORITHMS_MULTIPLYING_H
#define ALLFOLD_ALGORITHMS_MULTIPLYING_H

#include "algorithms/halving.h"

/* The core ranks whose indices differ in one digit: this rank's place among `radix`, and the index
 * of the first of them. Digits of lower places are worth less than `stride` together. */
struct radix_group {
    int radix, stride;
    int position, first;
    bool by_tree; /* fold by the canonical tree, not from the left; set by the caller */
};

struct radix_group allfold_radix_group(int index, int radix, int stride);

/* Piece j of `held` in `radix` pieces whose lengths differ by at most 1, longer ones first. */
struct bounds allfold_piece(struct bounds held, int radix, int j);

/* Exchanges elements of `mine` with all other ranks of the digit at once, and folds what comes, in
 * rank order, into the same elements of `out`. Where `scatters` is false, these are all elements of
 * `held`; else each rank folds the piece of its place. Returns what is held then. Here `mine` may
 * be `out`, and `tmp` has room for radix - 1 times as many elements. */
struct bounds allfold_multiply(struct allfold_builder *s, const struct core *core,
                               const struct radix_group *group, bool scatters, struct bounds held,
                               struct allfold_span mine, struct allfold_span out,
                               struct allfold_span tmp);

/* The way back of a round that scattered: exchanges this rank's piece of `held` in `out`, which is
 * complete, for those of the others. */
void allfold_collect(struct allfold_builder *s, const struct core *core,
                     const struct radix_group *group, struct bounds held, struct allfold_span out);

#endif
