/* Mixed radices: divides a core of q ranks, p/2 <= q <= p, into small factors, so that each round
 * exchanges with factor - 1 peers at once. Pure functions. */
#ifndef ALLFOLD_ALGORITHMS_RADIX_H
#define ALLFOLD_ALGORITHMS_RADIX_H

#include <stdbool.h>

enum { ALLFOLD_MAX_FACTORS = 31 };

/* The factors of a core. */
struct factors {
    int core;     /* their product */
    int count;    /* one for each round */
    int rounds;   /* count, plus 2 if ranks are removed from the core (core < p) */
    int messages; /* that a rank of the core sends: factor - 1 in each round, and those for the
                     removed ranks */
    /* In descending order, except by allfold_tree_factors. */
    unsigned char factor[ALLFOLD_MAX_FACTORS];
};

/* Returns the core with the fewest rounds, then the fewest messages, then the most ranks, of
 * factors 2 .. radix. Allocates no memory. */
struct factors allfold_factors(int p, int radix);

/* Returns the same factors with powers of two first: rounds of these join subtrees of the canonical
 * tree. */
struct factors allfold_tree_factors(int p, int radix);

/* Returns the largest factor; 1 if there is none. */
int allfold_largest_factor(const struct factors *factors);

/* Returns whether rounds with these radices, in this order, follow the canonical tree over p ranks,
 * if each round reduces by it. They do if all radices except the last are powers of two. If ranks
 * are removed from the core, the last one must be a power of two, too. */
bool allfold_radices_keep_tree(const struct factors *factors, int p);

#endif
