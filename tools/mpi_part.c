/* Finds and starts the parts that use MPI (see mpi_part.h). */
#include "mpi_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library_directory.h"
#include "util/is_off.h"

enum { FAILED = 1, WRONG_USAGE = 2, NOT_FOUND = 127, MESSAGE_BYTES = 2 * PATH_MAX };

bool allfold_part_find(const char *name, const char *given, const struct allfold_launcher *launcher,
                       struct allfold_part *part, char *message, size_t message_bytes)
{
    char directory[PATH_MAX];
    if (allfold_is_off()) {
        snprintf(message, message_bytes,
                 "ALLFOLD=off switches Allfold off; unset it for this command");
        return false;
    }
    if (!allfold_mpi_file_find(given, launcher, &part->mpi, message, message_bytes))
        return false;
    if (!allfold_tool_library_directory(directory, sizeof directory))
        directory[0] = '\0';
    snprintf(part->path, sizeof part->path, "%s/allfold-%s-%s", directory, name, part->mpi.mpi);
    if (access(part->path, X_OK) != 0)
        snprintf(message, message_bytes, "%.300s cannot be run (%s); install Allfold again",
                 part->path, strerror(errno));
    else if (strpbrk(part->mpi.path, " :") != NULL)
        snprintf(message, message_bytes,
                 "the path '%s' has a blank or colon in it, where the loader splits LD_PRELOAD; "
                 "expected a path without; name a link to the library by --mpi",
                 part->mpi.path);
    else
        return true;
    return false;
}

/* Becomes the part. The MPI library comes after what is preloaded already, which may be a layer
 * between the part and MPI; the part takes it off again (src/programs/end_preload.c). */
static void become(const struct allfold_part *part, char *const *arguments)
{
    const char *before = getenv("LD_PRELOAD");
    char *list = NULL;
    if (asprintf(&list, "%s%s%s", before == NULL ? "" : before,
                 before == NULL || *before == '\0' ? "" : ":", part->mpi.path) > 0 &&
        setenv("LD_PRELOAD", list, 1) == 0)
        execv(part->path, arguments);
}

pid_t allfold_part_start(const struct allfold_part *part, char *const *arguments, FILE **stream)
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
        become(part, arguments);
        _exit(NOT_FOUND);
    }
    close(ends[1]);
    *stream = child < 0 ? NULL : fdopen(ends[0], "r");
    if (*stream == NULL)
        close(ends[0]);
    return child;
}

bool allfold_part_enter(const char *command, const char *name, const char *given,
                        const struct allfold_launcher *launcher, char **words,
                        struct allfold_part *part, int *status)
{
    char message[MESSAGE_BYTES];
    *status = launcher->rank == 0 ? FAILED : 0;
    if (!launcher->is_there) {
        *status = WRONG_USAGE;
        fprintf(stderr,
                "allfold %s: it measures the ranks that a launcher starts: mpirun -n 4 allfold "
                "%s\n",
                command, command);
    } else if (!allfold_part_find(name, given, launcher, part, message, sizeof message)) {
        if (launcher->rank == 0)
            fprintf(stderr, "allfold %s: %s\n", command, message);
    } else {
        words[0] = part->path;
        if (launcher->rank == 0)
            return true;
        become(part, words);
        *status = FAILED;
    }
    return false;
}
