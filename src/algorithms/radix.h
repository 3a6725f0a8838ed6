/* Mixed radices: a core of q ranks, p/2 <= q <= p, as a product of small factors, so that each
 * round exchanges with factor - 1 peers at once. Pure functions. */
#ifndef ALLFOLD_ALGORITHMS_RADIX_H
#define ALLFOLD_ALGORITHMS_RADIX_H

enum { ALLFOLD_MAX_FACTORS = 31 };

struct factors {
    int core;     /* their product */
    int count;    /* one for each round */
    int rounds;   /* count, and two more where ranks are removed from the core: core < p */
    int messages; /* that a rank of the core sends: factor - 1 a round, and those two */
    int factor[ALLFOLD_MAX_FACTORS]; /* descending */
};

/* The core with the fewest rounds, then the fewest messages, then the largest one, of factors
 * 2 .. radix. Takes no memory that grows with p. */
struct factors allfold_factors(int p, int radix);

#endif
