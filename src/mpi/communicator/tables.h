/* The tables of this process, and agreeing on them over a communicator. */
#ifndef ALLFOLD_MPI_TABLES_H
#define ALLFOLD_MPI_TABLES_H

#include "mpi/communicator/communicator.h"

/* What tells whether ranks have the same tables. They are read at the first call; a file that
 * cannot be read is complained of once, and is as if it were not there. Any thread. */
int64_t allfold_tables_fingerprint(void);

/* Gives a communicator its tables: its nodes are known. Where `differ`, those of its rank 0, or
 * where a rank has no memory for them, none at all. Collective over it. An MPI error code. */
int allfold_tables_agree(struct allfold_communicator *state, bool differ);

/* Frees what a communicator has of other ranks. */
void allfold_tables_let_go(struct allfold_communicator *state);

/* Frees the tables of this process, which no communicator uses any more. */
void allfold_tables_free(void);

#endif
