/* Algorithm variants: an algorithm with those values of its parameters that are worth simulating.
 *
 * The values depend on the kind of the parameter:
 *
 *     radix      2, 3, 4, 5 and 8
 *     segment    powers of four from 1 KiB to 1 MiB that divide the vector into 2 to 128 segments
 *     pipeline   the same, and one segment
 *     levels     every order of radices 2 to 5 whose product is the largest such number up to p.
 *                The first levels may be reduce-scatters: none of them, one, ... or all. Lists with
 *                fewer levels come first; about 64 lists are tried, 12 for a part of a composition
 *
 * The default of a radix or segment is tried, too. All other parameters keep their default. */
#ifndef ALLFOLD_LAB_SEARCH_ALGORITHM_VARIANTS_H
#define ALLFOLD_LAB_SEARCH_ALGORITHM_VARIANTS_H

#include "algorithms/algorithm.h"

/* A list of different variants. */
struct allfold_variants {
    struct allfold_named *list;
    uint32_t count, capacity;
};

/* Adds the variants of an algorithm for p ranks and a vector of `bytes` bytes. Only one parameter
 * at a time is varied; the others have their first value. Inner algorithms keep their default.
 * `is_part` is true if the algorithm is a part of a composition. Returns false if out of memory. */
bool allfold_variants_add(struct allfold_variants *variants,
                          const struct allfold_algorithm *algorithm, int p, size_t bytes,
                          bool is_part);

/* Frees the list and makes it empty. */
void allfold_variants_clear(struct allfold_variants *variants);

#endif
