/* Source file and line of code addresses, as addr2line reports them, if it is installed. */
#ifndef ALLFOLD_UTIL_SOURCE_LINES_H
#define ALLFOLD_UTIL_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_SOURCE_LINE_BYTES = 48 };

/* A code address, and the source line that belongs to it. */
struct allfold_source_line {
    uintptr_t address;                    /* in the file, as allfold_symbol_find returns it */
    char text[ALLFOLD_SOURCE_LINE_BYTES]; /* "solve.c:42"; "" if it is unknown */
};

/* Fills in the texts of `count` addresses in the file at `path`. Returns NULL, or the reason if no
 * line could be found. Runs addr2line and waits for it, for a few seconds at most. */
const char *allfold_source_lines_find(const char *path, struct allfold_source_line *lines,
                                      size_t count);

#endif
