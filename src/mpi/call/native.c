/* Calls of the MPI library's collectives (see native.h). */
#include "mpi/call/native.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mpi/call/block_counts.h"
#include "mpi/device/drivers.h"
#include "mpi/process/runtime.h"
#include "mpi/process/own_communicators.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

/* Is a count of the call more than an int holds? Counts in arrays are not looked at. */
static bool counts_many(const struct allfold_call *call)
{
    return call->count > INT_MAX || (call->send_count > INT_MAX && call->sendbuf != MPI_IN_PLACE);
}

/* Can only a function whose name ends in _c take the call? */
static bool needs_large(const struct allfold_call *call)
{
    return (call->counts != NULL && call->has_wide_counts) ||
           (call->count_is_valid && counts_many(call));
}

static int refuse(const struct allfold_call *call, const char *function)
{
    const bool is_large = needs_large(call);
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message,
             is_large ? "a call counts more than INT_MAX elements, and Allfold does not serve it; "
                        "the MPI library has no %s"
                      : "Allfold does not serve a persistent call, and the MPI library has no %s",
             function);
    return allfold_raise_message_of(call->comm, is_large ? MPI_ERR_COUNT : MPI_ERR_OTHER, message);
}

/* --- calls of the underlying functions --- */

/* Returns a count as the program gave it if it was valid; else an invalid count. */
static int int_count(const struct allfold_call *call, size_t count)
{
    return call->count_is_valid ? (int)count : -1;
}

static MPI_Count large_count(const struct allfold_call *call, size_t count)
{
    (void)call;
    return (MPI_Count)count;
}

/* The arguments of a call before its communicator. CONVERT, which makes counts of a size_t what the
 * function takes, stands in place of their type. */
#define ARGUMENTS(arguments, CONVERT) ALLFOLD_ARGUMENTS_##arguments(ARGUMENT, CONVERT, )
#define ARGUMENT(type, name, suffix, role, field) ARGUMENT_##role(type, call->field),
#define ARGUMENT_input(type, given) given
#define ARGUMENT_output(type, given) given
#define ARGUMENT_count(CONVERT, given) CONVERT(call, given)
#define ARGUMENT_array(type, given) given
#define ARGUMENT_type(type, given) given
#define ARGUMENT_op(type, given) given
#define ARGUMENT_integer(type, given) given

/* Calls MPI_Name for `call`, or refuses the call if this MPI has no such function. */
#define CALL(field, Name, ...)                                                                     \
    (allfold_next()->field != NULL ? allfold_next()->field(__VA_ARGS__)                            \
                                   : refuse(call, "MPI_" #Name))

/* Calls MPI_Name, or MPI_Name_c if the call is large; `...` are the arguments from the communicator
 * on. */
#define CALL_EITHER(field, Name, arguments, ...)                                                   \
    (is_large ? CALL(field##_c, Name##_c, ARGUMENTS(arguments, large_count) __VA_ARGS__)           \
              : CALL(field, Name, ARGUMENTS(arguments, int_count) __VA_ARGS__))

static int native_blocking(const struct allfold_call *call)
{
    const bool is_large = needs_large(call);
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
#define SERVED(name, Name, NAME, arguments)                                                        \
    case ALLFOLD_##NAME:                                                                           \
        return CALL_EITHER(name, Name, arguments, comm);
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    case ALLFOLD_##NAME:                                                                           \
        return CALL(name, Name, comm);
#include "mpi/collectives.def"
    default:
        return MPI_ERR_INTERN;
    }
}

static int native_nonblocking(const struct allfold_call *call, MPI_Request *request)
{
    const bool is_large = needs_large(call);
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
#define SERVED(name, Name, NAME, arguments)                                                        \
    case ALLFOLD_##NAME:                                                                           \
        return CALL_EITHER(i##name, I##name, arguments, comm, request);
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    case ALLFOLD_##NAME:                                                                           \
        return CALL(i##name, I##name, comm, request);
#include "mpi/collectives.def"
    default:
        return MPI_ERR_INTERN;
    }
}

static int native_persistent(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    const bool is_large = needs_large(call);
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
#define SERVED(name, Name, NAME, arguments)                                                        \
    case ALLFOLD_##NAME:                                                                           \
        return CALL_EITHER(name##_init, Name##_init, arguments, comm, info, request);
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    case ALLFOLD_##NAME:                                                                           \
        return CALL(name##_init, Name##_init, comm, info, request);
#include "mpi/collectives.def"
    default:
        return MPI_ERR_INTERN;
    }
}

int allfold_native(const struct allfold_call *call)
{
    if (call->counts == NULL || !call->has_wide_counts)
        return native_blocking(call);
    /* wide counts that fit ints become ints */
    struct allfold_call kept = *call;
    void *memory = NULL;
    size_t memory_bytes = 0;
    const int error = allfold_counts_keep(&kept, &memory, &memory_bytes)
                          ? native_blocking(&kept)
                          : allfold_raise(call->comm, MPI_ERR_NO_MEM);
    allfold_free(memory);
    return error;
}

/* Converts wide counts that fit ints to ints, if this MPI library accepts no others. A request may
 * read them until it is complete, which MPI does not report, so they are never freed. Returns false
 * if out of memory. */
static bool narrow(struct allfold_call *call)
{
    const bool takes_wide = allfold_next()->ireduce_scatter_c != NULL;
    return takes_wide || call->counts == NULL || !call->has_wide_counts ||
           allfold_counts_keep_for_good(call);
}

int allfold_native_start(const struct allfold_call *call, MPI_Request *request)
{
    struct allfold_call narrowed = *call;
    if (!narrow(&narrowed))
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    return native_nonblocking(&narrowed, request);
}

int allfold_native_init(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    struct allfold_call narrowed = *call;
    if (!narrow(&narrowed))
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    return native_persistent(&narrowed, info, request);
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
    const int count = int_count(call, call->count);
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

/* Finds the elements of the buffer that the call uses. Returns false if a count is negative or a
 * block begins before the buffer's address. */
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
    return allfold_next()->allreduce_c == NULL &&
           (counts_many(call) || (call->has_wide_counts && allfold_counts_total(call) > INT_MAX));
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
