/* Macros that make a struct allfold_call of the arguments of a collective, by the kind of its
 * arguments (mpi/process/collectives.h). They use the names of the function's parameters. Their own
 * parameters are the collective's number, and whether its arrays are of MPI_Count instead of
 * int. */
#ifndef ALLFOLD_MPI_INTERPOSE_DESCRIBE_H
#define ALLFOLD_MPI_INTERPOSE_DESCRIBE_H

#include "mpi/call/call.h"

#define DESCRIBE_REDUCTION(collective, is_wide)                                                    \
    allfold_describe_reduction(collective, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0,    \
                               comm)
#define DESCRIBE_REDUCTION_TO_ROOT(collective, is_wide)                                            \
    allfold_describe_reduction(collective, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, root, \
                               comm)
#define DESCRIBE_REDUCTION_TO_BLOCKS(collective, is_wide)                                          \
    allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, is_wide, datatype, op, comm)
#define DESCRIBE_BROADCAST(collective, is_wide)                                                    \
    allfold_describe_bcast(buffer, (ptrdiff_t)count, datatype, root, comm)
#define DESCRIBE_GATHER(collective, is_wide)                                                       \
    allfold_describe_allgather(sendbuf, (ptrdiff_t)sendcount, sendtype, recvbuf,                   \
                               (ptrdiff_t)recvcount, recvtype, comm)
#define DESCRIBE_GATHER_BLOCKS(collective, is_wide)                                                \
    allfold_describe_allgatherv(sendbuf, (ptrdiff_t)sendcount, sendtype, recvbuf, recvcounts,      \
                                displs, is_wide, recvtype, comm)
#define DESCRIBE_NOTHING(collective, is_wide) allfold_describe_barrier(comm)

#endif
