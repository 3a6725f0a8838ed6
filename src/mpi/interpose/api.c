/* The public functions of allfold.h. They only call the rooms below. */
#include "allfold.h"

#include "mpi/call/accumulators.h"
#include "mpi/call/collective.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/interpose/describe.h"
#include "mpi/plan/plan.h"
#include "mpi/process/collectives.h"
#include "mpi/report/report.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

/* Of the row SERVED(allreduce, ...) of mpi/collectives.def, allfold_allreduce and
 * allfold_allreduce_init. */
#define SERVED(name, Name, NAME, arguments)                                                        \
    ALLFOLD_PUBLIC int allfold_##name(                                                             \
        ALLFOLD_ARGUMENTS_##arguments(ALLFOLD_AS_PARAMETER, size_t, ptrdiff_t) MPI_Comm comm)      \
    {                                                                                              \
        const struct allfold_call call = DESCRIBE_##arguments(ALLFOLD_##NAME, true);               \
        return allfold_serve(&call);                                                               \
    }                                                                                              \
    ALLFOLD_PUBLIC int allfold_##name##_init(                                                      \
        ALLFOLD_ARGUMENTS_##arguments(ALLFOLD_AS_PARAMETER, size_t, ptrdiff_t) MPI_Comm comm,      \
        struct allfold_plan **plan)                                                                \
    {                                                                                              \
        const struct allfold_call call = DESCRIBE_##arguments(ALLFOLD_##NAME, true);               \
        return allfold_plan_make(&call, NULL, plan);                                               \
    }
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME) SERVED(name, Name, NAME, NOTHING)
#include "mpi/collectives.def"

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
    return allfold_accumulators_allreduce(mine, sum, count, comm);
}

#if !defined MPI_ABI_VERSION || MPI_ABI_VERSION < 1
ALLFOLD_PUBLIC int allfold_accumulator_allreduce_f(const struct allfold_accumulator *mine,
                                                   struct allfold_accumulator *sum, int count,
                                                   MPI_Fint comm)
{
    return allfold_accumulators_allreduce(mine, sum, count, MPI_Comm_f2c(comm));
}
#endif
