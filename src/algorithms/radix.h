/* Mixed radices: a core of q ranks, p/2 <= q <= p, as a product of small factors. So each round
 * exchanges with factor - 1 peers at once. Pure functions. */
#ifndef ALLFOLD_ALGORITHMS_RADIX_H
#define ALLFOLD_ALGORITHMS_RADIX_H

#include <stdbool.h>

enum { ALLFOLD_MAX_FACTORS = 31 };

struct factors {
    int core;     /* their product */
    int count;    /* one for each round */
    int rounds;   /* count, and two more where ranks are removed from the core: core < p */
    int messages; /* that a rank of the core sends: factor - 1 a round, and those two */
    unsigned char factor[ALLFOLD_MAX_FACTORS]; /* descending, but those of allfold_tree_factors */
};

/* The core with the fewest rounds, then the fewest messages, then the largest one, of factors
 * 2 .. radix. Takes no memory that grows with p. */
struct factors allfold_factors(int p, int radix);

/* The same factors, powers of two first: rounds of these join subtrees of the canonical tree. */
struct factors allfold_tree_factors(int p, int radix);

/* The largest factor; 1 where there is none. */
int allfold_largest_factor(const struct factors *factors);

/* Do rounds with these radices, the first one first, make the canonical tree over p ranks, if each
 * folds by that? So they do if all but the last are powers of two. Where ranks are removed from the
 * core, the last one has to be one, too. */
bool allfold_radices_keep_tree(const struct factors *factors, int p);

#endif
