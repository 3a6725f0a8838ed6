/* The public functions of allfold.h. No logic here. */
#include "allfold.h"

#include "mpi/collective.h"
#include "mpi/comm_rules.h"
#include "mpi/plan.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

static struct allfold_call reduction(enum allfold_collective collective, const void *sendbuf,
                                     void *recvbuf, size_t count, MPI_Datatype datatype, MPI_Op op,
                                     int root, MPI_Comm comm)
{
    return (struct allfold_call){.collective = collective,
                                 .sendbuf = sendbuf,
                                 .recvbuf = recvbuf,
                                 .count = count,
                                 .count_is_valid = true,
                                 .datatype = datatype,
                                 .op = op,
                                 .root = root,
                                 .comm = comm};
}

static struct allfold_call broadcast(void *buffer, size_t count, MPI_Datatype datatype, int root,
                                     MPI_Comm comm)
{
    return reduction(ALLFOLD_BCAST, NULL, buffer, count, datatype, MPI_OP_NULL, root, comm);
}

static struct allfold_call gathering(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, size_t recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm)
{
    struct allfold_call call =
        reduction(ALLFOLD_ALLGATHER, sendbuf, recvbuf, recvcount, recvtype, MPI_OP_NULL, 0, comm);
    call.send_count = sendcount;
    call.send_datatype = sendtype;
    return call;
}

static struct allfold_call barrier(MPI_Comm comm)
{
    return reduction(ALLFOLD_BARRIER, NULL, NULL, 1, MPI_BYTE, MPI_OP_NULL, 0, comm);
}

ALLFOLD_PUBLIC int allfold_allreduce(const void *sendbuf, void *recvbuf, size_t count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call =
        reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_allreduce_init(const void *sendbuf, void *recvbuf, size_t count,
                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                          struct allfold_plan **plan)
{
    const struct allfold_call call =
        reduction(ALLFOLD_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_reduce(const void *sendbuf, void *recvbuf, size_t count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const struct allfold_call call =
        reduction(ALLFOLD_REDUCE, sendbuf, recvbuf, count, datatype, op, root, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_reduce_init(const void *sendbuf, void *recvbuf, size_t count,
                                       MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                       struct allfold_plan **plan)
{
    const struct allfold_call call =
        reduction(ALLFOLD_REDUCE, sendbuf, recvbuf, count, datatype, op, root, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_bcast(void *buffer, size_t count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm)
{
    const struct allfold_call call = broadcast(buffer, count, datatype, root, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_bcast_init(void *buffer, size_t count, MPI_Datatype datatype, int root,
                                      MPI_Comm comm, struct allfold_plan **plan)
{
    const struct allfold_call call = broadcast(buffer, count, datatype, root, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf,
                                                size_t recvcount, MPI_Datatype datatype, MPI_Op op,
                                                MPI_Comm comm)
{
    const struct allfold_call call =
        reduction(ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_reduce_scatter_block_init(const void *sendbuf, void *recvbuf,
                                                     size_t recvcount, MPI_Datatype datatype,
                                                     MPI_Op op, MPI_Comm comm,
                                                     struct allfold_plan **plan)
{
    const struct allfold_call call =
        reduction(ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype, op, 0, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, size_t recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm)
{
    const struct allfold_call call =
        gathering(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_allgather_init(const void *sendbuf, size_t sendcount,
                                          MPI_Datatype sendtype, void *recvbuf, size_t recvcount,
                                          MPI_Datatype recvtype, MPI_Comm comm,
                                          struct allfold_plan **plan)
{
    const struct allfold_call call =
        gathering(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_barrier(MPI_Comm comm)
{
    const struct allfold_call call = barrier(comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_barrier_init(MPI_Comm comm, struct allfold_plan **plan)
{
    const struct allfold_call call = barrier(comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_start(struct allfold_plan *plan)
{
    const int error = allfold_plan_expect(plan, ALLFOLD_PLAN_IDLE, "allfold_start");
    return error == MPI_SUCCESS ? allfold_plan_start(plan) : error;
}

ALLFOLD_PUBLIC int allfold_wait(struct allfold_plan *plan, int timeout_ms)
{
    bool is_done;
    int error = allfold_plan_expect(plan, ALLFOLD_PLAN_RUNNING, "allfold_wait");
    if (error != MPI_SUCCESS)
        return error;
    error = allfold_plan_wait(plan, timeout_ms, &is_done);
    return is_done ? error : ALLFOLD_TIMED_OUT;
}

ALLFOLD_PUBLIC int allfold_plan_free(struct allfold_plan **plan)
{
    const int error =
        allfold_plan_expect(plan == NULL ? NULL : *plan, ALLFOLD_PLAN_FREED, "allfold_plan_free");
    if (error != MPI_SUCCESS)
        return error;
    allfold_plan_release(*plan);
    *plan = NULL;
    return MPI_SUCCESS;
}

ALLFOLD_PUBLIC int allfold_comm_set(MPI_Comm comm, const char *name, const char *value)
{
    return allfold_comm_rules_set(comm, name, value);
}

ALLFOLD_PUBLIC const char *allfold_version(void)
{
    return ALLFOLD_VERSION;
}
