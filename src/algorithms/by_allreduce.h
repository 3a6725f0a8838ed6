/* Reduce, reduce-scatter and barrier by an allreduce, for descriptors whose only parameter names
 * the allreduce. In a reduce, ranks other than the root discard the result; in a reduce-scatter,
 * each rank takes its block of the result. So these collectives need not take longer than an
 * allreduce and a copy: Traeff, Gropp and Thakur 2010, Self-consistent MPI performance guidelines.
 */
#ifndef ALLFOLD_ALGORITHMS_BY_ALLREDUCE_H
#define ALLFOLD_ALGORITHMS_BY_ALLREDUCE_H

#include "algorithms/all.h"

void allfold_by_allreduce_build(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters);
struct allfold_claim allfold_by_allreduce_claim(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters);
const char *allfold_by_allreduce_unmet(const struct allfold_problem *problem,
                                       const struct allfold_parameters *parameters);
bool allfold_by_allreduce_keeps_tree(const struct allfold_problem *problem,
                                     const struct allfold_parameters *parameters);

/* The shared part of these descriptors. */
#define ALLFOLD_BY_ALLREDUCE                                                                       \
    .name = "allreduce", .source = "Traeff, Gropp and Thakur 2010", .follows_nodes = true,         \
    .consistent = true,                                                                            \
    .parameters = {ALLFOLD_INNER_ON_ALL("the allreduce", &allfold_allreduce_mixed_radix)},         \
    .build = allfold_by_allreduce_build, .claim = allfold_by_allreduce_claim,                      \
    .unmet = allfold_by_allreduce_unmet

#endif
