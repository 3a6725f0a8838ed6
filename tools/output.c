/* Checks for output that cannot be written (see output.h). */
#include "output.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of an earlier failure the reason is no longer known. */
static void close_stdout(void)
{
    const int failed_before = ferror(stdout);
    errno = 0;
    if (fflush(stdout) == 0 && !failed_before)
        return;
    fprintf(stderr, "%s: stdout cannot be written%s%s%s\n", program_invocation_short_name,
            errno != 0 ? " (" : "", errno != 0 ? strerror(errno) : "", errno != 0 ? ")" : "");
    fflush(stderr);
    _exit(EXIT_FAILURE);
}

void allfold_tool_check_output(void)
{
    atexit(close_stdout);
}

int allfold_tool_write_error(const char *path)
{
    char copy[PATH_MAX];
    struct stat at;
    if (stat(path, &at) == 0 && S_ISDIR(at.st_mode))
        return EISDIR;
    if (strlen(path) >= sizeof copy)
        return ENAMETOOLONG;
    strcpy(copy, path);
    if (access(path, W_OK) == 0 || (errno == ENOENT && access(dirname(copy), W_OK | X_OK) == 0))
        return 0;
    return errno;
}
