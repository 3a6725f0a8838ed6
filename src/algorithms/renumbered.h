/* Runs another algorithm of the same collective over renumbered ranks, in the order of their nodes
 * and the groups of these (`along` of nodes). For descriptors, whose only parameter names the other
 * algorithm.
 *
 * Many algorithms exchange mostly between ranks with close numbers, or exchange their longest
 * messages between these. If ranks are placed on nodes cyclically or irregularly, ranks with close
 * numbers are on distant nodes; renumbering corrects this.
 *
 * Invariant: rank `along[i]` is rank i of the inner algorithm. So what is proven of the inner
 * algorithm also holds here, except for the order of the ranks. */
#ifndef ALLFOLD_ALGORITHMS_RENUMBERED_H
#define ALLFOLD_ALGORITHMS_RENUMBERED_H

#include "algorithms/algorithm.h"

void allfold_renumbered_build(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters);
struct allfold_claim allfold_renumbered_claim(const struct allfold_problem *problem,
                                              const struct allfold_parameters *parameters);
const char *allfold_renumbered_unmet(const struct allfold_problem *problem,
                                     const struct allfold_parameters *parameters);

#endif
