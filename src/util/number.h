/* Numbers as files and people write them, with a period, whatever locale the program has set.
 *
 * All of Allfold reads numbers here. C's strtod and scanf take "1,5" for 1.5 and refuse "1.5" under
 * a locale with a decimal comma, and printf writes one. Thread-safe. */
#ifndef ALLFOLD_UTIL_NUMBER_H
#define ALLFOLD_UTIL_NUMBER_H

#include <locale.h>
#include <stdbool.h>

/* Reads a decimal number at the begin of `text`: 12, -1.5, .5, 6.2e-9; *end is where it ends.
 * False where there is none or it is too large for a double, then *value and *end stay. Blanks,
 * "inf", "nan" and hexadecimal numbers are none. */
bool allfold_number_read(const char *text, double *value, const char **end);

/* The same, of a text that is a number and nothing else. */
bool allfold_number_is(const char *text, double *value);

/* Reads a whole number from `least` to `most` at the begin of `text`, as allfold_number_read. */
bool allfold_whole_read(const char *text, long least, long most, long *value, const char **end);

/* The same, of a text that is a whole number and nothing else. */
bool allfold_whole_is(const char *text, long least, long most, long *value);

/* From this call on, this thread's printf writes numbers with a period; returns what
 * allfold_numbers_restore needs to give the thread its own locale back. */
locale_t allfold_numbers_plain(void);
void allfold_numbers_restore(locale_t before);

#endif
