/* Native collectives (see native.h). */
#include "mpi/call/native.h"

#include <limits.h>

#include "mpi/call/counts.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

/* A count as the program gave it, where that was valid; else one that is not. */
static int int_of(const struct allfold_call *call, size_t count)
{
    return call->count_is_valid ? (int)count : -1;
}

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
    return allfold_next()->allgather(call->sendbuf, int_of(call, call->send_count),
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
    return allfold_next()->allgatherv(call->sendbuf, int_of(call, call->send_count),
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

bool allfold_native_is_large(const struct allfold_call *call)
{
    const bool sends_many = call->send_count > INT_MAX && call->sendbuf != MPI_IN_PLACE;
    return call->count_is_valid && (call->count > INT_MAX || sends_many || call->has_wide_counts);
}

static int refuse_large(const struct allfold_call *call)
{
    return allfold_raise_message(call->comm, "more than INT_MAX elements go only to what Allfold "
                                             "serves itself, which this is not");
}

/* With more elements than an int counts, where this MPI has functions for that. */
static int native_large(const struct allfold_call *call)
{
    const struct allfold_next *next = allfold_next();
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const MPI_Count n = (MPI_Count)call->count;
    if (next->allreduce_c == NULL)
        return refuse_large(call);
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return next->allreduce_c(in, out, n, call->datatype, call->op, call->comm);
    case ALLFOLD_REDUCE:
        return next->reduce_c(in, out, n, call->datatype, call->op, call->root, call->comm);
    case ALLFOLD_BCAST:
        return next->bcast_c(out, n, call->datatype, call->root, call->comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return next->reduce_scatter_block_c(in, out, n, call->datatype, call->op, call->comm);
    case ALLFOLD_REDUCE_SCATTER:
        return next->reduce_scatter_c(in, out, call->counts, call->datatype, call->op, call->comm);
    case ALLFOLD_ALLGATHERV:
        return next->allgatherv_c(in, (MPI_Count)call->send_count, call->send_datatype, out,
                                  call->counts, call->displacements, call->datatype, call->comm);
    case ALLFOLD_ALLGATHER:
        return next->allgather_c(in, (MPI_Count)call->send_count, call->send_datatype, out, n,
                                 call->datatype, call->comm);
    case ALLFOLD_SCAN:
        return next->scan_c(in, out, n, call->datatype, call->op, call->comm);
    case ALLFOLD_EXSCAN:
        return next->exscan_c(in, out, n, call->datatype, call->op, call->comm);
    default:
        return refuse_large(call);
    }
}

/* With counts of 8 bytes each; but many that fit into ints are given so. */
static int native_wide(const struct allfold_call *call)
{
    struct allfold_call kept = *call;
    void *memory = NULL;
    size_t memory_bytes = 0;
    const bool is_kept = allfold_counts_keep(&kept, &memory, &memory_bytes);
    const int error = !is_kept                         ? allfold_raise(call->comm, MPI_ERR_NO_MEM)
                      : allfold_native_is_large(&kept) ? native_large(&kept)
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
    if (allfold_native_is_large(call))
        return native_large(call);
    return natives[call->collective](call, int_of(call, call->count));
}

int allfold_native_start(const struct allfold_call *call, MPI_Request *request)
{
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const int n = int_of(call, call->count);
    if (allfold_native_is_large(call))
        return refuse_large(call);
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return PMPI_Iallreduce(in, out, n, call->datatype, call->op, call->comm, request);
    case ALLFOLD_REDUCE:
        return PMPI_Ireduce(in, out, n, call->datatype, call->op, call->root, call->comm, request);
    case ALLFOLD_BCAST:
        return PMPI_Ibcast(out, n, call->datatype, call->root, call->comm, request);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return PMPI_Ireduce_scatter_block(in, out, n, call->datatype, call->op, call->comm,
                                          request);
    case ALLFOLD_REDUCE_SCATTER:
        return PMPI_Ireduce_scatter(in, out, call->counts, call->datatype, call->op, call->comm,
                                    request);
    case ALLFOLD_ALLGATHERV:
        return PMPI_Iallgatherv(in, int_of(call, call->send_count), call->send_datatype, out,
                                call->counts, call->displacements, call->datatype, call->comm,
                                request);
    case ALLFOLD_ALLGATHER:
        return PMPI_Iallgather(in, int_of(call, call->send_count), call->send_datatype, out, n,
                               call->datatype, call->comm, request);
    case ALLFOLD_SCAN:
        return PMPI_Iscan(in, out, n, call->datatype, call->op, call->comm, request);
    case ALLFOLD_EXSCAN:
        return PMPI_Iexscan(in, out, n, call->datatype, call->op, call->comm, request);
    default:
        return PMPI_Ibarrier(call->comm, request);
    }
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
           call->count == 0 || allfold_native_is_large(call);
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
    const int count = int_of(call, call->count);
    const MPI_Aint last = (MPI_Aint)(count - 1) * extent;
    const size_t bytes = (size_t)((last < 0 ? -last : last) + true_extent);
    struct allfold_caller *caller = allfold_caller_of(state);
    const struct allfold_carrier *carrier = &state->carrier;
    if (!allfold_reserve(&caller->packed, &caller->packed_bytes, bytes))
        return NULL;
    *safe = *call;
    char *first = (char *)caller->packed - (last < 0 ? last : 0) - true_lower;
    const int error =
        PMPI_Sendrecv(call->recvbuf, count, call->datatype, carrier->rank, 0, first, count,
                      call->datatype, carrier->rank, 0, carrier->comm, MPI_STATUS_IGNORE);
    safe->sendbuf = first;
    return error == MPI_SUCCESS ? safe : NULL;
}

bool allfold_is_sampled(uint64_t calls, uint32_t samples)
{
    enum { AT_ONCE = 8, EVERY = 32 };
    if (samples >= ALLFOLD_MAX_SAMPLES)
        return false;
    return calls > 0 && (calls <= AT_ONCE || calls % EVERY == 0);
}

bool allfold_redirect(struct allfold_call *call, const struct allfold_communicator *state,
                      void **memory, size_t *memory_bytes)
{
    const struct allfold_traits *of = allfold_traits(call->collective);
    const size_t n = call->count, p = (size_t)state->size, rank = (size_t)state->rank;
    struct allfold_block_counts blocks = {.own = n, .reach = of->out_is_blocks ? p * n : n};
    MPI_Aint lower, extent, true_lower, true_extent;
    if (!of->allows_in_place)
        return true;
    blocks.begin = of->out_is_blocks ? (ptrdiff_t)(rank * n) : 0;
    if (call->counts != NULL && !allfold_counts_read(call, state->size, state->rank, NULL, &blocks))
        return false;
    PMPI_Type_get_extent(call->datatype, &lower, &extent);
    PMPI_Type_get_true_extent(call->datatype, &true_lower, &true_extent);
    if (true_lower < 0 || extent < 0 || blocks.low < 0 ||
        !allfold_reserve(memory, memory_bytes,
                         (of->out_is_blocks ? blocks.reach : blocks.own) * (size_t)extent +
                             (size_t)(true_lower + true_extent)))
        return false;
    if (call->sendbuf == MPI_IN_PLACE) {
        const ptrdiff_t own = of->out_is_blocks ? blocks.begin : 0;
        call->sendbuf = (const char *)call->recvbuf + own * extent;
        call->send_count = blocks.own;
        call->send_datatype = call->datatype;
    }
    call->recvbuf = *memory;
    return true;
}

/* Has every rank room for a second result? Then the call gets it, in memory that grows. */
static bool redirect_all(struct allfold_call *call, struct allfold_communicator *state,
                         void **memory, size_t *memory_bytes)
{
    int fits = allfold_redirect(call, state, memory, memory_bytes);
    return PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN,
                          allfold_communicator_for_collectives(state)) == MPI_SUCCESS &&
           fits;
}

bool allfold_time_native(const struct allfold_call *call, struct allfold_communicator *state,
                         double *seconds)
{
    struct allfold_call sampled = *call;
    struct allfold_caller *caller = allfold_caller_of(state);
    if (allfold_traits(call->collective)->allows_in_place &&
        !redirect_all(&sampled, state, &caller->packed, &caller->packed_bytes))
        return false;
    PMPI_Barrier(allfold_communicator_for_collectives(state));
    const double begin_s = allfold_now_s();
    const int error = allfold_native(&sampled);
    *seconds = allfold_now_s() - begin_s;
    return error == MPI_SUCCESS;
}

const void *allfold_native_beside(const struct allfold_call *call,
                                  struct allfold_communicator *state)
{
    struct allfold_call other = *call;
    struct allfold_caller *caller = allfold_caller_of(state);
    if (!redirect_all(&other, state, &caller->beside, &caller->beside_bytes))
        return NULL;
    return allfold_native(&other) == MPI_SUCCESS ? other.recvbuf : NULL;
}
