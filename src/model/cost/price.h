/* The time of a profile, with the constants of a machine or without them.
 *
 * Without constants (problem->costs is NULL) the network between the nodes is unknown. A time is
 * then the geometric mean over a family of networks. The algorithm for which this mean is least has
 * the least mean logarithm of regret, whichever algorithm is the best on each network. A job that
 * knows its switches has another family: a cluster's network is fast. */
#ifndef ALLFOLD_MODEL_PRICE_H
#define ALLFOLD_MODEL_PRICE_H

#include "algorithms/costs.h"
#include "model/cost/profile.h"

/* What a profile takes. Of each round it is the longest of three parts that go on together: on the
 * nodes, between them, and the reductions beside. The reductions that are waited for are added.
 */
double allfold_profiled_cost_s(const struct allfold_problem *problem,
                               const struct allfold_profile *profile);

/* The same with the links that these nodes know of. */
double allfold_profiled_cost_on_s(const struct allfold_problem *problem,
                                  const struct allfold_nodes *nodes,
                                  const struct allfold_profile *profile);

/* Did somebody tell the groups of these nodes? Assumed ones are no farther away. */
bool allfold_knows_groups(const struct allfold_nodes *nodes);

#endif
