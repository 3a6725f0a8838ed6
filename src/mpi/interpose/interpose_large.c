/* The MPI functions that the library takes the place of whose counts are of type MPI_Count
 * (MPI 4.0, section 6). Defined in every build: one that was compiled with a header of MPI 3.1 also
 * serves programs and MPI libraries of the same ABI that have these functions. No logic here. */
#include "mpi/call/collective.h"
#include "mpi/call/native.h"
#include "mpi/call/reduce_local.h"
#include "mpi/interpose/newer_mpi.h"
#include "mpi/plan/nonblocking.h"

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

ALLFOLD_PUBLIC int MPI_Reduce_scatter_c(const void *sendbuf, void *recvbuf,
                                        const MPI_Count recvcounts[], MPI_Datatype datatype,
                                        MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, true, datatype, op, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, const MPI_Count recvcounts[],
                                    const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, true, recvtype, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Op op)
{
    if (allfold_reduce_local(inbuf, inoutbuf, count, datatype, op))
        return MPI_SUCCESS;
    return allfold_native_reduce_local(inbuf, inoutbuf, count, datatype, op);
}

ALLFOLD_PUBLIC int MPI_Iallreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                    MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                 MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf,
                                               MPI_Count recvcount, MPI_Datatype datatype,
                                               MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ibcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iallgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_scatter_c(const void *sendbuf, void *recvbuf,
                                         const MPI_Count recvcounts[], MPI_Datatype datatype,
                                         MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, true, datatype, op, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iallgatherv_c(const void *sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void *recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, true, recvtype, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Iexscan_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_nonblocking_start(&call, request);
}

ALLFOLD_PUBLIC int MPI_Allreduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                        MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Reduce_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                     MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf,
                                                   MPI_Count recvcount, MPI_Datatype datatype,
                                                   MPI_Op op, MPI_Comm comm, MPI_Info info,
                                                   MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Bcast_init_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                    MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Allgather_init_c(const void *sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                        MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Reduce_scatter_init_c(const void *sendbuf, void *recvbuf,
                                             const MPI_Count recvcounts[], MPI_Datatype datatype,
                                             MPI_Op op, MPI_Comm comm, MPI_Info info,
                                             MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, true, datatype, op, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Allgatherv_init_c(const void *sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void *recvbuf,
                                         const MPI_Count recvcounts[], const MPI_Aint displs[],
                                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                         MPI_Request *request)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, true, recvtype, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Scan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                   MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}

ALLFOLD_PUBLIC int MPI_Exscan_init_c(const void *sendbuf, void *recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                     MPI_Request *request)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_persistent_make(&call, info, request);
}
