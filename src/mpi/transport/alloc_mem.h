/* MPI_Alloc_mem and MPI_Free_mem: memory that the ranks of a node see (see node_memory.h). */
#ifndef ALLFOLD_MPI_TRANSPORT_ALLOC_MEM_H
#define ALLFOLD_MPI_TRANSPORT_ALLOC_MEM_H

#include <mpi.h>

/* Like MPI_Alloc_mem. Memory for which the program has hints is the MPI library's, and so is little
 * memory, and all of it where ranks share none. Local; any thread. */
int allfold_alloc_mem(MPI_Aint bytes, MPI_Info info, void *baseptr);

/* Like MPI_Free_mem, for memory of either. */
int allfold_free_mem(void *base);

#endif
