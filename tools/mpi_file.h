/* The file of the MPI library that the ranks of a launcher have: the one beside the launcher, or
 * the one that the user names. */
#ifndef ALLFOLD_MPI_FILE_H
#define ALLFOLD_MPI_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "launcher.h"

struct allfold_mpi_file {
    char path[PATH_MAX];
    const char *mpi; /* the build that serves it, as in liballfold-NAME.so */
};

/* Is it what --mpi takes: the name of a build, or a path? NULL and "" name nothing, and are right.
 */
bool allfold_mpi_file_is_name(const char *given);

/* What to say where it is not. */
#define ALLFOLD_MPI_FILE_EXPECTED "expected openmpi, mpich, abi or the file of an MPI library"

/* Finds it. `given` is what --mpi says, or NULL. False with a message, if there is no such library
 * or no build of Allfold serves it. */
bool allfold_mpi_file_find(const char *given, const struct allfold_launcher *launcher,
                           struct allfold_mpi_file *file, char *message, size_t message_bytes);

/* A build of Allfold that is installed. */
struct allfold_mpi_build {
    const char *name, *path; /* liballfold-NAME.so */
    const char *serves;      /* which MPI libraries, in words */
};

/* Calls `take` for each build and returns how many there are. */
int allfold_mpi_file_builds(void (*take)(void *context, const struct allfold_mpi_build *build),
                            void *context);

#endif
