/* Starts the parts of the command that use MPI: programs beside the libraries, one for each ABI.
 * They are linked with no MPI library; the command preloads the launcher's MPI library into
 * them. */
#ifndef ALLFOLD_MPI_PART_H
#define ALLFOLD_MPI_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "launcher.h"
#include "mpi_file.h"

struct allfold_part {
    char path[PATH_MAX + 64]; /* lib/allfold/allfold-NAME-MPI */
    struct allfold_mpi_file mpi;
};

/* Finds the part `name` and the MPI library for it, by the launcher and by `given`, the argument of
 * --mpi or NULL. Returns false with `message` if the part cannot be run. */
bool allfold_part_find(const char *name, const char *given, const struct allfold_launcher *launcher,
                       struct allfold_part *part, char *message, size_t message_bytes);

/* Starts a part. *stream reads its stdout, or is NULL if it could not be started. Returns the
 * process ID, which the caller must wait for, or -1. */
pid_t allfold_part_start(const struct allfold_part *part, char *const *arguments, FILE **stream);

/* Used by a command that measures the ranks of a launcher by the part `name`. On rank 0 it returns
 * true with the part, which the caller starts. The other ranks become the part, with the arguments
 * from words[1] on. If there is no launcher or no part, rank 0 prints a message, and the function
 * returns false with the exit status. */
bool allfold_part_enter(const char *command, const char *name, const char *given,
                        const struct allfold_launcher *launcher, char **words,
                        struct allfold_part *part, int *status);

#endif
