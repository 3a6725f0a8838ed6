/* Finds the file of the MPI library that a launcher's ranks use: the library beside the launcher,
 * or the one that the user names with --mpi. */
#ifndef ALLFOLD_MPI_FILE_H
#define ALLFOLD_MPI_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "launcher.h"

struct allfold_mpi_file {
    char path[PATH_MAX];
    const char *mpi; /* the build for it, as in liballfold-NAME.so */
};

/* Returns whether `given` is a valid argument of --mpi: the name of a build, or a path. NULL and ""
 * are valid, too, and name nothing. */
bool allfold_mpi_file_is_name(const char *given);

/* What to print if it is not valid. */
#define ALLFOLD_MPI_FILE_EXPECTED "expected openmpi, mpich, abi or the file of an MPI library"

/* Finds the file. `given` is the argument of --mpi, or NULL. Returns false with `message` if there
 * is no such library, or Allfold has no build for it. */
bool allfold_mpi_file_find(const char *given, const struct allfold_launcher *launcher,
                           struct allfold_mpi_file *file, char *message, size_t message_bytes);

/* An installed build of Allfold. */
struct allfold_mpi_build {
    const char *name, *path; /* path: of liballfold-NAME.so */
    const char *serves;      /* the MPI libraries that it is for, in words */
};

/* Calls `take` for each installed build. Returns their number. */
int allfold_mpi_file_builds(void (*take)(void *context, const struct allfold_mpi_build *build),
                            void *context);

#endif
