/* What algorithms for a power of two of ranks need. */
#ifndef ALLFOLD_ALGORITHMS_POWER_OF_TWO_H
#define ALLFOLD_ALGORITHMS_POWER_OF_TWO_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

/* For a descriptor's `unmet`. */
static inline const char *allfold_unmet_power_of_two(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return (p & (p - 1)) == 0 ? NULL : "a power of two of ranks";
}

#endif
