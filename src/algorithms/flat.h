/* What flat algorithms share: whole vectors or blocks go to all who need them in one round, and are
 * folded in rank order. With shared memory that is one round of reading. */
#ifndef ALLFOLD_ALGORITHMS_FLAT_H
#define ALLFOLD_ALGORITHMS_FLAT_H

#include "algorithms/algorithm.h"
#include "algorithms/canonical.h"
#include "algorithms/peers.h"
#include "algorithms/problem.h"

/* Folds this rank's vector `mine` and all others' into `to` in rank order: from left to right, or
 * by the canonical tree where asked for. Here `to` may be `mine`. */
void allfold_flat_fold(struct allfold_builder *s, const struct allfold_problem *problem,
                       struct allfold_span to, struct allfold_span mine, struct allfold_span all);

/* One round, in which some rank sends to all others, or receives from all of them and reduces what
 * it gets. For descriptors. */
struct allfold_claim allfold_flat_claim(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters);

/* The linear reduction, the textbooks' flat tree: all ranks send to `root`. It reduces in rank
 * order into OUT, while it receives the next. */
void allfold_linear_reduce(struct allfold_builder *s, const struct allfold_problem *problem,
                           int root);

#endif
