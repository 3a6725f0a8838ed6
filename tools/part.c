/* The parts that have MPI (see part.h). */
#include "part.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"

enum { FAILED = 1, WRONG_USAGE = 2, NOT_FOUND = 127 };

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

const char *allfold_part_enter(const char *name, const char *given,
                               const struct allfold_launcher *launcher, char **words, int *status)
{
    static char path[PATH_MAX + 64];
    char message[PATH_MAX + 200];
    const char *mpi = given == NULL || *given == '\0' ? launcher->mpi : given;
    *status = launcher->rank == 0 ? FAILED : 0;
    if (launcher->is_there && mpi != NULL &&
        allfold_part_find(name, mpi, path, sizeof path, message, sizeof message)) {
        words[0] = path;
        if (launcher->rank == 0)
            return path;
        execv(path, words);
        *status = FAILED;
        return NULL;
    }
    if (launcher->rank > 0)
        return NULL;
    if (launcher->is_there && mpi != NULL) {
        fprintf(stderr, "allfold %s: %s\n", name, message);
        return NULL;
    }
    *status = WRONG_USAGE;
    fprintf(stderr, "allfold %s: ", name);
    if (launcher->is_there)
        fprintf(stderr, "the launcher does not say which MPI the ranks have; name it by --mpi\n");
    else
        fprintf(stderr, "it measures the ranks that a launcher starts: mpirun -n 4 allfold %s\n",
                name);
    return NULL;
}
