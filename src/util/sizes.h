/* Sizes as people write them: 4096, 64K, 1M, 2G (powers of 1024). */
#ifndef ALLFOLD_UTIL_SIZES_H
#define ALLFOLD_UTIL_SIZES_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a size at the begin of `text`; *end is where it ends. False where there is none or it does
 * not fit. */
bool allfold_size_read(const char *text, size_t *size, const char **end);

/* Writes "0", "4K", "1.5M": exact where it is a whole number of its unit, else with one digit. */
void allfold_size_write(size_t size, char *text, size_t text_bytes);

/* The same, but always exact, so that it reads back as it was: "1536", "64K". */
void allfold_size_write_exact(size_t size, char *text, size_t text_bytes);

#endif
