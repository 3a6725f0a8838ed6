/* MPI_Alloc_mem and MPI_Free_mem: memory that the ranks of a node can read in place (see
 * node_memory.h). */
#ifndef ALLFOLD_MPI_TRANSPORT_ALLOC_MEM_H
#define ALLFOLD_MPI_TRANSPORT_ALLOC_MEM_H

#include <mpi.h>

/* Does what MPI_Alloc_mem does. The MPI library allocates if `info` has hints, if `bytes` is small,
 * or if the node's ranks share no memory. Local. Thread-safe. */
int allfold_alloc_mem(MPI_Aint bytes, MPI_Info info, void *baseptr);

/* Does what MPI_Free_mem does, for memory of Allfold or of the MPI library. Local. Thread-safe. */
int allfold_free_mem(void *base);

#endif
