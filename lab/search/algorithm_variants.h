/* Variants: an algorithm with the values of its parameters that are worth simulating.
 *
 * What a parameter is follows from its name. A `radix` is tried as 2, 3, 4, 5 and 8; a `segment` as
 * powers of four from 1 KiB to 1 MiB that cut the vector in 2 to 128 segments. `levels` are tried
 * in every order of radices 2 to 5 whose product is the largest number up to p that these make,
 * with 0 to all of the leading ones as reduce-scatters; those with the fewest levels first, about
 * 64 at most. All others keep their presets. Parts of a composition have fewer levels to try, as
 * each of them is tried beside others. */
#ifndef ALLFOLD_LAB_SEARCH_ALGORITHM_VARIANTS_H
#define ALLFOLD_LAB_SEARCH_ALGORITHM_VARIANTS_H

#include "algorithms/algorithm.h"

/* Each once. */
struct allfold_variants {
    struct allfold_named *list;
    uint32_t count, capacity;
};

/* Adds the algorithm for p ranks and a vector of `bytes`. One parameter at a time takes all its
 * values, and the others keep their first ones; inner algorithms keep their presets. `is_part`: it
 * is to be a part of a composition. False without memory. */
bool allfold_variants_add(struct allfold_variants *variants,
                          const struct allfold_algorithm *algorithm, int p, size_t bytes,
                          bool is_part);

void allfold_variants_clear(struct allfold_variants *variants);

#endif
