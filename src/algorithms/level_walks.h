/* An allreduce over the levels of a recursion (levels.h): what mixed_radix and recursive_splitting
 * share. Rabenseifner 2004, sections 2.3 to 2.5. */
#ifndef ALLFOLD_ALGORITHMS_LEVEL_WALKS_H
#define ALLFOLD_ALGORITHMS_LEVEL_WALKS_H

#include "algorithms/levels.h"

/* At level i the ranks of a digit either exchange all that they hold or each reduces one piece of
 * it; the pieces are collected again after the last level, in reverse order. Where the core is not
 * all ranks, the odd rank of each removed pair gives its vector to the even one, or, where the
 * first level scatters, each of them reduces one half first. Costs what allfold_levels_claim says.
 *
 * Invariant: before level i, the elements held are the reduction over the core ranks that differ
 * only in digits before i, which are consecutive: operands stay in rank order, bracketed alike. */
void allfold_levels_allreduce(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct levels *levels);

#endif
