/* MPI_Alloc_mem and MPI_Free_mem (see alloc_mem.h). */
#include "mpi/transport/alloc_mem.h"

#include <string.h>

#include "mpi/transport/node_memory.h"
#include "mpi/process/runtime.h"

int allfold_alloc_mem(MPI_Aint bytes, MPI_Info info, void *baseptr)
{
    const bool is_ours = bytes > 0 && info == MPI_INFO_NULL && baseptr != NULL &&
                         allfold_mpi_is_up() && allfold_settings()->common.shared_memory;
    void *memory = is_ours ? allfold_node_allocate((size_t)bytes) : NULL;
    if (memory == NULL)
        return allfold_next()->alloc_mem(bytes, info, baseptr);
    memcpy(baseptr, &memory, sizeof memory);
    return MPI_SUCCESS;
}

int allfold_free_mem(void *base)
{
    return allfold_node_take_back(base) ? MPI_SUCCESS : allfold_next()->free_mem(base);
}
