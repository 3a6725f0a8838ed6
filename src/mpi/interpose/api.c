/* The public functions of allfold.h. No logic here. */
#include "allfold.h"

#include "mpi/call/accumulators.h"
#include "mpi/call/collective.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/plan/plan.h"
#include "mpi/report/report.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int allfold_allreduce(const void *sendbuf, void *recvbuf, size_t count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_ALLREDUCE, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_allreduce_init(const void *sendbuf, void *recvbuf, size_t count,
                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                          struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_ALLREDUCE, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_reduce(const void *sendbuf, void *recvbuf, size_t count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, root, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_reduce_init(const void *sendbuf, void *recvbuf, size_t count,
                                       MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                       struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_REDUCE, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, root, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_bcast(void *buffer, size_t count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm)
{
    const struct allfold_call call =
        allfold_describe_bcast(buffer, (ptrdiff_t)count, datatype, root, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_bcast_init(void *buffer, size_t count, MPI_Datatype datatype, int root,
                                      MPI_Comm comm, struct allfold_plan **plan)
{
    const struct allfold_call call =
        allfold_describe_bcast(buffer, (ptrdiff_t)count, datatype, root, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf,
                                                size_t recvcount, MPI_Datatype datatype, MPI_Op op,
                                                MPI_Comm comm)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf,
                                   (ptrdiff_t)recvcount, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_reduce_scatter_block_init(const void *sendbuf, void *recvbuf,
                                                     size_t recvcount, MPI_Datatype datatype,
                                                     MPI_Op op, MPI_Comm comm,
                                                     struct allfold_plan **plan)
{
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf,
                                   (ptrdiff_t)recvcount, datatype, op, 0, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                                     void *recvbuf, size_t recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_allgather(
        sendbuf, (ptrdiff_t)sendcount, sendtype, recvbuf, (ptrdiff_t)recvcount, recvtype, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_allgather_init(const void *sendbuf, size_t sendcount,
                                          MPI_Datatype sendtype, void *recvbuf, size_t recvcount,
                                          MPI_Datatype recvtype, MPI_Comm comm,
                                          struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_allgather(
        sendbuf, (ptrdiff_t)sendcount, sendtype, recvbuf, (ptrdiff_t)recvcount, recvtype, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_reduce_scatter(const void *sendbuf, void *recvbuf,
                                          const size_t recvcounts[], MPI_Datatype datatype,
                                          MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, true, datatype, op, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_reduce_scatter_init(const void *sendbuf, void *recvbuf,
                                               const size_t recvcounts[], MPI_Datatype datatype,
                                               MPI_Op op, MPI_Comm comm, struct allfold_plan **plan)
{
    const struct allfold_call call =
        allfold_describe_reduce_scatter(sendbuf, recvbuf, recvcounts, true, datatype, op, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_allgatherv(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                                      void *recvbuf, const size_t recvcounts[],
                                      const ptrdiff_t displs[], MPI_Datatype recvtype,
                                      MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, (ptrdiff_t)sendcount, sendtype, recvbuf, recvcounts, displs, true, recvtype, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_allgatherv_init(const void *sendbuf, size_t sendcount,
                                           MPI_Datatype sendtype, void *recvbuf,
                                           const size_t recvcounts[], const ptrdiff_t displs[],
                                           MPI_Datatype recvtype, MPI_Comm comm,
                                           struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_allgatherv(
        sendbuf, (ptrdiff_t)sendcount, sendtype, recvbuf, recvcounts, displs, true, recvtype, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_barrier(MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_barrier(comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_barrier_init(MPI_Comm comm, struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_barrier(comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_scan(const void *sendbuf, void *recvbuf, size_t count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_SCAN, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_scan_init(const void *sendbuf, void *recvbuf, size_t count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                     struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_SCAN, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC int allfold_exscan(const void *sendbuf, void *recvbuf, size_t count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_EXSCAN, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0, comm);
    return allfold_serve(&call);
}

ALLFOLD_PUBLIC int allfold_exscan_init(const void *sendbuf, void *recvbuf, size_t count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       struct allfold_plan **plan)
{
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_EXSCAN, sendbuf, recvbuf, (ptrdiff_t)count, datatype, op, 0, comm);
    return allfold_plan_make(&call, NULL, plan);
}

ALLFOLD_PUBLIC void allfold_region(const char *name)
{
    allfold_report_enter(name);
}

ALLFOLD_PUBLIC int allfold_start(struct allfold_plan *plan)
{
    const int error = allfold_plan_expect(plan, ALLFOLD_PLAN_IDLE, "allfold_start");
    if (error != MPI_SUCCESS)
        return error;
    return allfold_plan_start_on(plan, plan->first_sendbuf, plan->first_recvbuf);
}

ALLFOLD_PUBLIC int allfold_start_on(struct allfold_plan *plan, const void *in, void *out)
{
    const int error = allfold_plan_expect(plan, ALLFOLD_PLAN_IDLE, "allfold_start_on");
    return error == MPI_SUCCESS ? allfold_plan_start_on(plan, in, out) : error;
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

ALLFOLD_PUBLIC int allfold_missing(struct allfold_plan *plan, int *ranks, int max, int *count)
{
    const int error = allfold_plan_expect(plan, ALLFOLD_PLAN_RUNNING, "allfold_missing");
    return error == MPI_SUCCESS ? allfold_plan_missing(plan, ranks, max, count) : error;
}

ALLFOLD_PUBLIC int allfold_plan_set(struct allfold_plan *plan, const char *name, const char *value)
{
    return allfold_plan_rules_set(plan, name, value);
}

ALLFOLD_PUBLIC int allfold_plan_print(const struct allfold_plan *plan, FILE *stream)
{
    return allfold_plan_write(plan, stream);
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

ALLFOLD_PUBLIC int allfold_accumulator_allreduce(const struct allfold_accumulator *mine,
                                                 struct allfold_accumulator *sum, int count,
                                                 MPI_Comm comm)
{
    return allfold_accumulators_sum(mine, sum, count, comm);
}

#if !defined MPI_ABI_VERSION || MPI_ABI_VERSION < 1
ALLFOLD_PUBLIC int allfold_accumulator_allreduce_f(const struct allfold_accumulator *mine,
                                                   struct allfold_accumulator *sum, int count,
                                                   MPI_Fint comm)
{
    return allfold_accumulators_sum(mine, sum, count, MPI_Comm_f2c(comm));
}
#endif
