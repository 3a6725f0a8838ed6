/* The parts of the command that have MPI: programs of ours beside the libraries, one for each MPI.
 */
#ifndef ALLFOLD_TOOLS_PART_H
#define ALLFOLD_TOOLS_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Where lib/allfold/allfold-NAME-MPI is. False with a message where it cannot be run. */
bool allfold_part_find(const char *name, const char *mpi, char *path, size_t path_bytes,
                       char *message, size_t message_bytes);

/* Starts it; its stdout comes by *stream, which is NULL where it could not be started. Returns its
 * process, to wait for, or -1. */
pid_t allfold_part_start(const char *path, char *const *arguments, FILE **stream);

#endif
