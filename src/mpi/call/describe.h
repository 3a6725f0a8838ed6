/* Calls as the program makes them, whatever way they are served: blocking, nonblocking, persistent.
 * A negative count is not valid. Inline, as short reductions would feel a call. */
#ifndef ALLFOLD_MPI_DESCRIBE_H
#define ALLFOLD_MPI_DESCRIBE_H

#include <stddef.h>

#include "mpi/call/collective.h"

static inline struct allfold_call allfold_describe_reduction(enum allfold_collective collective,
                                                             const void *sendbuf, void *recvbuf,
                                                             ptrdiff_t count, MPI_Datatype datatype,
                                                             MPI_Op op, int root, MPI_Comm comm)
{
    return (struct allfold_call){.collective = collective,
                                 .sendbuf = sendbuf,
                                 .recvbuf = recvbuf,
                                 .count = (size_t)count,
                                 .count_is_valid = count >= 0,
                                 .datatype = datatype,
                                 .op = op,
                                 .root = root,
                                 .comm = comm};
}

static inline struct allfold_call allfold_describe_bcast(void *buffer, ptrdiff_t count,
                                                         MPI_Datatype datatype, int root,
                                                         MPI_Comm comm)
{
    return allfold_describe_reduction(ALLFOLD_BCAST, NULL, buffer, count, datatype, MPI_OP_NULL,
                                      root, comm);
}

static inline struct allfold_call
allfold_describe_allgather(const void *sendbuf, ptrdiff_t sendcount, MPI_Datatype sendtype,
                           void *recvbuf, ptrdiff_t recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_ALLGATHER, sendbuf, recvbuf, recvcount, recvtype, MPI_OP_NULL, 0, comm);
    call.send_count = (size_t)sendcount;
    call.send_datatype = sendtype;
    call.count_is_valid = recvcount >= 0 && (sendcount >= 0 || sendbuf == MPI_IN_PLACE);
    return call;
}

static inline struct allfold_call allfold_describe_barrier(MPI_Comm comm)
{
    return allfold_describe_reduction(ALLFOLD_BARRIER, NULL, NULL, 1, MPI_BYTE, MPI_OP_NULL, 0,
                                      comm);
}

#endif
