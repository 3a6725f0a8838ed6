/* The shared part of the flat algorithms: whole vectors or blocks go in one round to all ranks that
 * need them, and are reduced in rank order. In shared memory that is one round of reading. */
#ifndef ALLFOLD_ALGORITHMS_FLAT_H
#define ALLFOLD_ALGORITHMS_FLAT_H

#include "algorithms/algorithm.h"
#include "algorithms/canonical.h"
#include "algorithms/peers.h"
#include "algorithms/problem.h"

/* Reduces this rank's vector `mine` and the vectors of all others in `all` into `to`, in rank
 * order: from left to right, or by the canonical tree if the problem asks for it. `to` may be
 * `mine`. */
void allfold_flat_fold(struct allfold_builder *s, const struct allfold_problem *problem,
                       struct allfold_span to, struct allfold_span mine, struct allfold_span all);

/* Returns the claim of one round in which a rank sends to all others, or receives from all others
 * and reduces. For descriptors. */
struct allfold_claim allfold_flat_claim(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters);

#endif
