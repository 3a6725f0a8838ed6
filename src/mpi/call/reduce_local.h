/* MPI_Reduce_local of programs, in our kernels. */
#ifndef ALLFOLD_MPI_CALL_REDUCE_LOCAL_H
#define ALLFOLD_MPI_CALL_REDUCE_LOCAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* inout = in o inout. False where the call is to pass through, and then nothing was read: there is
 * no kernel for the type and operation, an argument may be wrong, or a buffer may be a device's.
 * Any thread. */
bool allfold_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                          MPI_Op op);

#endif
