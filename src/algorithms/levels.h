/* The levels of a recursive allreduce, each with a radix and a method, encoded in one number.
 *
 * The decimal digits of the number are the levels, the first one leftmost. Digits 2, 3, 4, 5 are
 * doubling with that radix: whole vectors are exchanged. Digits 6, 7, 8, 9 are halving with radix
 * 2, 3, 4, 5: a reduce-scatter, whose allgather follows after all levels. So 662 is two halvings
 * and a doubling, for 8 ranks. */
#ifndef ALLFOLD_ALGORITHMS_LEVELS_H
#define ALLFOLD_ALGORITHMS_LEVELS_H

#include "algorithms/algorithm.h"
#include "algorithms/radix.h"

enum {
    ALLFOLD_LARGEST_LEVEL = 5,
    ALLFOLD_SCATTERS = 4 /* added to the radix in the digit of a halving level */
};

/* A level: its radix, and whether it is a halving level. */
struct level {
    unsigned char radix;
    bool scatters;
};

/* The levels of a recursion. */
struct levels {
    int count;
    int core; /* the product of the radices */
    struct level level[ALLFOLD_MAX_FACTORS];
};

/* Returns the level of a digit. */
static inline struct level allfold_digit_level(size_t digit)
{
    const bool scatters = digit > ALLFOLD_LARGEST_LEVEL;
    return (struct level){(unsigned char)(scatters ? digit - ALLFOLD_SCATTERS : digit), scatters};
}

/* Returns the digit of a level. */
static inline size_t allfold_level_digit(struct level level)
{
    return (size_t)level.radix + (level.scatters ? ALLFOLD_SCATTERS : 0);
}

/* Returns the levels that a number encodes for p ranks. The count is 0 if a digit is invalid, or
 * the core has fewer than p/2 or more than p ranks. */
struct levels allfold_levels_of(size_t number, int p);

/* Adapts the levels of `number`, which are for another number of ranks, to p ranks, and returns the
 * number that encodes the result. Its radices are at most the largest radix of `number`. Its first
 * levels are halving levels, into at most as many pieces as the halving levels of `number`. With
 * `canonical` the levels follow the canonical tree. */
size_t allfold_levels_like(size_t number, int p, bool canonical);

/* Returns whether these levels follow the canonical tree over p ranks, if each level reduces by it
 * (radix.h). */
bool allfold_levels_keep_tree(const struct levels *levels, int p);

/* Returns the claim of an allreduce over these levels; see allreduce_mixed_radix.c. */
struct allfold_claim allfold_levels_claim(const struct levels *levels,
                                          const struct allfold_problem *problem);

/* Returns the scratch memory in elements for received messages: n if ranks are removed, and at each
 * level radix - 1 times the elements that a rank keeps. */
size_t allfold_levels_room(const struct levels *levels, size_t n);

/* Returns the levels with the lowest estimated cost: radices as allfold_factors gives them for 2 ..
 * 5, in descending order, of which the first few scatter. If the problem asks for the canonical
 * tree, levels that follow it, powers of two first. */
struct levels allfold_best_levels(const struct allfold_problem *problem);

/* Writes an allreduce over the levels, for mixed_radix and recursive_splitting: Rabenseifner 2004,
 * sections 2.3 to 2.5.
 *
 * At level i the ranks of a group either exchange all elements that they have, or each rank reduces
 * one piece of them. After the last level the ranks collect the pieces in reverse order. If the
 * core does not contain all ranks, the odd rank of each pair gives its vector to the even one. If
 * the first level scatters, each of the two reduces one half first instead.
 *
 * Invariant: before level i, a rank's elements are the reduction over the core ranks whose indices
 * differ from its own only in digits before i, which are consecutive. Operands stay in rank order,
 * with the same association on all ranks. */
void allfold_levels_allreduce(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct levels *levels);

#endif
