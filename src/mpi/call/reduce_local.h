/* The program's MPI_Reduce_local, in Allfold's kernels. */
#ifndef ALLFOLD_MPI_CALL_REDUCE_LOCAL_H
#define ALLFOLD_MPI_CALL_REDUCE_LOCAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Computes inout = in o inout. Returns false if the call must be passed through: there is no kernel
 * for type and operation, an argument may be invalid, or a buffer may be in device memory. Then
 * nothing was read or written. Thread-safe. */
bool allfold_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                          MPI_Op op);

#endif
