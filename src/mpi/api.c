/* The public functions of allfold.h. No logic here. */
#include "allfold.h"

#include "mpi/collective.h"
#include "mpi/comm_rules.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int allfold_allreduce(const void *sendbuf, void *recvbuf, size_t count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_ALLREDUCE,
                                                .sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .count = count,
                                                .count_is_valid = true,
                                                .datatype = datatype,
                                                .op = op,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int allfold_reduce(const void *sendbuf, void *recvbuf, size_t count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_REDUCE,
                                                .sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .count = count,
                                                .count_is_valid = true,
                                                .datatype = datatype,
                                                .op = op,
                                                .root = root,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int allfold_bcast(void *buffer, size_t count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_BCAST,
                                                .recvbuf = buffer,
                                                .count = count,
                                                .count_is_valid = true,
                                                .datatype = datatype,
                                                .op = MPI_OP_NULL,
                                                .root = root,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf,
                                                size_t recvcount, MPI_Datatype datatype, MPI_Op op,
                                                MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
                                                .sendbuf = sendbuf,
                                                .recvbuf = recvbuf,
                                                .count = recvcount,
                                                .count_is_valid = true,
                                                .datatype = datatype,
                                                .op = op,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, size_t recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_ALLGATHER,
                                                .sendbuf = sendbuf,
                                                .send_count = sendcount,
                                                .send_datatype = sendtype,
                                                .recvbuf = recvbuf,
                                                .count = recvcount,
                                                .count_is_valid = true,
                                                .datatype = recvtype,
                                                .op = MPI_OP_NULL,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int allfold_barrier(MPI_Comm comm)
{
    return allfold_serve(&(struct allfold_call){.collective = ALLFOLD_BARRIER,
                                                .count = 1,
                                                .count_is_valid = true,
                                                .datatype = MPI_BYTE,
                                                .op = MPI_OP_NULL,
                                                .comm = comm});
}

ALLFOLD_PUBLIC int allfold_comm_set(MPI_Comm comm, const char *name, const char *value)
{
    return allfold_comm_rules_set(comm, name, value);
}

ALLFOLD_PUBLIC const char *allfold_version(void)
{
    return ALLFOLD_VERSION;
}
