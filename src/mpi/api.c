/* The public functions of allfold.h. No logic here. */
#include "allfold.h"

#include "mpi/collective.h"

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

ALLFOLD_PUBLIC const char *allfold_version(void)
{
    return ALLFOLD_VERSION;
}
