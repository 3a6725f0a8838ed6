/* Offers: where the model offers an algorithm that it does not offer everywhere, and why only
 * there. A descriptor lists them; one of them has to hold. */
#ifndef ALLFOLD_ALGORITHMS_OFFERS_H
#define ALLFOLD_ALGORITHMS_OFFERS_H

#include "algorithms/problem.h"

enum allfold_offer_place {
    ALLFOLD_OFFERS_END,      /* of a list */
    ALLFOLD_BETWEEN_NODES,   /* and, as few keep the canonical tree, to sums by it on one node */
    ALLFOLD_ON_ONE_NODE,     /* whose ranks have a core each */
    ALLFOLD_ON_SHARED_CORES, /* of one node (problem.shares_cores) */
    ALLFOLD_IN_PLACE,        /* ranks read in place (problem.reading) */
    ALLFOLD_CANONICAL_SUMS,  /* problems that ask for the canonical tree, on any nodes */
    ALLFOLD_OFFER_PLACES,
};

struct allfold_offer {
    enum allfold_offer_place place;
    int most_ranks;    /* to no more than so many; 0: to any number */
    size_t from_bytes; /* of the whole vector */
    const char *why;   /* why there, or why only there, in words */
};

/* For descriptors: a list of offers. */
#define ALLFOLD_OFFERS(...)                                                                        \
    (const struct allfold_offer[])                                                                 \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            .place = ALLFOLD_OFFERS_END                                                            \
        }                                                                                          \
    }
#define ALLFOLD_NOT_ON_ONE_NODE                                                                    \
    {                                                                                              \
        .place = ALLFOLD_BETWEEN_NODES, .why = "no measurement on one node favors it"              \
    }

/* NULL where an offer of the algorithm holds for the problem, or where it has none; else the first
 * one. */
const struct allfold_offer *allfold_missing_offer(const struct allfold_algorithm *algorithm,
                                                  const struct allfold_problem *problem);

/* Writes "on one node from 2K on, to 32 ranks at most". */
void allfold_offer_write(const struct allfold_offer *offer, char *text, size_t text_bytes);

#endif
