/* What vectors are filled with in a measurement, so that every result can be checked without
 * another vector of its length. It is a short table again and again, from another place in it on
 * for each rank and each call. From one call to the next all ranks' places shift alike, so the
 * table of results does, too. The values are small enough that sums and products of all ranks are
 * exact. */
#ifndef ALLFOLD_LAB_MEASURE_PATTERN_H
#define ALLFOLD_LAB_MEASURE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* A prime, so that ranks share no place. */
enum { ALLFOLD_PATTERN_LENGTH = 1021 };

/* Types without padding that MPI has for C: those that can be measured with. */
bool allfold_pattern_has(enum allfold_type type);

/* Writes the table, of ALLFOLD_PATTERN_LENGTH elements, with values that suit an operation. */
void allfold_pattern_make(enum allfold_type type, enum allfold_operation operation, void *table);

/* Where a rank's vector begins in the table at a call; call 0 has rank 0 at its start. Calls in a
 * row, and vectors of fewer than 390 ranks, begin at different places. */
size_t allfold_pattern_offset(int rank, uint64_t call);

/* Do vectors of the table differ from one call to the next in most elements? Then a result that is
 * left from the call before is seen to be wrong. */
bool allfold_pattern_varies(const void *table, size_t element_bytes);

/* Fills elements from that place on. */
void allfold_pattern_fill(const void *table, size_t element_bytes, size_t offset, void *elements,
                          size_t count);

/* The first element that is not as it would have been filled; `count` where all are. */
size_t allfold_pattern_differs(const void *table, size_t element_bytes, size_t offset,
                               const void *elements, size_t count);

/* Writes an element for people. */
void allfold_pattern_print(enum allfold_type type, const void *element, char *text,
                           size_t text_bytes);

#endif
