/* Reads and writes numbers with units: quantities (1.5us, 2.9GB/s, 0), durations (500ms, 90s, 5m,
 * 2h) and sizes (4096, 64K, 1M, 2G). The program's locale has no influence. Thread-safe. */
#ifndef ALLFOLD_UTIL_QUANTITY_H
#define ALLFOLD_UTIL_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* A unit and its value in the base unit. Lists of units go from the largest to the smallest unit; a
 * NULL name ends them. */
struct allfold_unit {
    const char *name;
    double value;
};

extern const struct allfold_unit allfold_time_units[]; /* s, ms, us, ns, ps; in seconds */
extern const struct allfold_unit
    allfold_rate_units[]; /* GB/s and so on, with powers of 1000; in bytes per second */
extern const struct allfold_unit allfold_bit_rate_units[]; /* Gbit/s, Mbit/s; in Mbit per second */
extern const struct allfold_unit allfold_no_units[];

/* Reads a quantity at the start of `text` and sets *end to the character after it. A 0 needs no
 * unit. False if there is no quantity, or it is too large for a double. */
bool allfold_quantity_read(const char *text, const struct allfold_unit *units, double *value,
                           const char **end);

/* Returns the largest unit that is not larger than `value`, or the smallest unit of the list. */
const struct allfold_unit *allfold_fitting_unit(double value, const struct allfold_unit *units);

/* Writes the shortest text that allfold_quantity_read reads as exactly `value`, in a fitting unit.
 */
void allfold_quantity_write(double value, const struct allfold_unit *units, char *text,
                            size_t text_bytes);

/* Reads a duration that consists of the first `length` characters of `text`. A number without unit
 * is in seconds. False if they are not a duration, or it is 0 or more than a week; then *seconds
 * remains unchanged. */
bool allfold_duration_read(const char *text, size_t length, double *seconds);

/* Reads a size at the start of `text`, in units of powers of 1024, and sets *end to the character
 * after it. False if there is none, or it does not fit into a size_t. */
bool allfold_size_read(const char *text, size_t *size, const char **end);

/* Writes a size as "0", "4K" or "1.5M": exactly if it is a multiple of a unit, otherwise rounded to
 * one digit after the point. */
void allfold_size_write(size_t size, char *text, size_t text_bytes);

/* Writes a size exactly, so that allfold_size_read reads the same size: "1536", "64K". */
void allfold_size_write_exact(size_t size, char *text, size_t text_bytes);

#endif
