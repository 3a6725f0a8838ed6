/* The parts of the command that have MPI: programs of ours beside the libraries, one for each MPI.
 */
#ifndef ALLFOLD_TOOLS_PART_H
#define ALLFOLD_TOOLS_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "launcher.h"

/* Where lib/allfold/allfold-NAME-MPI is. False with a message where it cannot be run. */
bool allfold_part_find(const char *name, const char *mpi, char *path, size_t path_bytes,
                       char *message, size_t message_bytes);

/* Starts it; its stdout comes by *stream, which is NULL where it could not be started. Returns its
 * process, to wait for, or -1. */
pid_t allfold_part_start(const char *path, char *const *arguments, FILE **stream);

/* For commands that measure the ranks of a launcher by the part of this name. On rank 0 it returns
 * the part's path, to be started. The other ranks become the part, with `words` from words[1] on.
 * Without a launcher or a part, rank 0 says so, and it returns NULL with the exit status. The
 * argument `mpi` is as the user named it, or NULL. */
const char *allfold_part_enter(const char *name, const char *mpi,
                               const struct allfold_launcher *launcher, char **words, int *status);

#endif
