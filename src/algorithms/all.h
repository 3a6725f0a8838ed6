/* Declares all algorithms of list.h, for descriptors that name other algorithms. */
#ifndef ALLFOLD_ALGORITHMS_ALL_H
#define ALLFOLD_ALGORITHMS_ALL_H

#include "algorithms/algorithm.h"

#define ALLFOLD_ALGORITHM(name) extern const struct allfold_algorithm allfold_##name;
#include "algorithms/list.h"
#undef ALLFOLD_ALGORITHM

#endif
