/* What algorithms for a power of two of ranks need. */
#ifndef ALLFOLD_ALGORITHMS_POWER_OF_TWO_H
#define ALLFOLD_ALGORITHMS_POWER_OF_TWO_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

/* Blocks first .. first + blocks - 1 of p of a buffer with n elements. */
static inline struct allfold_span blocks_of(int buffer, size_t n, int p, int first, int blocks)
{
    const size_t begin = block_begin(n, p, first);
    return (struct allfold_span){
        .offset = begin, .length = block_begin(n, p, first + blocks) - begin, .buffer = buffer};
}

/* For a descriptor's `unmet`. */
static inline const char *allfold_unmet_power_of_two(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return (p & (p - 1)) == 0 ? NULL : "a power of two of ranks";
}

#endif
