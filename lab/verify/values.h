/* Symbolic values: what virtual ranks compute with instead of numbers.
 *
 * A value is a number that names an element and an expression tree over ranks. A leaf is what one
 * rank contributed to the element; every other tree is left o right. Equal trees have equal names
 * (hash consing), so comparing two values compares operands, their order and their bracketing at
 * once. Trees do not know of elements, so a span that is treated alike costs as much as one
 * element. The values of a tree at elements 0, 1, 2, ... are consecutive numbers. */
#ifndef ALLFOLD_LAB_VERIFY_VALUES_H
#define ALLFOLD_LAB_VERIFY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "allfold_core.h"

/* Names that are no values. They stand for memory that nothing was written to, memory that a
 * message in flight may change at any time, and the result of an operation on either. */
enum { ALLFOLD_UNWRITTEN = 0 };
#define ALLFOLD_IN_FLIGHT UINT32_MAX

struct allfold_values;

/* What *why of allfold_values_combine points to when memory was short. */
extern const char allfold_values_no_memory[];

struct allfold_values *allfold_values_create(void);
void allfold_values_free(struct allfold_values *values);

/* Forgets all values and begins anew for p ranks and `count` elements. With `may_repeat` a result
 * may have a contribution more than once. */
enum allfold_error allfold_values_begin(struct allfold_values *values, int p, size_t count,
                                        bool may_repeat);

/* What rank r contributes to an element. */
uint32_t allfold_values_leaf(const struct allfold_values *values, int r, size_t element);

/* left o right. 0 where an operand is no value, belongs to another element, or memory is short;
 * then *why says which. */
uint32_t allfold_values_combine(struct allfold_values *values, uint32_t left, uint32_t right,
                                const char **why);

/* to[i] = left[i] o right[i], one after the other; false as soon as one of them is 0. */
bool allfold_values_combine_all(struct allfold_values *values, uint32_t *to, const uint32_t *left,
                                const uint32_t *right, size_t count, const char **why);

bool allfold_values_exist(const struct allfold_values *values, uint32_t value);
bool allfold_values_all_exist(const struct allfold_values *values, const uint32_t *of,
                              size_t count);

/* The element that a value belongs to; 0 where it is no value. */
size_t allfold_values_element(const struct allfold_values *values, uint32_t value);

/* The ranks that contributed to a value, bit r for rank r; for p <= 64. 0 where it is no value. */
uint64_t allfold_values_ranks(const struct allfold_values *values, uint32_t value);

/* How often each of the p ranks contributed to a value; `times` has room for p. More than 1000
 * times count as 1000. False without memory. */
bool allfold_values_times(const struct allfold_values *values, uint32_t value, unsigned *times);

/* The first two contributions next to each other of which the left one is of the higher rank. False
 * where there are none, or too many contributions to look at. */
bool allfold_values_inversion(const struct allfold_values *values, uint32_t value, int *left,
                              int *right);

/* "((0 o 1) o 2)": how a value is bracketed over the ranks; "..." stands for what is too long. */
void allfold_values_print(const struct allfold_values *values, uint32_t value, char *text,
                          size_t text_bytes);

/* Says in words what is wrong with a value as the result of an element over the lowest `ranks`
 * ranks, 1 or more. NULL where it is right. It is wrong where some rank's contribution is not there
 * exactly once (or at all, where it may repeat), and where the value is another element's. With
 * `ordered` it is also wrong where contributions are not in rank order. Exact for p <= 64, and
 * where contributions may repeat. Else a 64-bit fingerprint stands for the set. */
const char *allfold_values_fault(const struct allfold_values *values, uint32_t value,
                                 size_t element, int ranks, bool ordered);

#endif
