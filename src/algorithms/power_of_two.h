/* The need for a power of two of ranks, shared by several algorithms. */
#ifndef ALLFOLD_ALGORITHMS_POWER_OF_TWO_H
#define ALLFOLD_ALGORITHMS_POWER_OF_TWO_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

/* Returns the need if it is not met, otherwise NULL. For a descriptor's `unmet`. */
static inline const char *allfold_unmet_power_of_two(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return (p & (p - 1)) == 0 ? NULL : "a power of two of ranks";
}

#endif
