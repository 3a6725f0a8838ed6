/* Allreduce by exchanges of whole vectors, one peer per round: Rabenseifner 2004, section 2.4. Who
 * the peers are is left to the algorithm.
 *
 * Where p is no power of two, pairs of ranks are removed. The odd rank of a pair gives its vector
 * to the even one first and gets the result at the end. */
#ifndef ALLFOLD_ALGORITHMS_DOUBLING_H
#define ALLFOLD_ALGORITHMS_DOUBLING_H

#include "algorithms/algorithm.h"
#include "algorithms/peers.h"

struct doubling_round {
    int index;     /* of the peer in the core */
    bool is_right; /* this rank's partial result is the right operand */
};

/* Builds all rounds. `round` gets the index of this rank, 0 <= k < lg of the core, and `how`. */
void allfold_build_doubling(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct doubling_round (*round)(const void *how, int index, int k),
                            const void *how);

struct allfold_claim allfold_doubling_claim(const struct allfold_problem *problem);

#endif
