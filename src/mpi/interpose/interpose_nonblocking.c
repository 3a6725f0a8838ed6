/* The nonblocking and persistent collectives that the library takes the place of. No logic here. */
#include <mpi.h>

#include "mpi/call/call.h"
#include "mpi/plan/nonblocking.h"
#include "mpi/process/runtime.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request);
}

ALLFOLD_PUBLIC int MPI_Ibcast(void *buffer, int count, MPI_Datatype datatype, int root,
                              MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->ibcast(buffer, count, datatype, root, comm, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm,
                                                 request);
}

ALLFOLD_PUBLIC int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                                      comm, request);
}

ALLFOLD_PUBLIC int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Request *request)
{
    int code;
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, false, datatype, op, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm,
                                           request);
}

ALLFOLD_PUBLIC int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, false, recvtype, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                       recvtype, comm, request);
}

ALLFOLD_PUBLIC int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_barrier(comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->ibarrier(comm, request);
}

ALLFOLD_PUBLIC int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->iscan(sendbuf, recvbuf, count, datatype, op, comm, request);
}

ALLFOLD_PUBLIC int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    int code;
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    if (allfold_nonblocking_start(&call, request, &code))
        return code;
    return allfold_next()->iexscan(sendbuf, recvbuf, count, datatype, op, comm, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Allreduce_init)(const void *sendbuf, void *recvbuf, int count,
                                                      MPI_Datatype datatype, MPI_Op op,
                                                      MPI_Comm comm, MPI_Info info,
                                                      MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Allreduce_init)(const void *sendbuf, void *recvbuf, int count,
                                                      MPI_Datatype datatype, MPI_Op op,
                                                      MPI_Comm comm, MPI_Info info,
                                                      MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, 0, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info,
                                          request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Reduce_init)(const void *sendbuf, void *recvbuf, int count,
                                                   MPI_Datatype datatype, MPI_Op op, int root,
                                                   MPI_Comm comm, MPI_Info info,
                                                   MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Reduce_init)(const void *sendbuf, void *recvbuf, int count,
                                                   MPI_Datatype datatype, MPI_Op op, int root,
                                                   MPI_Comm comm, MPI_Info info,
                                                   MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, sendbuf, recvbuf,
                                                                count, datatype, op, root, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info,
                                       request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Bcast_init)(void *buffer, int count, MPI_Datatype datatype,
                                                  int root, MPI_Comm comm, MPI_Info info,
                                                  MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Bcast_init)(void *buffer, int count, MPI_Datatype datatype,
                                                  int root, MPI_Comm comm, MPI_Info info,
                                                  MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_bcast(buffer, count, datatype, root, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->bcast_init(buffer, count, datatype, root, comm, info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Reduce_scatter_block_init)(const void *sendbuf, void *recvbuf,
                                                                 int recvcount,
                                                                 MPI_Datatype datatype, MPI_Op op,
                                                                 MPI_Comm comm, MPI_Info info,
                                                                 MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Reduce_scatter_block_init)(const void *sendbuf, void *recvbuf,
                                                                 int recvcount,
                                                                 MPI_Datatype datatype, MPI_Op op,
                                                                 MPI_Comm comm, MPI_Info info,
                                                                 MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op,
                                                     comm, info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Allgather_init)(const void *sendbuf, int sendcount,
                                                      MPI_Datatype sendtype, void *recvbuf,
                                                      int recvcount, MPI_Datatype recvtype,
                                                      MPI_Comm comm, MPI_Info info,
                                                      MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Allgather_init)(const void *sendbuf, int sendcount,
                                                      MPI_Datatype sendtype, void *recvbuf,
                                                      int recvcount, MPI_Datatype recvtype,
                                                      MPI_Comm comm, MPI_Info info,
                                                      MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_allgather(sendbuf, sendcount, sendtype,
                                                                recvbuf, recvcount, recvtype, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                          recvtype, comm, info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Reduce_scatter_init)(const void *sendbuf, void *recvbuf,
                                                           const int recvcounts[],
                                                           MPI_Datatype datatype, MPI_Op op,
                                                           MPI_Comm comm, MPI_Info info,
                                                           MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Reduce_scatter_init)(const void *sendbuf, void *recvbuf,
                                                           const int recvcounts[],
                                                           MPI_Datatype datatype, MPI_Op op,
                                                           MPI_Comm comm, MPI_Info info,
                                                           MPI_Request *request)
{
    int code;
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, false, datatype, op, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm,
                                               info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Allgatherv_init)(const void *sendbuf, int sendcount,
                                                       MPI_Datatype sendtype, void *recvbuf,
                                                       const int recvcounts[], const int displs[],
                                                       MPI_Datatype recvtype, MPI_Comm comm,
                                                       MPI_Info info, MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Allgatherv_init)(const void *sendbuf, int sendcount,
                                                       MPI_Datatype sendtype, void *recvbuf,
                                                       const int recvcounts[], const int displs[],
                                                       MPI_Datatype recvtype, MPI_Comm comm,
                                                       MPI_Info info, MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, false, recvtype, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                           displs, recvtype, comm, info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Barrier_init)(MPI_Comm comm, MPI_Info info,
                                                    MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Barrier_init)(MPI_Comm comm, MPI_Info info,
                                                    MPI_Request *request)
{
    int code;
    const struct allfold_call call = allfold_describe_barrier(comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->barrier_init(comm, info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Scan_init)(const void *sendbuf, void *recvbuf, int count,
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                 MPI_Info info, MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Scan_init)(const void *sendbuf, void *recvbuf, int count,
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                 MPI_Info info, MPI_Request *request)
{
    int code;
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_SCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Exscan_init)(const void *sendbuf, void *recvbuf, int count,
                                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                   MPI_Info info, MPI_Request *request);
ALLFOLD_PUBLIC int ALLFOLD_PERSISTENT(Exscan_init)(const void *sendbuf, void *recvbuf, int count,
                                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                   MPI_Info info, MPI_Request *request)
{
    int code;
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_EXSCAN, sendbuf, recvbuf, count, datatype, op, 0, comm);
    if (allfold_persistent_make(&call, info, request, &code))
        return code;
    return allfold_next()->exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}
