/* Native nonblocking and persistent collectives (see native.h). */
#include "mpi/call/counts.h"
#include "mpi/call/native.h"
#include "mpi/process/runtime.h"

static int start(const struct allfold_call *call, MPI_Request *request)
{
    const struct allfold_next *next = allfold_next();
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const int n = allfold_native_int(call, call->count),
              sent = allfold_native_int(call, call->send_count);
    const MPI_Datatype type = call->datatype;
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return next->iallreduce(in, out, n, type, call->op, comm, request);
    case ALLFOLD_REDUCE:
        return next->ireduce(in, out, n, type, call->op, call->root, comm, request);
    case ALLFOLD_BCAST:
        return next->ibcast(out, n, type, call->root, comm, request);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return next->ireduce_scatter_block(in, out, n, type, call->op, comm, request);
    case ALLFOLD_REDUCE_SCATTER:
        return next->ireduce_scatter(in, out, call->counts, type, call->op, comm, request);
    case ALLFOLD_ALLGATHERV:
        return next->iallgatherv(in, sent, call->send_datatype, out, call->counts,
                                 call->displacements, type, comm, request);
    case ALLFOLD_ALLGATHER:
        return next->iallgather(in, sent, call->send_datatype, out, n, type, comm, request);
    case ALLFOLD_SCAN:
        return next->iscan(in, out, n, type, call->op, comm, request);
    case ALLFOLD_EXSCAN:
        return next->iexscan(in, out, n, type, call->op, comm, request);
    default:
        return next->ibarrier(comm, request);
    }
}

static int start_large(const struct allfold_call *call, MPI_Request *request)
{
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const MPI_Count n = (MPI_Count)call->count, sent = (MPI_Count)call->send_count;
    const MPI_Datatype type = call->datatype;
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return ALLFOLD_CALL_NEXT(iallreduce_c, "MPI_Iallreduce_c", in, out, n, type, call->op, comm,
                                 request);
    case ALLFOLD_REDUCE:
        return ALLFOLD_CALL_NEXT(ireduce_c, "MPI_Ireduce_c", in, out, n, type, call->op, call->root,
                                 comm, request);
    case ALLFOLD_BCAST:
        return ALLFOLD_CALL_NEXT(ibcast_c, "MPI_Ibcast_c", out, n, type, call->root, comm, request);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return ALLFOLD_CALL_NEXT(ireduce_scatter_block_c, "MPI_Ireduce_scatter_block_c", in, out, n,
                                 type, call->op, comm, request);
    case ALLFOLD_REDUCE_SCATTER:
        return ALLFOLD_CALL_NEXT(ireduce_scatter_c, "MPI_Ireduce_scatter_c", in, out, call->counts,
                                 type, call->op, comm, request);
    case ALLFOLD_ALLGATHERV:
        return ALLFOLD_CALL_NEXT(iallgatherv_c, "MPI_Iallgatherv_c", in, sent, call->send_datatype,
                                 out, call->counts, call->displacements, type, comm, request);
    case ALLFOLD_ALLGATHER:
        return ALLFOLD_CALL_NEXT(iallgather_c, "MPI_Iallgather_c", in, sent, call->send_datatype,
                                 out, n, type, comm, request);
    case ALLFOLD_SCAN:
        return ALLFOLD_CALL_NEXT(iscan_c, "MPI_Iscan_c", in, out, n, type, call->op, comm, request);
    default:
        return ALLFOLD_CALL_NEXT(iexscan_c, "MPI_Iexscan_c", in, out, n, type, call->op, comm,
                                 request);
    }
}

static int init(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const int n = allfold_native_int(call, call->count),
              sent = allfold_native_int(call, call->send_count);
    const MPI_Datatype type = call->datatype;
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return ALLFOLD_CALL_NEXT(allreduce_init, "MPI_Allreduce_init", in, out, n, type, call->op,
                                 comm, info, request);
    case ALLFOLD_REDUCE:
        return ALLFOLD_CALL_NEXT(reduce_init, "MPI_Reduce_init", in, out, n, type, call->op,
                                 call->root, comm, info, request);
    case ALLFOLD_BCAST:
        return ALLFOLD_CALL_NEXT(bcast_init, "MPI_Bcast_init", out, n, type, call->root, comm, info,
                                 request);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return ALLFOLD_CALL_NEXT(reduce_scatter_block_init, "MPI_Reduce_scatter_block_init", in,
                                 out, n, type, call->op, comm, info, request);
    case ALLFOLD_REDUCE_SCATTER:
        return ALLFOLD_CALL_NEXT(reduce_scatter_init, "MPI_Reduce_scatter_init", in, out,
                                 call->counts, type, call->op, comm, info, request);
    case ALLFOLD_ALLGATHERV:
        return ALLFOLD_CALL_NEXT(allgatherv_init, "MPI_Allgatherv_init", in, sent,
                                 call->send_datatype, out, call->counts, call->displacements, type,
                                 comm, info, request);
    case ALLFOLD_ALLGATHER:
        return ALLFOLD_CALL_NEXT(allgather_init, "MPI_Allgather_init", in, sent,
                                 call->send_datatype, out, n, type, comm, info, request);
    case ALLFOLD_SCAN:
        return ALLFOLD_CALL_NEXT(scan_init, "MPI_Scan_init", in, out, n, type, call->op, comm, info,
                                 request);
    case ALLFOLD_EXSCAN:
        return ALLFOLD_CALL_NEXT(exscan_init, "MPI_Exscan_init", in, out, n, type, call->op, comm,
                                 info, request);
    default:
        return ALLFOLD_CALL_NEXT(barrier_init, "MPI_Barrier_init", comm, info, request);
    }
}

static int init_large(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    const void *in = call->sendbuf;
    void *out = call->recvbuf;
    const MPI_Count n = (MPI_Count)call->count, sent = (MPI_Count)call->send_count;
    const MPI_Datatype type = call->datatype;
    const MPI_Comm comm = call->comm;
    switch (call->collective) {
    case ALLFOLD_ALLREDUCE:
        return ALLFOLD_CALL_NEXT(allreduce_init_c, "MPI_Allreduce_init_c", in, out, n, type,
                                 call->op, comm, info, request);
    case ALLFOLD_REDUCE:
        return ALLFOLD_CALL_NEXT(reduce_init_c, "MPI_Reduce_init_c", in, out, n, type, call->op,
                                 call->root, comm, info, request);
    case ALLFOLD_BCAST:
        return ALLFOLD_CALL_NEXT(bcast_init_c, "MPI_Bcast_init_c", out, n, type, call->root, comm,
                                 info, request);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return ALLFOLD_CALL_NEXT(reduce_scatter_block_init_c, "MPI_Reduce_scatter_block_init_c", in,
                                 out, n, type, call->op, comm, info, request);
    case ALLFOLD_REDUCE_SCATTER:
        return ALLFOLD_CALL_NEXT(reduce_scatter_init_c, "MPI_Reduce_scatter_init_c", in, out,
                                 call->counts, type, call->op, comm, info, request);
    case ALLFOLD_ALLGATHERV:
        return ALLFOLD_CALL_NEXT(allgatherv_init_c, "MPI_Allgatherv_init_c", in, sent,
                                 call->send_datatype, out, call->counts, call->displacements, type,
                                 comm, info, request);
    case ALLFOLD_ALLGATHER:
        return ALLFOLD_CALL_NEXT(allgather_init_c, "MPI_Allgather_init_c", in, sent,
                                 call->send_datatype, out, n, type, comm, info, request);
    case ALLFOLD_SCAN:
        return ALLFOLD_CALL_NEXT(scan_init_c, "MPI_Scan_init_c", in, out, n, type, call->op, comm,
                                 info, request);
    default:
        return ALLFOLD_CALL_NEXT(exscan_init_c, "MPI_Exscan_init_c", in, out, n, type, call->op,
                                 comm, info, request);
    }
}

/* Makes wide counts that fit ints, if this MPI takes no others, ints. A request may read them until
 * its end, which MPI does not report, so they stay. False without memory. */
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
    return allfold_native_needs_large(&narrowed) ? start_large(&narrowed, request)
                                                 : start(&narrowed, request);
}

int allfold_native_init(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    struct allfold_call narrowed = *call;
    if (!narrow(&narrowed))
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    return allfold_native_needs_large(&narrowed) ? init_large(&narrowed, info, request)
                                                 : init(&narrowed, info, request);
}
