/* Variants: an algorithm with the values of its parameters that are worth simulating.
 *
 * What a parameter is follows from its name: a `radix` is tried as 2, 3, 4, 5 and 8, a `segment` as
 * powers of four from 1 KiB to 1 MiB that cut the vector in 2 to 256 segments, `levels` as the
 * orders of radices whose product is the largest of 2, 3, 4 and 5 that is at most the number of
 * ranks. All others keep their presets. Parts of a composition have fewer levels to try, as each of
 * them is tried beside others. */
#ifndef ALLFOLD_SEARCH_VARIANTS_H
#define ALLFOLD_SEARCH_VARIANTS_H

#include "algorithms/algorithm.h"

/* Each once. */
struct allfold_variants {
    struct allfold_named *list;
    uint32_t count, capacity;
};

/* Adds the algorithm with all values of its parameters that are numbers, for p ranks and a vector
 * of `bytes`; inner algorithms keep their presets. `is_part`: it is to be a part of a composition.
 * False without memory. */
bool allfold_variants_add(struct allfold_variants *variants,
                          const struct allfold_algorithm *algorithm, int p, size_t bytes,
                          bool is_part);

void allfold_variants_clear(struct allfold_variants *variants);

#endif
