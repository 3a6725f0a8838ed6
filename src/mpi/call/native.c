/* Native collectives (see native.h). */
#include "mpi/call/native.h"

#include <limits.h>
#include <string.h>

#include "mpi/call/counts.h"
#include "mpi/device/drivers.h"
#include "mpi/process/runtime.h"
#include "mpi/process/self.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

/* A count as the program gave it, where that was valid; else one that is not. */
static int int_of(const struct allfold_call *call, size_t count)
{
    return call->count_is_valid ? (int)count : -1;
}

/* Can only a function whose name ends in _c take the call: are its counts more than an int holds,
 * or in arrays of MPI_Count? */
static bool needs_large(const struct allfold_call *call)
{
    const bool sends_many = call->send_count > INT_MAX && call->sendbuf != MPI_IN_PLACE;
    return (call->counts != NULL && call->has_wide_counts) ||
           (call->count_is_valid && (call->count > INT_MAX || sends_many));
}

static int refuse(const struct allfold_call *call, const char *function)
{
    const bool is_large = needs_large(call);
    struct allfold_line line = {.length = 0};
    allfold_line_add(
        &line,
        is_large ? "a call counts more than INT_MAX elements, and Allfold does not serve it; "
                   "the MPI library has no %s"
                 : "Allfold does not serve a persistent call, and the MPI library has no %s",
        function);
    return allfold_raise_message_of(call->comm, is_large ? MPI_ERR_COUNT : MPI_ERR_OTHER,
                                    line.text);
}

/* This MPI lacks the function for the call. */
static int refuse_call(const struct allfold_call *call, enum allfold_call_mode mode)
{
    struct allfold_line line = {.length = 0};
    allfold_line_add_call(&line, call->collective, mode);
    if (needs_large(call))
        allfold_line_add(&line, "_c");
    return refuse(call, line.text);
}

#define NEXT(field, ...)                                                                           \
    return next->field != NULL ? next->field(__VA_ARGS__) : refuse_call(call, mode)

/* Calls one form of each collective's function, which is named `i` collective `end` and has the
 * last arguments of that form. */
#define CALL_FORM(i, end, ...)                                                                     \
    switch (call->collective) {                                                                    \
    case ALLFOLD_ALLREDUCE:                                                                        \
        NEXT(i##allreduce##end, in, out, n, type, op, __VA_ARGS__);                                \
    case ALLFOLD_REDUCE:                                                                           \
        NEXT(i##reduce##end, in, out, n, type, op, root, __VA_ARGS__);                             \
    case ALLFOLD_BCAST:                                                                            \
        NEXT(i##bcast##end, out, n, type, root, __VA_ARGS__);                                      \
    case ALLFOLD_REDUCE_SCATTER_BLOCK:                                                             \
        NEXT(i##reduce_scatter_block##end, in, out, n, type, op, __VA_ARGS__);                     \
    case ALLFOLD_REDUCE_SCATTER:                                                                   \
        NEXT(i##reduce_scatter##end, in, out, counts, type, op, __VA_ARGS__);                      \
    case ALLFOLD_ALLGATHER:                                                                        \
        NEXT(i##allgather##end, in, sent, sent_type, out, n, type, __VA_ARGS__);                   \
    case ALLFOLD_ALLGATHERV:                                                                       \
        NEXT(i##allgatherv##end, in, sent, sent_type, out, counts, call->displacements, type,      \
             __VA_ARGS__);                                                                         \
    case ALLFOLD_SCAN:                                                                             \
        NEXT(i##scan##end, in, out, n, type, op, __VA_ARGS__);                                     \
    case ALLFOLD_EXSCAN:                                                                           \
        NEXT(i##exscan##end, in, out, n, type, op, __VA_ARGS__);                                   \
    default:                                                                                       \
        break;                                                                                     \
    }

/* A blocking call has no info and no request, a nonblocking one no info. */
static int run(const struct allfold_call *call, enum allfold_call_mode mode, MPI_Info info,
               MPI_Request *request)
{
    const struct allfold_next *next = allfold_next();
    const void *in = call->sendbuf, *counts = call->counts;
    void *out = call->recvbuf;
    const MPI_Datatype type = call->datatype, sent_type = call->send_datatype;
    const MPI_Op op = call->op;
    const MPI_Comm comm = call->comm;
    const int root = call->root;
    if (needs_large(call)) {
        const MPI_Count n = (MPI_Count)call->count, sent = (MPI_Count)call->send_count;
        if (mode == ALLFOLD_BLOCKING)
            CALL_FORM(, _c, comm)
        else if (mode == ALLFOLD_NONBLOCKING)
            CALL_FORM(i, _c, comm, request)
        else
            CALL_FORM(, _init_c, comm, info, request)
        return MPI_ERR_INTERN; /* a barrier counts nothing */
    }
    const int n = int_of(call, call->count), sent = int_of(call, call->send_count);
    if (mode == ALLFOLD_BLOCKING) {
        CALL_FORM(, , comm)
        NEXT(barrier, comm);
    }
    if (mode == ALLFOLD_NONBLOCKING) {
        CALL_FORM(i, , comm, request)
        NEXT(ibarrier, comm, request);
    }
    CALL_FORM(, _init, comm, info, request)
    NEXT(barrier_init, comm, info, request);
}

int allfold_native(const struct allfold_call *call)
{
    if (call->counts == NULL || !call->has_wide_counts)
        return run(call, ALLFOLD_BLOCKING, MPI_INFO_NULL, NULL);
    struct allfold_call kept = *call;
    void *memory = NULL;
    size_t memory_bytes = 0;
    /* many counts of 8 bytes each fit into ints */
    const int error = allfold_counts_keep(&kept, &memory, &memory_bytes)
                          ? run(&kept, ALLFOLD_BLOCKING, MPI_INFO_NULL, NULL)
                          : allfold_raise(call->comm, MPI_ERR_NO_MEM);
    allfold_free(memory);
    return error;
}

/* Wide counts that fit ints become ints, if this MPI takes no others. A request may read them until
 * its end, which MPI does not report, so they stay. */
static int run_request(const struct allfold_call *call, enum allfold_call_mode mode, MPI_Info info,
                       MPI_Request *request)
{
    struct allfold_call narrowed = *call;
    const bool takes_wide = allfold_next()->ireduce_scatter_c != NULL;
    return takes_wide || call->counts == NULL || !call->has_wide_counts ||
                   allfold_counts_keep_for_good(&narrowed)
               ? run(&narrowed, mode, info, request)
               : allfold_raise(call->comm, MPI_ERR_NO_MEM);
}

int allfold_native_start(const struct allfold_call *call, MPI_Request *request)
{
    return run_request(call, ALLFOLD_NONBLOCKING, MPI_INFO_NULL, request);
}

int allfold_native_init(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    return run_request(call, ALLFOLD_PERSISTENT, info, request);
}

int allfold_native_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                                MPI_Op op)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, in, inout, count,
                                                                datatype, op, 0, MPI_COMM_SELF);
    if (count <= INT_MAX)
        return allfold_next()->reduce_local(in, inout, count < 0 ? -1 : (int)count, datatype, op);
    if (allfold_next()->reduce_local_c == NULL)
        return refuse(&call, "MPI_Reduce_local_c");
    return allfold_next()->reduce_local_c(in, inout, count, datatype, op);
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

/* MPICH 4.0.2 crashes in long reductions in place to other roots than rank 0 (see
 * test_mpich_in_place_crash.c). Those with large counts are left as they are. */
static bool is_safe(const struct allfold_call *call)
{
#ifdef OPEN_MPI
    (void)call;
    return true;
#else
    return call->collective != ALLFOLD_REDUCE || call->sendbuf != MPI_IN_PLACE || call->root == 0 ||
           call->count == 0 || needs_large(call);
#endif
}

const struct allfold_call *allfold_native_safe(const struct allfold_call *call, void **memory,
                                               size_t *memory_bytes, struct allfold_call *safe)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    if (is_safe(call))
        return call;
    PMPI_Type_get_extent(call->datatype, &lower, &extent);
    PMPI_Type_get_true_extent(call->datatype, &true_lower, &true_extent);
    const int count = int_of(call, call->count);
    const MPI_Aint last = (MPI_Aint)(count - 1) * extent;
    const size_t bytes = (size_t)((last < 0 ? -last : last) + true_extent);
    if (!allfold_reserve(memory, memory_bytes, bytes))
        return NULL;
    *safe = *call;
    char *first = (char *)*memory - (last < 0 ? last : 0) - true_lower;
    const int error =
        allfold_self_copy(call->recvbuf, count, call->datatype, first, count, call->datatype);
    safe->sendbuf = first;
    return error == MPI_SUCCESS ? safe : NULL;
}

/* The elements of a call's result, and the part of it that is input if the call is in place. */
struct area {
    size_t elements;
    ptrdiff_t input_begin;
    size_t input;
};

/* False where no area from its buffer on has all of it. */
static bool find_area(const struct allfold_call *call, const struct allfold_communicator *state,
                      struct area *area)
{
    const struct allfold_traits *of = allfold_traits(call->collective);
    const size_t n = call->count, p = (size_t)state->size;
    struct allfold_block_counts blocks = {.own = n, .total = p * n, .reach = p * n};
    blocks.begin = (ptrdiff_t)((size_t)state->rank * n);
    if (call->counts != NULL && !allfold_counts_read(call, state->size, state->rank, NULL, &blocks))
        return false;
    *area = (struct area){blocks.own, 0, blocks.own};
    if (of->out_is_blocks)
        *area = (struct area){blocks.reach, blocks.begin, blocks.own};
    else if (of->in_is_blocks && call->sendbuf == MPI_IN_PLACE)
        *area = (struct area){blocks.total, 0, blocks.total};
    return blocks.low >= 0;
}

bool allfold_redirect(struct allfold_call *call, const struct allfold_communicator *state,
                      void **memory, size_t *memory_bytes)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    struct area area;
    if (!allfold_traits(call->collective)->allows_in_place)
        return true;
    if (!find_area(call, state, &area))
        return false;
    PMPI_Type_get_extent(call->datatype, &lower, &extent);
    PMPI_Type_get_true_extent(call->datatype, &true_lower, &true_extent);
    if (true_lower < 0 || extent < 0 ||
        !allfold_reserve(memory, memory_bytes,
                         area.elements * (size_t)extent + (size_t)(true_lower + true_extent)))
        return false;
    const char *result = call->recvbuf;
    const ptrdiff_t first = area.input_begin * extent;
    call->recvbuf = *memory;
    if (call->sendbuf != MPI_IN_PLACE)
        return true;
    if (!is_safe(call) ||
        (allfold_devices_may_be() && allfold_device_find(result).driver != NULL)) {
        call->sendbuf = result + first;
        call->send_count = area.input;
        call->send_datatype = call->datatype;
    } else if (area.input > 0) {
        memcpy((char *)*memory + first + true_lower, result + first + true_lower,
               (area.input - 1) * (size_t)extent + (size_t)true_extent);
    }
    return true;
}

bool allfold_native_refuses(const struct allfold_call *call)
{
    const bool sends_many = call->send_count > INT_MAX && call->sendbuf != MPI_IN_PLACE;
    return allfold_next()->allreduce_c == NULL &&
           (call->count > INT_MAX || sends_many ||
            (call->has_wide_counts && allfold_counts_total(call) > INT_MAX));
}

bool allfold_native_beside(const struct allfold_call *call, struct allfold_communicator *state,
                           void **memory, size_t *memory_bytes, struct allfold_call *beside)
{
    *beside = *call;
    bool fits =
        !allfold_native_refuses(call) && allfold_redirect(beside, state, memory, memory_bytes);
    return allfold_synchronize(allfold_communicator_for_collectives(state), &fits) == MPI_SUCCESS &&
           fits;
}

double allfold_time_native(const struct allfold_call *beside, struct allfold_communicator *state)
{
    PMPI_Barrier(allfold_communicator_for_collectives(state));
    const double begin_s = allfold_now_s();
    const int error = allfold_native(beside);
    return error == MPI_SUCCESS ? allfold_now_s() - begin_s : -1;
}
