/* What the parts have in common: the programs with MPI that `allfold bench`, `tune` and `info`
 * start under a launcher. Their arguments are NAME=VALUE; those of rank 0 are used on all ranks.
 * Rank 0 writes the results to stdout, for the command, in lines with tabs between the fields. */
#ifndef ALLFOLD_PROGRAMS_PROGRAM_H
#define ALLFOLD_PROGRAMS_PROGRAM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "topology/nodes.h"

enum { ALLFOLD_PROGRAM_WRONG_USAGE = 2 };

/* Handles one argument. Returns false with `message` if it is wrong. */
typedef bool allfold_take_argument(void *context, const char *name, const char *value,
                                   char *message, size_t message_bytes);

/* Splits `arguments` and calls `take` for each NAME=VALUE. The values point into `arguments`, which
 * is modified. Returns false with `message` if an argument is wrong. */
bool allfold_program_read(char *arguments, allfold_take_argument *take, void *context,
                          char *message, size_t message_bytes);

/* The functions of a part. */
struct allfold_program {
    void *context;
    /* Reads the arguments into `context`. `arguments` stays valid until the part ends. Returns
     * false with `message` if an argument is wrong. */
    bool (*read)(void *context, char *arguments, char *message, size_t message_bytes);
    /* Does the part's work on a communicator of its own. Returns the exit status. Collective over
     * `comm`. */
    int (*run)(void *context, MPI_Comm comm);
};

/* The main function of a part. Aborts the job if there is no memory for the arguments. Returns the
 * exit status. */
int allfold_program_main(int argc, char **argv, const struct allfold_program *part);

/* Prints a message without characters that would end a field or a line. */
void allfold_program_tell(const char *text);

/* Prints on rank 0 a line "error" with the message, which must be the last line. Returns the exit
 * status. */
int allfold_program_fail(int rank, const char *message);

/* Prints on rank 0 the lines "mpi" and "job": MPI's version; numbers of ranks and nodes, minimum
 * and maximum number of ranks on a node. */
void allfold_program_tell_job(int rank, int p, const struct allfold_nodes *nodes);

#endif
