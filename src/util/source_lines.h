/* Source files and lines of addresses, as addr2line says them where it is installed. */
#ifndef ALLFOLD_UTIL_SOURCE_LINES_H
#define ALLFOLD_UTIL_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_SOURCE_LINE_BYTES = 48 };

struct allfold_source_line {
    uintptr_t address;                    /* in its file, as allfold_symbol_find has it */
    char text[ALLFOLD_SOURCE_LINE_BYTES]; /* "solve.c:42"; "" where nothing is known */
};

/* Fills in the texts for addresses of the file at `path`. Returns NULL, or why no line is known. It
 * starts a process and waits for it, some seconds at most. */
const char *allfold_source_lines_find(const char *path, struct allfold_source_line *lines,
                                      size_t count);

#endif
