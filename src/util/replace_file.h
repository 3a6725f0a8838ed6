/* Files that are there whole or as they were before. */
#ifndef ALLFOLD_SELECT_REPLACE_FILE_H
#define ALLFOLD_SELECT_REPLACE_FILE_H

#include <stdio.h>

#include "allfold_core.h"

/* Makes the file at `path` anew of what `put` writes, beside it first, with the access that a new
 * file has. ALLFOLD_BAD_INPUT with `message`, which begins with the path, where it cannot be
 * written; what `put` says, or ALLFOLD_NO_MEMORY, else. The mask of new files is looked at, which
 * is the process's: one thread at a time. */
enum allfold_error allfold_replace_file(const char *path,
                                        enum allfold_error (*put)(FILE *file, const void *what),
                                        const void *what, char *message, size_t message_bytes);

#endif
