/* How large a file this process may make. */
#ifndef ALLFOLD_UTIL_FILE_LIMIT_H
#define ALLFOLD_UTIL_FILE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

/* A file larger than a process may have would not be refused but end it, by SIGXFSZ. */
static inline bool allfold_file_may_have(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

#endif
