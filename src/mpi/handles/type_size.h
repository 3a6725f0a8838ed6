/* The size of a datatype in bytes. Uses MPI_Type_size_x, which MPI 4.1 deprecates: its replacement
 * MPI_Type_size_c is missing in MPI libraries before MPI 4.0. */
#ifndef ALLFOLD_MPI_HANDLES_TYPE_SIZE_H
#define ALLFOLD_MPI_HANDLES_TYPE_SIZE_H

#include <mpi.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline int allfold_type_size(MPI_Datatype datatype, MPI_Count *bytes)
{
    return PMPI_Type_size_x(datatype, bytes);
}
#pragma GCC diagnostic pop

#endif
