/* What the programs that the command starts under a launcher have in common. Their arguments are
 * arguments NAME=VALUE; those of rank 0 hold for all ranks. Rank 0 answers the command on stdout,
 * in lines with tabs between their fields. */
#ifndef ALLFOLD_PROGRAMS_PROGRAM_H
#define ALLFOLD_PROGRAMS_PROGRAM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "topology/nodes.h"

enum { ALLFOLD_PROGRAM_WRONG_USAGE = 2 };

/* Takes a argument; false with a message where it is wrong. */
typedef bool allfold_take_argument(void *context, const char *name, const char *value,
                                   char *message, size_t message_bytes);

/* Cuts them up, which leaves texts in them that values point to. */
bool allfold_program_read(char *arguments, allfold_take_argument *take, void *context,
                          char *message, size_t message_bytes);

/* What a part does. `context` holds what the arguments say. */
struct allfold_program {
    void *context;
    /* Reads the arguments, which stay until it ends; false with a message where they are wrong. */
    bool (*read)(void *context, char *arguments, char *message, size_t message_bytes);
    /* Does it on a communicator of its own, collectively; returns the exit status. */
    int (*run)(void *context, MPI_Comm comm);
};

/* All of a part's main function. Without memory for the arguments the job is aborted. */
int allfold_program_main(int argc, char **argv, const struct allfold_program *part);

/* Tells a message without what would end a field or a line. */
void allfold_program_tell(const char *text);

/* On rank 0 tells a line "error" with the message, after which nothing comes. Returns the exit
 * status. */
int allfold_program_fail(int rank, const char *message);

/* Tells on rank 0 "mpi" and "job": MPI's version; ranks, nodes, most and least ranks on a node. */
void allfold_program_tell_job(int rank, int p, const struct allfold_nodes *nodes);

#endif
