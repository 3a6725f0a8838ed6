/* Replaces files atomically: a reader sees the whole old file or the whole new one. */
#ifndef ALLFOLD_UTIL_REPLACE_FILE_H
#define ALLFOLD_UTIL_REPLACE_FILE_H

#include <stdio.h>

#include "allfold_core.h"

/* Replaces the file at `path` by what `put` writes. The new content goes to a temporary file in the
 * same directory, which is then renamed. If `path` is not a regular file, such as a pipe or a link,
 * it is overwritten in place. Returns what `put` returned. Returns ALLFOLD_BAD_INPUT if the file
 * cannot be written, and ALLFOLD_NO_MEMORY if out of memory. On an error it sets errno and
 * `message`, which starts with the path. */
enum allfold_error allfold_replace_file(const char *path,
                                        enum allfold_error (*put)(FILE *file, const void *what),
                                        const void *what, char *message, size_t message_bytes);

#endif
