/* Symbolic values, with which virtual ranks compute instead of numbers.
 *
 * A value is an integer that identifies an element and an expression tree over ranks. A leaf is the
 * contribution of one rank to the element; an inner node is left o right. Equal trees have equal
 * identifiers (hash consing). Comparing two values therefore compares the operands, their order and
 * their association in one step. Trees are independent of elements, so operations on a span cost as
 * much memory as on one element. The values of a tree at elements 0, 1, 2, ... are consecutive
 * integers. */
#ifndef ALLFOLD_LAB_VERIFY_VALUES_H
#define ALLFOLD_LAB_VERIFY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "allfold_core.h"

/* Identifiers that are no values: ALLFOLD_UNWRITTEN for memory that was never written and for the
 * result of an operation on no value; ALLFOLD_IN_FLIGHT for memory that a message in flight may
 * change. */
enum { ALLFOLD_UNWRITTEN = 0 };
#define ALLFOLD_IN_FLIGHT UINT32_MAX

struct allfold_values;

/* The text that *why of allfold_values_combine points to if out of memory. */
extern const char allfold_values_no_memory[];

/* Creates an empty store of values, or returns NULL if out of memory. Free it with
 * allfold_values_free. */
struct allfold_values *allfold_values_create(void);
void allfold_values_free(struct allfold_values *values);

/* Removes all values and starts again for p ranks and `count` elements. If `may_repeat`, a result
 * may have a contribution more than once. Returns ALLFOLD_OK or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_values_begin(struct allfold_values *values, int p, size_t count,
                                        bool may_repeat);

/* Returns the contribution of rank r to an element. */
uint32_t allfold_values_leaf(const struct allfold_values *values, int r, size_t element);

/* Returns left o right. Returns 0 if an operand is no value, if the operands belong to different
 * elements, or if out of memory; *why is then the reason. */
uint32_t allfold_values_combine(struct allfold_values *values, uint32_t left, uint32_t right,
                                const char **why);

/* Computes to[i] = left[i] o right[i] in ascending order. Stops and returns false if a result is 0.
 */
bool allfold_values_combine_all(struct allfold_values *values, uint32_t *to, const uint32_t *left,
                                const uint32_t *right, size_t count, const char **why);

/* Returns whether `value` is a value. */
bool allfold_values_exist(const struct allfold_values *values, uint32_t value);

/* Returns whether all of `count` entries are values. */
bool allfold_values_all_exist(const struct allfold_values *values, const uint32_t *of,
                              size_t count);

/* Returns the element of a value; 0 if it is no value. */
size_t allfold_values_element(const struct allfold_values *values, uint32_t value);

/* Returns the set of ranks that contributed to a value (bit r: rank r), or 0 if it is no value. For
 * p <= 64. */
uint64_t allfold_values_ranks(const struct allfold_values *values, uint32_t value);

/* Writes to times[r] how often rank r contributed to a value, at most 1000, for each of the p
 * ranks. Returns false if out of memory. */
bool allfold_values_times(const struct allfold_values *values, uint32_t value, unsigned *times);

/* Finds the first two adjacent contributions of which the left one is of the higher rank. Returns
 * false if there are none, or if the tree is too large to search. */
bool allfold_values_inversion(const struct allfold_values *values, uint32_t value, int *left,
                              int *right);

/* Writes the expression of a value, such as "((0 o 1) o 2)", abbreviated by "..." if it is too
 * long. */
void allfold_values_print(const struct allfold_values *values, uint32_t value, char *text,
                          size_t text_bytes);

/* Checks a value as the result of an element over the lowest `ranks` ranks, 1 or more. Returns the
 * error as text, or NULL if the value is right. It must be a value of this element and have each
 * contribution exactly once, or at least once if contributions may repeat. If `ordered`, the
 * contributions must be in rank order.
 *
 * The check is exact if p <= 64 or if contributions may repeat. Otherwise a 64-bit hash represents
 * the set of contributions. */
const char *allfold_values_fault(const struct allfold_values *values, uint32_t value,
                                 size_t element, int ranks, bool ordered);

#endif
