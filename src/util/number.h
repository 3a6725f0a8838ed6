/* Reads and writes numbers with a decimal point, in any locale of the program. Thread-safe.
 *
 * All of Allfold reads numbers with these functions. C's strtod, scanf and printf depend on the
 * locale: with a decimal comma, they read "1,5" as 1.5, reject "1.5", and write "1,5". */
#ifndef ALLFOLD_UTIL_NUMBER_H
#define ALLFOLD_UTIL_NUMBER_H

#include <locale.h>
#include <stdbool.h>

/* Reads a decimal number at the start of `text`, such as 12, -1.5, .5 or 6.2e-9, and sets *end to
 * the character after it. False if `text` does not start with a number, or the number is too large
 * for a double: then *value and *end remain unchanged. Leading blanks, "inf", "nan" and hexadecimal
 * numbers are rejected. */
bool allfold_number_read(const char *text, double *value, const char **end);

/* Reads a text that consists of one decimal number. False if it does not; then *value remains
 * unchanged. */
bool allfold_number_is(const char *text, double *value);

/* Reads a whole number from `least` to `most` at the start of `text`, and sets *end to the
 * character after it. False if there is none; then *value and *end remain unchanged. */
bool allfold_whole_read(const char *text, long least, long most, long *value, const char **end);

/* Reads a text that consists of one whole number from `least` to `most`. False if it does not; then
 * *value remains unchanged. */
bool allfold_whole_is(const char *text, long least, long most, long *value);

/* Makes printf write numbers with a decimal point in this thread, until allfold_numbers_restore is
 * called with the returned locale. */
locale_t allfold_numbers_plain(void);

/* Restores the locale of this thread. */
void allfold_numbers_restore(locale_t before);

#endif
