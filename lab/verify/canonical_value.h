/* The canonical tree as a symbolic value: what each result is to be where a case asks for it.
 *
 * Of reductions over all ranks it is the tree of peers.h: all its levels are full but the last,
 * which is filled from the left. Of scans it is the tree over the ranks of the prefix. That tree is
 * split at the largest power of two below their number, so that prefixes have subtrees in
 * common. */
#ifndef ALLFOLD_LAB_VERIFY_CANONICAL_VALUE_H
#define ALLFOLD_LAB_VERIFY_CANONICAL_VALUE_H

#include "lab/verify/case.h"
#include "lab/verify/values.h"

/* What an element of the vector is to be in the result of rank r; that of the next element is one
 * more. No value where the rank has no contributors, there are no elements, or memory is short. */
uint32_t allfold_canonical_value(struct allfold_values *values, const struct allfold_case *of,
                                 int r, size_t element);

/* Is that what a result of rank r has to be, if the case asks for the tree at all? */
bool allfold_canonical_is(struct allfold_values *values, const struct allfold_case *of, int r,
                          uint32_t value);

enum { ALLFOLD_CONTRAST_BYTES = 340 };

/* Writes what a value is in the result of rank r, and what it is to be: "(0 o (1 o 2)). Expected:
 * ((0 o 1) o 2)". */
void allfold_canonical_contrast(struct allfold_values *values, const struct allfold_case *of, int r,
                                uint32_t value, char text[ALLFOLD_CONTRAST_BYTES]);

/* How many of n >= 2 ranks the left half of the collective's tree covers. */
int allfold_canonical_split(enum allfold_collective collective, int n);

#endif
