/* What the renumbering algorithms share: another algorithm of the same collective, over the ranks
 * in the order of their nodes and the groups of these (`along` of nodes). For descriptors; the only
 * parameter names the other one.
 *
 * Many algorithms exchange with near numbers most, or send the longest messages to these. Where
 * ranks are dealt out to nodes in turn, or anyhow, near numbers are far away; in that order they
 * are near again.
 *
 * Invariant: the inner algorithm sees number i of `along` as its rank i. So what is proven of it
 * holds but for the order of the ranks. */
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
