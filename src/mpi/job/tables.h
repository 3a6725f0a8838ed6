/* The tables of this process, and agreeing on them over a communicator. */
#ifndef ALLFOLD_MPI_JOB_TABLES_H
#define ALLFOLD_MPI_JOB_TABLES_H

#include "mpi/job/agreement.h"

/* A number that says whether ranks have the same tables. They are read at the first call; a file
 * that cannot be read is complained of once, and is as if it were not there. Any thread. */
int64_t allfold_tables_fingerprint(void);

/* Takes the tables of this process, or, if they `differ`, those of rank 0. If a rank has no memory
 * for these, all ranks take none. Collective. An MPI error code. */
int allfold_tables_agree(struct allfold_agreement *agreed, MPI_Comm comm, bool differ);

/* Puts a table's rows over those of the file that ALLFOLD_GUARD=learn names. Other jobs that do the
 * same lose nothing, and read a whole file. ALLFOLD_BAD_INPUT with `message`, which names the file,
 * if the file is no table or cannot be written; then it stays as it was. */
enum allfold_error allfold_tables_learn(const struct allfold_table *found, char *message,
                                        size_t message_bytes);

/* Frees the tables of this process, which no communicator uses any more. */
void allfold_tables_free(void);

#endif
