/* The parts that have MPI (see part.h). */
#include "part.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

enum { NOT_FOUND = 127 };

bool allfold_part_find(const char *name, const char *mpi, char *path, size_t path_bytes,
                       char *message, size_t message_bytes)
{
    char directory[PATH_MAX];
    if (!allfold_tool_library_directory(directory, sizeof directory))
        directory[0] = '\0';
    snprintf(path, path_bytes, "%s/allfold-%s-%s", directory, name, mpi);
    if (access(path, X_OK) == 0)
        return true;
    snprintf(message, message_bytes,
             "%.300s cannot be run (%s); build and install Allfold with this MPI", path,
             strerror(errno));
    return false;
}

pid_t allfold_part_start(const char *path, char *const *arguments, FILE **stream)
{
    int ends[2];
    *stream = NULL;
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL); /* or the child has it too */
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(path, arguments);
        _exit(NOT_FOUND);
    }
    close(ends[1]);
    *stream = child < 0 ? NULL : fdopen(ends[0], "r");
    if (*stream == NULL)
        close(ends[0]);
    return child;
}
