/* Quantities: decimal numbers with a unit, as people write them: 1.5us, 2.9GB/s, 0; and durations:
 * 500ms, 90s, 5m, 2h. The program's locale never matters. */
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
extern const struct allfold_unit allfold_no_units[];

/* Reads a quantity at the begin of `text`; *end is where it ends. A 0 needs no unit. False where
 * there is none, or it is too large for a double. The locale has no say in it. */
bool allfold_quantity_read(const char *text, const struct allfold_unit *units, double *value,
                           const char **end);

/* Writes the shortest text, in a fitting unit, that is read as just that value. */
void allfold_quantity_write(double value, const struct allfold_unit *units, char *text,
                            size_t text_bytes);

/* Reads the duration that the first `length` characters of `text` are; a bare number is seconds.
 * False where they are none, or more than a week, or 0; then *seconds stays. */
bool allfold_duration_read(const char *text, size_t length, double *seconds);

#endif
