/* The MPI functions that the library takes the place of. No logic here. */
#include <mpi.h>

#include "mpi/collective.h"
#include "mpi/communicator.h"
#include "mpi/plan.h"
#include "mpi/report.h"
#include "mpi/runtime.h"
#include "mpi/tables.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_ALLREDUCE,
                                                .sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .count = (size_t)count,
                                                .count_is_valid = count >= 0,
                                                .datatype = datatype,
                                                .op = op,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, int root, MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_REDUCE,
                                                .sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .count = (size_t)count,
                                                .count_is_valid = count >= 0,
                                                .datatype = datatype,
                                                .op = op,
                                                .root = root,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root,
                             MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_BCAST,
                                                .recvbuf = buffer,
                                                .count = (size_t)count,
                                                .count_is_valid = count >= 0,
                                                .datatype = datatype,
                                                .op = MPI_OP_NULL,
                                                .root = root,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
                                                .sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .count = (size_t)recvcount,
                                                .count_is_valid = recvcount >= 0,
                                                .datatype = datatype,
                                                .op = op,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){
        .collective = ALLFOLD_ALLGATHER,
        .sendbuf = sendbuf,
        .send_count = (size_t)sendcount,
        .send_datatype = sendtype,
        .recvbuf = recvbuf,
        .count = (size_t)recvcount,
        .count_is_valid = recvcount >= 0 && (sendcount >= 0 || sendbuf == MPI_IN_PLACE),
        .datatype = recvtype,
        .op = MPI_OP_NULL,
        .comm = comm});
}

ALLFOLD_PUBLIC int MPI_Barrier(MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_BARRIER,
                                                .count = 1,
                                                .count_is_valid = true,
                                                .datatype = MPI_BYTE,
                                                .op = MPI_OP_NULL,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int MPI_Finalize(void)
{
    if (allfold_mpi_is_up()) {
        allfold_communicators_free();
        allfold_plans_forget();
        allfold_report_write();
        allfold_tables_free();
        allfold_mpi_goes_down();
    }
    return allfold_next()->finalize();
}
