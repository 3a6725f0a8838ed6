/* The limit on file sizes (RLIMIT_FSIZE). */
#ifndef ALLFOLD_UTIL_FILE_LIMIT_H
#define ALLFOLD_UTIL_FILE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* Returns whether this process may make a file of `bytes` bytes. Must be called before a large file
 * is made: a write beyond the limit does not fail, but ends the process with SIGXFSZ. */
static inline bool allfold_file_may_have(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

#endif
