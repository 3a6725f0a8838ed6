/* The levels of a recursion, each with a radix and a way, and their code in one number.
 *
 * The decimal digits of the number are the levels, the first one leftmost. Digits 2, 3, 4, 5 double
 * (or triple ...) with that radix: whole vectors. Digits 6, 7, 8, 9 halve (or cut in three ...)
 * with radix 2, 3, 4, 5: a reduce-scatter, whose allgather comes after all levels. So 662 is two
 * halvings, then a doubling, of 8 ranks. */
#ifndef ALLFOLD_ALGORITHMS_LEVELS_H
#define ALLFOLD_ALGORITHMS_LEVELS_H

#include "algorithms/algorithm.h"
#include "algorithms/radix.h"

enum { ALLFOLD_LARGEST_LEVEL = 5, ALLFOLD_SCATTERS = 4 /* more in the digit of such a level */ };

struct level {
    unsigned char radix;
    bool scatters;
};

struct levels {
    int count;
    int core; /* the product of the radices */
    struct level level[ALLFOLD_MAX_FACTORS];
};

/* A level and its digit. */
static inline struct level allfold_digit_level(size_t digit)
{
    const bool scatters = digit > ALLFOLD_LARGEST_LEVEL;
    return (struct level){(unsigned char)(scatters ? digit - ALLFOLD_SCATTERS : digit), scatters};
}

static inline size_t allfold_level_digit(struct level level)
{
    return (size_t)level.radix + (level.scatters ? ALLFOLD_SCATTERS : 0);
}

/* The levels that a number means for p ranks. The count is 0 where a digit is none of these, or
 * where the core has fewer than p/2 or more than p ranks. */
struct levels allfold_levels_of(size_t number, int p);

/* The number of levels for p ranks that are like those of a number for other ranks: radices up to
 * its largest one, the largest first, of which the first scatter into about as many pieces. With
 * `canonical` they make the canonical tree. */
size_t allfold_levels_like(size_t number, int p, bool canonical);

/* Do these levels make the canonical tree over p ranks, if each folds by that (radix.h)? */
bool allfold_levels_keep_tree(const struct levels *levels, int p);

/* What an allreduce of these levels costs for the problem; see allreduce_mixed_radix.c. */
struct allfold_claim allfold_levels_claim(const struct levels *levels,
                                          const struct allfold_problem *problem);

/* Elements of room for what comes at once: n in the removal, radix - 1 times what is kept at a
 * level. */
size_t allfold_levels_room(const struct levels *levels, size_t n);

/* The levels that the cost model finds best: radices as allfold_factors gives them for 2 .. 5, the
 * largest first, of which the first few scatter. Where the problem asks for the canonical tree,
 * those that make it, powers of two first. */
struct levels allfold_best_levels(const struct allfold_problem *problem);

/* An allreduce over the levels, which mixed_radix and recursive_splitting share: Rabenseifner 2004,
 * sections 2.3 to 2.5.
 *
 * At level i the ranks of a digit either exchange all that they hold or each reduces one piece of
 * it. The ranks collect the pieces after the last level, in reverse order. Where the core is not
 * all ranks, the odd rank of each removed pair gives its vector to the even one. Where the first
 * level scatters, each of the two reduces one half first instead. Costs what allfold_levels_claim
 * says.
 *
 * Invariant: before level i, the elements held are the reduction over the core ranks that differ
 * only in digits before i, which are consecutive. Operands stay in rank order, with the same
 * association on all ranks. */
void allfold_levels_allreduce(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct levels *levels);

#endif
