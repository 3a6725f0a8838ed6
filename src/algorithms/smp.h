/* What the SMP algorithms share: one rank of each node deals with the other nodes. Bienz et al.
 * 2019, section II. */
#ifndef ALLFOLD_ALGORITHMS_SMP_H
#define ALLFOLD_ALGORITHMS_SMP_H

#include "algorithms/composed.h"

/* The number of these ranks on their nodes: the root's, so that it is one of them; 0 where a node
 * has too few ranks for that. */
int allfold_smp_lane(const struct allfold_problem *problem);

/* What `on_nodes` on each node and `between` among these ranks claim together, and the message
 * between the root and the one of its node where it is not that. */
struct allfold_claim allfold_smp_claim(const struct allfold_problem *problem,
                                       const struct allfold_algorithm *on_nodes,
                                       const struct allfold_algorithm *between);

/* What they need together, in words, or NULL; for the `unmet` of descriptors. */
const char *allfold_smp_unmet(const struct allfold_problem *problem,
                              const struct allfold_algorithm *on_nodes,
                              const struct allfold_algorithm *between);

#endif
