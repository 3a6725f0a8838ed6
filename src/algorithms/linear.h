/* The linear reduction, called flat tree in textbooks: every rank sends its vector to one rank,
 * which reduces all vectors in rank order. Shared by reduce_linear.c and allreduce_linear.c. */
#ifndef ALLFOLD_ALGORITHMS_LINEAR_H
#define ALLFOLD_ALGORITHMS_LINEAR_H

#include "algorithms/algorithm.h"
#include "algorithms/problem.h"

/* Writes the linear reduction: all other ranks send to `root`, which reduces in rank order into OUT
 * while it receives the next vector. */
void allfold_linear_reduce(struct allfold_builder *s, const struct allfold_problem *problem,
                           int root);

#endif
