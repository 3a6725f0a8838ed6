/* The canonical order of summation as a symbolic value: the expected result of cases with
 * `canonical` set.
 *
 * For reductions over all ranks it is the tree of algorithms/peers.h: all its levels are full
 * except the last one, which is filled from the left. For scans it is a tree over the ranks of the
 * prefix. That tree is split at the largest power of two below their number, so that different
 * prefixes share subtrees. */
#ifndef ALLFOLD_LAB_VERIFY_CANONICAL_VALUE_H
#define ALLFOLD_LAB_VERIFY_CANONICAL_VALUE_H

#include "lab/verify/case.h"
#include "lab/verify/values.h"

/* Returns the expected value of an element of the vector in the result of rank r. The value of the
 * next element is one more. Returns no value if rank r has no contributors, there are no elements,
 * or memory is short. */
uint32_t allfold_canonical_value(struct allfold_values *values, const struct allfold_case *of,
                                 int r, size_t element);

/* Returns whether a value is the expected one in the result of rank r; true if the case is not
 * `canonical`. */
bool allfold_canonical_is(struct allfold_values *values, const struct allfold_case *of, int r,
                          uint32_t value);

enum { ALLFOLD_CONTRAST_BYTES = 340 };

/* Writes a value and the expected value in the result of rank r, as "(0 o (1 o 2)). Expected:
 * ((0 o 1) o 2)". */
void allfold_canonical_contrast(struct allfold_values *values, const struct allfold_case *of, int r,
                                uint32_t value, char text[ALLFOLD_CONTRAST_BYTES]);

/* Returns the number of ranks in the left subtree of the collective's tree over n >= 2 ranks. */
int allfold_canonical_split(enum allfold_collective collective, int n);

#endif
