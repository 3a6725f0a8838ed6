/* Native collectives (see native.h). */
#include "mpi/call/native.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mpi/call/counts.h"
#include "mpi/device/drivers.h"
#include "mpi/process/runtime.h"
#include "mpi/process/self.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

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

static int native_reduce_scatter_block(const struct allfold_call *call, int count)
{
    return allfold_next()->reduce_scatter_block(call->sendbuf, call->recvbuf, count, call->datatype,
                                                call->op, call->comm);
}

static int native_allgather(const struct allfold_call *call, int count)
{
    return allfold_next()->allgather(call->sendbuf, allfold_native_int(call, call->send_count),
                                     call->send_datatype, call->recvbuf, count, call->datatype,
                                     call->comm);
}

static int native_reduce_scatter(const struct allfold_call *call, int count)
{
    (void)count;
    return allfold_next()->reduce_scatter(call->sendbuf, call->recvbuf, call->counts,
                                          call->datatype, call->op, call->comm);
}

static int native_allgatherv(const struct allfold_call *call, int count)
{
    (void)count;
    return allfold_next()->allgatherv(call->sendbuf, allfold_native_int(call, call->send_count),
                                      call->send_datatype, call->recvbuf, call->counts,
                                      call->displacements, call->datatype, call->comm);
}

static int native_barrier(const struct allfold_call *call, int count)
{
    (void)count;
    return allfold_next()->barrier(call->comm);
}

static int native_scan(const struct allfold_call *call, int count)
{
    return allfold_next()->scan(call->sendbuf, call->recvbuf, count, call->datatype, call->op,
                                call->comm);
}

static int native_exscan(const struct allfold_call *call, int count)
{
    return allfold_next()->exscan(call->sendbuf, call->recvbuf, count, call->datatype, call->op,
                                  call->comm);
}

bool allfold_native_needs_large(const struct allfold_call *call)
{
    const bool sends_many = call->send_count > INT_MAX && call->sendbuf != MPI_IN_PLACE;
    return (call->counts != NULL && call->has_wide_counts) ||
           (call->count_is_valid && (call->count > INT_MAX || sends_many));
}

int allfold_native_refuse(const struct allfold_call *call, const char *function)
{
    const bool is_large = allfold_native_needs_large(call);
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message,
             is_large ? "a call counts more than INT_MAX elements, and Allfold does not serve it; "
                        "the MPI library has no %s"
                      : "Allfold does not serve a persistent call, and the MPI library has no %s",
             function);
    return allfold_raise_message_of(call->comm, is_large ? MPI_ERR_COUNT : MPI_ERR_OTHER, message);
}

/* With more elements than an int counts. */
static int native_large(const struct allfold_call *call)
{
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const MPI_Count n = (MPI_Count)call->count, sent = (MPI_Count)call->send_count;
    const MPI_Datatype type = call->datatype;
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return ALLFOLD_CALL_NEXT(allreduce_c, "MPI_Allreduce_c", in, out, n, type, call->op,
                                 call->comm);
    case ALLFOLD_REDUCE:
        return ALLFOLD_CALL_NEXT(reduce_c, "MPI_Reduce_c", in, out, n, type, call->op, call->root,
                                 call->comm);
    case ALLFOLD_BCAST:
        return ALLFOLD_CALL_NEXT(bcast_c, "MPI_Bcast_c", out, n, type, call->root, call->comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return ALLFOLD_CALL_NEXT(reduce_scatter_block_c, "MPI_Reduce_scatter_block_c", in, out, n,
                                 type, call->op, call->comm);
    case ALLFOLD_REDUCE_SCATTER:
        return ALLFOLD_CALL_NEXT(reduce_scatter_c, "MPI_Reduce_scatter_c", in, out, call->counts,
                                 type, call->op, call->comm);
    case ALLFOLD_ALLGATHERV:
        return ALLFOLD_CALL_NEXT(allgatherv_c, "MPI_Allgatherv_c", in, sent, call->send_datatype,
                                 out, call->counts, call->displacements, type, call->comm);
    case ALLFOLD_ALLGATHER:
        return ALLFOLD_CALL_NEXT(allgather_c, "MPI_Allgather_c", in, sent, call->send_datatype, out,
                                 n, type, call->comm);
    case ALLFOLD_SCAN:
        return ALLFOLD_CALL_NEXT(scan_c, "MPI_Scan_c", in, out, n, type, call->op, call->comm);
    default:
        return ALLFOLD_CALL_NEXT(exscan_c, "MPI_Exscan_c", in, out, n, type, call->op, call->comm);
    }
}

/* With counts of 8 bytes each; but many that fit into ints are given so. */
static int native_wide(const struct allfold_call *call)
{
    struct allfold_call kept = *call;
    void *memory = NULL;
    size_t memory_bytes = 0;
    const bool is_kept = allfold_counts_keep(&kept, &memory, &memory_bytes);
    const int error = !is_kept               ? allfold_raise(call->comm, MPI_ERR_NO_MEM)
                      : kept.has_wide_counts ? native_large(&kept)
                                             : allfold_native(&kept);
    allfold_free(memory);
    return error;
}

int allfold_native(const struct allfold_call *call)
{
    static int (*const natives[ALLFOLD_COLLECTIVE_COUNT])(const struct allfold_call *, int) = {
        [ALLFOLD_ALLREDUCE] = native_allreduce,
        [ALLFOLD_REDUCE] = native_reduce,
        [ALLFOLD_BCAST] = native_bcast,
        [ALLFOLD_REDUCE_SCATTER_BLOCK] = native_reduce_scatter_block,
        [ALLFOLD_REDUCE_SCATTER] = native_reduce_scatter,
        [ALLFOLD_ALLGATHER] = native_allgather,
        [ALLFOLD_ALLGATHERV] = native_allgatherv,
        [ALLFOLD_BARRIER] = native_barrier,
        [ALLFOLD_SCAN] = native_scan,
        [ALLFOLD_EXSCAN] = native_exscan,
    };
    if (call->counts != NULL && call->has_wide_counts)
        return native_wide(call);
    if (allfold_native_needs_large(call))
        return native_large(call);
    return natives[call->collective](call, allfold_native_int(call, call->count));
}

int allfold_native_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                                MPI_Op op)
{
    const struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE, in, inout, count,
                                                                datatype, op, 0, MPI_COMM_SELF);
    if (count <= INT_MAX)
        return allfold_next()->reduce_local(in, inout, count < 0 ? -1 : (int)count, datatype, op);
    if (allfold_next()->reduce_local_c == NULL)
        return allfold_native_refuse(&call, "MPI_Reduce_local_c");
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
           call->count == 0 || allfold_native_needs_large(call);
#endif
}

const struct allfold_call *allfold_native_safe(const struct allfold_call *call,
                                               struct allfold_communicator *state,
                                               struct allfold_call *safe)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    if (is_safe(call))
        return call;
    PMPI_Type_get_extent(call->datatype, &lower, &extent);
    PMPI_Type_get_true_extent(call->datatype, &true_lower, &true_extent);
    const int count = allfold_native_int(call, call->count);
    const MPI_Aint last = (MPI_Aint)(count - 1) * extent;
    const size_t bytes = (size_t)((last < 0 ? -last : last) + true_extent);
    struct allfold_prepared *prepared = &allfold_caller_of(state)->prepared;
    if (!allfold_reserve(&prepared->packed, &prepared->packed_bytes, bytes))
        return NULL;
    *safe = *call;
    char *first = (char *)prepared->packed - (last < 0 ? last : 0) - true_lower;
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
                           struct allfold_call *beside)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    *beside = *call;
    bool fits = !allfold_native_refuses(call) &&
                allfold_redirect(beside, state, &caller->beside, &caller->beside_bytes);
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
