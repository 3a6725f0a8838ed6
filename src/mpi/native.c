/* The MPI library's own collectives (see native.h). */
#include "mpi/native.h"

#include <limits.h>

#include "mpi/report.h"
#include "mpi/runtime.h"

static int native_allreduce(const struct allfold_call *call, int count)
{
    return allfold_next()->allreduce(call->sendbuf, call->recvbuf, count, call->datatype, call->op,
                                     call->comm);
}

static int native_reduce(const struct allfold_call *call, int count)
{
    return allfold_next()->reduce(call->sendbuf, call->recvbuf, count, call->datatype, call->op,
                                  call->root, call->comm);
}

static int native_bcast(const struct allfold_call *call, int count)
{
    return allfold_next()->bcast(call->recvbuf, count, call->datatype, call->root, call->comm);
}

int allfold_native(const struct allfold_call *call)
{
    static int (*const natives[ALLFOLD_COLLECTIVE_COUNT])(const struct allfold_call *, int) = {
        [ALLFOLD_ALLREDUCE] = native_allreduce,
        [ALLFOLD_REDUCE] = native_reduce,
        [ALLFOLD_BCAST] = native_bcast,
    };
    if (call->count_is_valid && call->count > INT_MAX)
        return allfold_raise_message(call->comm, "more than INT_MAX elements go only to what "
                                                 "Allfold serves itself, which this is not");
    return natives[call->collective](call, call->count_is_valid ? (int)call->count : -1);
}

bool allfold_native_allows_same_buffer(enum allfold_collective collective)
{
#ifdef OPEN_MPI
    return collective == ALLFOLD_ALLREDUCE;
#else
    (void)collective;
    return false;
#endif
}

bool allfold_is_sampled(const struct allfold_figures *figures)
{
    enum { AT_ONCE = 8, EVERY = 32 };
    if (figures->samples >= ALLFOLD_MAX_SAMPLES)
        return false;
    return figures->calls > 0 && (figures->calls <= AT_ONCE || figures->calls % EVERY == 0);
}

/* Room for a result beside the one that the program gets. */
static bool reserve_result(const struct allfold_call *call, struct allfold_communicator *state)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    PMPI_Type_get_extent(call->datatype, &lower, &extent);
    PMPI_Type_get_true_extent(call->datatype, &true_lower, &true_extent);
    int fits = true_lower >= 0 && extent >= 0 &&
               allfold_reserve(&state->packed, &state->packed_bytes,
                               call->count * (size_t)extent + (size_t)(true_lower + true_extent));
    return PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, state->comm) == MPI_SUCCESS &&
           fits;
}

bool allfold_time_native(const struct allfold_call *call, struct allfold_communicator *state,
                         double *seconds)
{
    struct allfold_call sampled = *call;
    const bool has_result = call->collective == ALLFOLD_ALLREDUCE || state->rank == call->root;
    if (call->collective != ALLFOLD_BCAST) {
        if (!reserve_result(call, state))
            return false;
        sampled.sendbuf = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
        sampled.recvbuf = has_result ? state->packed : NULL;
    }
    PMPI_Barrier(state->comm);
    const double begin_s = allfold_now_s();
    const int error = allfold_native(&sampled);
    *seconds = allfold_now_s() - begin_s;
    return error == MPI_SUCCESS;
}
