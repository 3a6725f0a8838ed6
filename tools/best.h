/* Where algorithms are the best, by the simulations of scripts/best: lib/allfold/best.csv. */
#ifndef ALLFOLD_TOOLS_BEST_H
#define ALLFOLD_TOOLS_BEST_H

#include <stdbool.h>
#include <stddef.h>

#include "algorithms/algorithm.h"

struct allfold_best_cases;

/* Reads the table; NULL with a message where it cannot be read. */
struct allfold_best_cases *allfold_best_read(char *message, size_t message_bytes);
void allfold_best_free(struct allfold_best_cases *cases);

/* Of the cases of an algorithm's collective. */
struct allfold_best {
    int cases, best;
    int alone;      /* no other algorithm takes as little, within a thousandth */
    char text[300]; /* where, in words */
};

struct allfold_best allfold_best_of(const struct allfold_best_cases *cases,
                                    const struct allfold_algorithm *algorithm);

#endif
