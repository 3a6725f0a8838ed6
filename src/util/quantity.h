/* Numbers with a unit, as people write them: quantities (1.5us, 2.9GB/s, 0), durations (500ms, 90s,
 * 5m, 2h) and sizes (4096, 64K, 1M, 2G). The program's locale never matters. */
#ifndef ALLFOLD_UTIL_QUANTITY_H
#define ALLFOLD_UTIL_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

/* What one of a unit is; the list goes from large to small and is ended by a NULL. */
struct allfold_unit {
    const char *name;
    double value;
};

extern const struct allfold_unit allfold_time_units[]; /* s, ms, us, ns, ps; in seconds */
extern const struct allfold_unit allfold_rate_units[]; /* GB/s and so on; in bytes a second, powers
                                                          of 1000 */
extern const struct allfold_unit allfold_bit_rate_units[]; /* Gbit/s, Mbit/s; in Mbit a second */
extern const struct allfold_unit allfold_no_units[];

/* Reads a quantity at the begin of `text`; *end is where it ends. A 0 needs no unit. False where
 * there is none, or it is too large for a double. The locale has no say in it. */
bool allfold_quantity_read(const char *text, const struct allfold_unit *units, double *value,
                           const char **end);

/* The largest unit of which there is at least one, else the smallest. */
const struct allfold_unit *allfold_fitting_unit(double value, const struct allfold_unit *units);

/* Writes the shortest text, in a fitting unit, that is read as just that value. */
void allfold_quantity_write(double value, const struct allfold_unit *units, char *text,
                            size_t text_bytes);

/* Reads the duration that the first `length` characters of `text` are; a bare number is seconds.
 * False where they are none, or more than a week, or 0; then *seconds stays. */
bool allfold_duration_read(const char *text, size_t length, double *seconds);

/* Sizes count in powers of 1024.
 *
 * Reads a size at the begin of `text`; *end is where it ends. False where there is none or it does
 * not fit. */
bool allfold_size_read(const char *text, size_t *size, const char **end);

/* Writes "0", "4K", "1.5M": exact where it is a whole number of its unit, else with one digit. */
void allfold_size_write(size_t size, char *text, size_t text_bytes);

/* The same, but always exact, so that it reads back as it was: "1536", "64K". */
void allfold_size_write_exact(size_t size, char *text, size_t text_bytes);

#endif
