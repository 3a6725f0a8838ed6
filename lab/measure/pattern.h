/* The data pattern of measured vectors, by which every result can be checked without a second
 * vector of its length.
 *
 * A vector repeats a short table, from an offset that depends on the rank and on the call. Between
 * two calls the offsets of all ranks shift by the same amount. The results are therefore a repeated
 * table, too, whose offset shifts in the same way. Values are small enough that the sum and the
 * product over all ranks are exact. */
#ifndef ALLFOLD_LAB_MEASURE_PATTERN_H
#define ALLFOLD_LAB_MEASURE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* A prime, so that up to ALLFOLD_PATTERN_LENGTH ranks have different offsets. */
enum { ALLFOLD_PATTERN_LENGTH = 1021 };

/* Returns whether a type can be measured: it has no padding, and MPI has it for C. */
bool allfold_pattern_has(enum allfold_type type);

/* Writes the table, of ALLFOLD_PATTERN_LENGTH elements, with values that suit the operation. */
void allfold_pattern_make(enum allfold_type type, enum allfold_operation operation, void *table);

/* Returns the offset in the table at which a rank's vector starts; 0 for rank 0 at call 0. Two
 * consecutive calls have different offsets, also on any two of fewer than 390 ranks. */
size_t allfold_pattern_offset(int rank, uint64_t call);

/* Returns whether a vector differs from that of the previous call in most elements. If so, a stale
 * result of the previous call is detected. */
bool allfold_pattern_varies(const void *table, size_t element_bytes);

/* Fills `count` elements from the table, starting at `offset`. */
void allfold_pattern_fill(const void *table, size_t element_bytes, size_t offset, void *elements,
                          size_t count);

/* Returns the index of the first element that differs from what allfold_pattern_fill writes;
 * `count` if there is none. */
size_t allfold_pattern_differs(const void *table, size_t element_bytes, size_t offset,
                               const void *elements, size_t count);

/* Writes an element as text. */
void allfold_pattern_print(enum allfold_type type, const void *element, char *text,
                           size_t text_bytes);

#endif
