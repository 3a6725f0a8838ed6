/* Settings that all ranks of a communicator have alike: ranks that choose by different rules would
 * wait for each other for ever. */
#ifndef ALLFOLD_MPI_AGREE_H
#define ALLFOLD_MPI_AGREE_H

#include "mpi/communicator/communicator.h"

/* Gives the state the process's settings or, where they differ, those of rank 0, and says whether
 * all keys are the same, and whether tables differ. Collective; returns an MPI error code:
 * MPI_ERR_NO_MEM where this rank alone has none, any other on all ranks. */
int allfold_agree(struct allfold_communicator *state, int64_t key, bool *one_node,
                  bool *tables_differ);

#endif
