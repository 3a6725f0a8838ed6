/* The parts of the command that have MPI: programs of ours beside the libraries, one for each ABI.
 * They name no MPI library. The one of the launcher is preloaded into them. */
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

/* Finds the part of this name and the MPI library for it, by what --mpi says, if it is not NULL,
 * and by the launcher. False with a message if it cannot be run. */
bool allfold_part_find(const char *name, const char *given, const struct allfold_launcher *launcher,
                       struct allfold_part *part, char *message, size_t message_bytes);

/* Starts it; its stdout comes by *stream, which is NULL where it could not be started. Returns its
 * process, to wait for, or -1. */
pid_t allfold_part_start(const struct allfold_part *part, char *const *arguments, FILE **stream);

/* For a command that measures the ranks of a launcher by the part of this name. On rank 0 it
 * returns true with the part, to be started. The other ranks become the part, with `words` from
 * words[1] on. Without a launcher or a part, rank 0 says so, and it returns false with the exit
 * status. */
bool allfold_part_enter(const char *command, const char *name, const char *given,
                        const struct allfold_launcher *launcher, char **words,
                        struct allfold_part *part, int *status);

#endif
