/* Lists the variants of an algorithm that a search simulates: the algorithm with different values
 * of its parameters. The values depend on the kind of the parameter:
 *
 *     radix      2, 3, 4, 5 and 8
 *     segment    powers of four from 1 KiB to 1 MiB that divide the vector into 2 to 128 segments
 *     pipeline   the values of a segment, and one segment for the whole vector
 *     levels     every list of radices from 2 to 5 with the product m, in every order; m is the
 *                largest such product up to p. Each list is tried with its first 0, 1, ... or all
 *                levels as reduce-scatters. Lists with fewer levels come first. At most 64 values
 *                are tried, and about 12 if the algorithm is a part of a composition
 *
 * The default of a radix or segment is tried, too. Parameters of other kinds keep their default. */
#ifndef ALLFOLD_LAB_SEARCH_ALGORITHM_VARIANTS_H
#define ALLFOLD_LAB_SEARCH_ALGORITHM_VARIANTS_H

#include "algorithms/algorithm.h"

/* A list of different variants. */
struct allfold_variants {
    struct allfold_named *list;
    uint32_t count, capacity;
};

/* Adds the variants of an algorithm for p ranks and a vector of `bytes` bytes. Each variant differs
 * from the first one in one parameter only. Inner algorithms keep their default.
 * `is_part` is true if the algorithm is a part of a composition. Returns false if out of memory. */
bool allfold_variants_add(struct allfold_variants *variants,
                          const struct allfold_algorithm *algorithm, int p, size_t bytes,
                          bool is_part);

/* Frees the list and makes it empty. */
void allfold_variants_clear(struct allfold_variants *variants);

#endif
