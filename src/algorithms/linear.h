/* The linear reduction, which allreduce and reduce share: the textbooks' flat tree. */
#ifndef ALLFOLD_ALGORITHMS_LINEAR_H
#define ALLFOLD_ALGORITHMS_LINEAR_H

#include "algorithms/problem.h"

/* All ranks send to `root`, which reduces in the order of the ranks into OUT, while it receives the
 * next. */
void allfold_linear_reduce(struct allfold_builder *s, const struct allfold_problem *problem,
                           int root);

#endif
