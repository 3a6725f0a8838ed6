/* The tables of this process, and the agreement on them over a communicator. */
#ifndef ALLFOLD_MPI_JOB_TABLES_H
#define ALLFOLD_MPI_JOB_TABLES_H

#include "mpi/job/agreement.h"

/* Returns a number that is equal on ranks with the same tables. The tables are read at the first
 * call. A file that cannot be read is reported once and then ignored. Thread-safe. */
int64_t allfold_tables_fingerprint(void);

/* Uses the tables of this process, or, if they `differ`, those of rank 0. If a rank has no memory
 * for them, no rank uses any. Returns an MPI error code. Collective over `comm`. */
int allfold_tables_agree(struct allfold_agreement *agreed, MPI_Comm comm, bool differ);

/* Merges a table's rows into the file that ALLFOLD_GUARD=learn names; the new rows replace older
 * ones. Other jobs that do this at the same time lose nothing, and never read a partial file.
 * Returns ALLFOLD_BAD_INPUT with `message`, which names the file, if the file is no table or cannot
 * be written; then it is unchanged. */
enum allfold_error allfold_tables_learn(const struct allfold_table *found, char *message,
                                        size_t message_bytes);

/* Frees the tables of this process. No communicator may use them any more. */
void allfold_tables_free(void);

#endif
