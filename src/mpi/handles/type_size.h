/* The bytes of a datatype's data. MPI 4.1 deprecates MPI_Type_size_x for MPI_Type_size_c, which MPI
 * libraries before MPI 4.0 lack. */
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
