/* Allreduce by exchanges of whole vectors, with one peer per round: Rabenseifner 2004, section 2.4.
 * The algorithm defines the peers.
 *
 * If p is not a power of two, one rank of each of some pairs is removed. The odd rank of such a
 * pair first sends its vector to the even one, and receives the result at the end. */
#ifndef ALLFOLD_ALGORITHMS_DOUBLING_H
#define ALLFOLD_ALGORITHMS_DOUBLING_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

/* A rank's exchange in a round. */
struct doubling_round {
    int index;     /* of the peer in the core */
    bool is_right; /* this rank's partial result is the right operand */
};

/* Writes all rounds. `round` is called with `how`, the index of this rank, and 0 <= k < lg of the
 * size of the core. */
void allfold_build_doubling(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct doubling_round (*round)(const void *how, int index, int k),
                            const void *how);

/* Returns the claim of these rounds. */
struct allfold_claim allfold_doubling_claim(const struct allfold_problem *problem);

#endif
