/* The MPI functions that the library takes the place of whose counts no int need hold, where MPI
 * has them (MPI 4.0, section 6). No logic here. */
#include <mpi.h>

#if MPI_VERSION >= 4

#include "mpi/call/collective.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                               MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf,
                                              MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                                              MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    return allfold_serve(&call);
}

#endif
