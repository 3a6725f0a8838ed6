/* Source files and lines of addresses, as addr2line says them where it is installed. */
#ifndef ALLFOLD_UTIL_SOURCE_LINES_H
#define ALLFOLD_UTIL_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_SOURCE_LINE_BYTES = 48 };

/* Fills lines[i] with "solve.c:42" for addresses[i] of the file at `path`, which are as
 * allfold_symbol_find has them; with "" where nothing is known. Returns NULL, or why no line is
 * known. It starts a process and waits for it, some seconds at most. */
const char *allfold_source_lines_find(const char *path, const uintptr_t *addresses, size_t count,
                                      char (*lines)[ALLFOLD_SOURCE_LINE_BYTES]);

#endif
