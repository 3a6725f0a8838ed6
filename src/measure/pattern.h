/* What vectors are filled with in a measurement, so that every result can be checked without
 * another vector of its length. It is a short table again and again, at another place in it on each
 * rank. The values are small enough that sums and products of all ranks are exact. */
#ifndef ALLFOLD_MEASURE_PATTERN_H
#define ALLFOLD_MEASURE_PATTERN_H

#include <stdbool.h>

#include "kernels/kernels.h"

/* A prime, so that ranks share no place. */
enum { ALLFOLD_PATTERN_LENGTH = 1021 };

/* Types without padding that MPI has for C: those that can be measured with. */
bool allfold_pattern_has(enum allfold_type type);

/* Writes the table, of ALLFOLD_PATTERN_LENGTH elements, with values that suit an operation. */
void allfold_pattern_make(enum allfold_type type, enum allfold_operation operation, void *table);

/* Where a rank's vector begins in the table. */
size_t allfold_pattern_place(int rank);

/* Fills elements from that place on. */
void allfold_pattern_fill(const void *table, size_t element_bytes, size_t place, void *elements,
                          size_t count);

/* The first element that is not as it would have been filled; `count` where all are. */
size_t allfold_pattern_differs(const void *table, size_t element_bytes, size_t place,
                               const void *elements, size_t count);

/* Writes an element for people. */
void allfold_pattern_print(enum allfold_type type, const void *element, char *text,
                           size_t text_bytes);

#endif
