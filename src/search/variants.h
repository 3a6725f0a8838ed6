/* Candidates: the algorithms of a collective with the values of their parameters that are worth
 * simulating, by name, as rules have it.
 *
 * What a parameter is follows from its name: a `radix` is tried as 2, 3, 4, 5 and 8, a `segment`
 * as powers of four from 1 KiB to half the vector that cut it in 256 at most, `levels` as the
 * orders of radices whose product is near the number of ranks. All others keep their presets. Parts
 * of a composition have fewer levels to try, as each of them is tried beside others. */
#ifndef ALLFOLD_SEARCH_CANDIDATES_H
#define ALLFOLD_SEARCH_CANDIDATES_H

#include "algorithms/algorithm.h"

enum { ALLFOLD_CANDIDATE_BYTES = 112 };

/* Names, each once. */
struct allfold_candidates_list {
    char (*names)[ALLFOLD_CANDIDATE_BYTES];
    uint32_t count, capacity;
};

/* Adds the algorithm with all values of its parameters that are numbers, for so many ranks and so
 * long a vector; inner algorithms keep their presets. `is_part`: it is to be a part of a
 * composition. False without memory. */
bool allfold_candidates_add(struct allfold_candidates_list *list,
                            const struct allfold_algorithm *algorithm, int p, size_t bytes,
                            bool is_part);

void allfold_candidates_clear(struct allfold_candidates_list *list);

#endif
