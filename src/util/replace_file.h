/* Files that are there whole or as they were before. */
#ifndef ALLFOLD_UTIL_REPLACE_FILE_H
#define ALLFOLD_UTIL_REPLACE_FILE_H

#include <stdio.h>

#include "allfold_core.h"

/* Makes the file at `path` anew of what `put` writes: a new file beside it, which then takes its
 * place. What is no regular file, like a pipe or a link, is written in place. ALLFOLD_BAD_INPUT
 * with `message`, which begins with the path, and errno if it cannot be written; otherwise what
 * `put` returns, or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_replace_file(const char *path,
                                        enum allfold_error (*put)(FILE *file, const void *what),
                                        const void *what, char *message, size_t message_bytes);

#endif
