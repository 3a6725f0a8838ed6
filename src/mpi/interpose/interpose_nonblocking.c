/* The nonblocking and persistent collectives that the library takes the place of. Those that mpi.h
 * may lack are defined all the same: the MPI library of the program may be newer. No logic here. */
#include "mpi/interpose/newer_mpi.h"
#include "mpi/plan/nonblocking.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root,
                              MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, false, datatype, op, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, false, recvtype, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_barrier(comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                      MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Reduce_init(const void *sendbuf, void *recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                   MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Bcast_init(void *buffer, int count, MPI_Datatype datatype, int root,
                                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount,
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                 MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Allgather_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Reduce_scatter_init(const void *sendbuf, void *recvbuf,
                                           const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                           MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, false, datatype, op, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Allgatherv_init(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void *recvbuf, const int recvcounts[], const int displs[],
                                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                       MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, false, recvtype, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_barrier(comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Scan_init(const void *sendbuf, void *recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                 MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Exscan_init(const void *sendbuf, void *recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                   MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

/* Their names in Open MPI 4, where they are extensions. */
#define EXTENSION(name)                                                                            \
    extern __typeof__(MPI_##name) MPIX_##name                                                      \
        __attribute__((alias("MPI_" #name), visibility("default")));
EXTENSION(Allreduce_init)
EXTENSION(Reduce_init)
EXTENSION(Bcast_init)
EXTENSION(Reduce_scatter_block_init)
EXTENSION(Allgather_init)
EXTENSION(Reduce_scatter_init)
EXTENSION(Allgatherv_init)
EXTENSION(Barrier_init)
EXTENSION(Scan_init)
EXTENSION(Exscan_init)
