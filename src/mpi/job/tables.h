/* The tables of this process, and agreeing on them over a communicator. */
#ifndef ALLFOLD_MPI_TABLES_H
#define ALLFOLD_MPI_TABLES_H

#include "mpi/job/agreement.h"

/* A number that says whether ranks have the same tables. They are read at the first call; a file
 * that cannot be read is complained of once, and is as if it were not there. Any thread. */
int64_t allfold_tables_fingerprint(void);

/* Takes the tables of this process or, where they `differ`, those of rank 0, or where a rank has no
 * memory for them, none at all. Collective. An MPI error code. */
int allfold_tables_agree(struct allfold_agreement *agreed, MPI_Comm comm, bool differ);

/* Frees the tables of this process, which no communicator uses any more. */
void allfold_tables_free(void);

#endif
