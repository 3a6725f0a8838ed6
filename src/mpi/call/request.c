/* Requests (see request.h).
 *
 * A call is ours where its arguments are clearly right and both the type and the operation are
 * served; whatever is doubtful goes to the MPI library unchanged, which then gives its own errors.
 * Apart from arguments that are wrong on one rank only, all ranks decide alike. */
#include "mpi/call/request.h"

#include <stdint.h>

#include "mpi/call/native.h"
#include "mpi/handles/types.h"
#include "util/memory.h"

static const struct allfold_traits *traits_of(const struct allfold_request *request)
{
    return allfold_traits(request->call->collective);
}

static bool holds(const struct allfold_request *request, enum allfold_holders holders)
{
    return allfold_is_holder(holders, request->state->rank == request->call->root);
}

/* NULL is also MPI_BOTTOM, which only a derived datatype gives a meaning. */
static bool is_missing(const void *buffer, size_t count, MPI_Datatype datatype)
{
    return buffer == NULL && count > 0 && allfold_known_type(datatype) != NULL;
}

/* Looks at the buffers of a reduction; false where they are not clearly right. */
static bool take_reduction(struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const bool has_result = holds(request, traits_of(request)->out_holders);
    request->in_place = call->sendbuf == MPI_IN_PLACE;
    request->count = call->count;
    request->in = call->sendbuf;
    request->out = has_result ? call->recvbuf : NULL;
    if (request->in_place && !has_result)
        return false;
    if (has_result &&
        (call->recvbuf == MPI_IN_PLACE || is_missing(call->recvbuf, call->count, call->datatype)))
        return false;
    if (has_result && call->sendbuf == call->recvbuf && call->count > 0) {
        request->in_place = true;
        return allfold_native_allows_same_buffer(call->collective);
    }
    return request->in_place || !is_missing(call->sendbuf, call->count, call->datatype);
}

/* Looks at a buffer of data that is moved, and says how many bytes of it travel. */
static bool look_at(struct allfold_side *side, const struct allfold_communicator *state,
                    size_t *bytes)
{
    MPI_Count size;
    if (side->datatype == MPI_DATATYPE_NULL ||
        is_missing(side->data, side->count, side->datatype) ||
        PMPI_Type_size_x(side->datatype, &size) != MPI_SUCCESS || size < 0)
        return false;
    *bytes = side->count * (size_t)size;
    side->is_packed = !allfold_is_plain(side->datatype);
    return !side->is_packed || allfold_is_committed(side->datatype, state->carrier.comm);
}

/* Where a collective has a send buffer besides: that, or in place this rank's own block. What is
 * unpacked afterwards is packed to where this rank's own block of it is, so in place for the
 * schedule. */
static bool take_send_buffer(struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    MPI_Aint lower, extent;
    size_t bytes;
    if (PMPI_Type_get_extent(call->datatype, &lower, &extent) != MPI_SUCCESS)
        return false;
    void *own =
        allfold_address(call->recvbuf, request->state->rank * (ptrdiff_t)call->count * extent);
    request->in_place = call->sendbuf == MPI_IN_PLACE || request->to.is_packed;
    request->from.data = own;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    request->in = call->sendbuf;
    request->from = (struct allfold_side){.data = (void *)(uintptr_t)call->sendbuf,
                                          .count = call->send_count,
                                          .datatype = call->send_datatype};
    if (!look_at(&request->from, request->state, &bytes) || bytes != request->count)
        return false;
    return bytes == 0 || (call->sendbuf != own && call->sendbuf != call->recvbuf);
}

static bool take_movement(struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const struct allfold_traits *of = traits_of(request);
    struct allfold_side block = {
        .data = call->recvbuf, .count = call->count, .datatype = call->datatype};
    if (call->recvbuf == MPI_IN_PLACE || !look_at(&block, request->state, &request->count))
        return false;
    request->in = request->out = call->recvbuf;
    request->from = request->to = block;
    request->from.is_packed &= holds(request, of->in_holders);
    request->to.is_packed &= holds(request, of->out_holders);
    if (of->out_is_blocks)
        request->to.count *= (size_t)request->state->size;
    return !of->allows_in_place || take_send_buffer(request);
}

/* Tokens, which say nothing but that a rank has arrived. */
static bool take_tokens(struct allfold_request *request)
{
    request->count = 1;
    request->in = &request->tokens[0];
    request->out = &request->tokens[1];
    return true;
}

struct allfold_request allfold_request_of(const struct allfold_call *call,
                                          struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    return (struct allfold_request){.call = call,
                                    .state = state,
                                    .operands = &caller->operands,
                                    .packed = &caller->packed,
                                    .packed_bytes = &caller->packed_bytes,
                                    .tokens = caller->tokens};
}

bool allfold_request_take_buffers(struct allfold_request *request)
{
    const struct allfold_traits *of = traits_of(request);
    if (of->may_repeat)
        return take_tokens(request);
    return (of->reduces ? take_reduction : take_movement)(request);
}

bool allfold_request_read(struct allfold_request *request, const char **why)
{
    const struct allfold_call *call = request->call;
    const struct allfold_traits *of = traits_of(request);
    *why = "arguments";
    if (call->root < 0 || call->root >= request->state->size)
        return false;
    if (of->may_repeat || !of->reduces) {
        if (!(of->may_repeat ? take_tokens : take_movement)(request))
            return false;
        allfold_operands_of_bytes(request->operands);
        return true;
    }
    if (!take_reduction(request))
        return false;
    *why = "type and operation";
    return allfold_operands_find(request->operands, call->datatype, call->op);
}

struct allfold_shape_key allfold_request_key(const struct allfold_request *request)
{
    const struct allfold_operands *operands = request->operands;
    return (struct allfold_shape_key){
        .collective = request->call->collective,
        .root = request->call->root,
        .count = request->count,
        .element_bytes = operands->element_bytes,
        .commutative = operands->commutative,
        .exact = operands->exact,
        .in_place = request->in_place,
        .ours_only = operands->native_is_wrong,
    };
}

/* The bytes that travel lie in the program's buffer, or in memory of ours. */
int allfold_request_pack(struct allfold_request *request)
{
    const struct allfold_side *from = &request->from, *to = &request->to;
    const struct allfold_traits *of = traits_of(request);
    struct allfold_communicator *state = request->state;
    if ((!from->is_packed && !to->is_packed) || request->count == 0)
        return MPI_SUCCESS;
    const bool has_blocks = of->out_is_blocks && to->is_packed;
    const size_t blocks = has_blocks ? (size_t)state->size : 1;
    if (!allfold_reserve(request->packed, request->packed_bytes, blocks * request->count))
        return MPI_ERR_NO_MEM;
    char *own = (char *)*request->packed + (has_blocks ? (size_t)state->rank * request->count : 0);
    request->in = own;
    if (to->is_packed)
        request->out = *request->packed;
    if (!holds(request, of->in_holders))
        return MPI_SUCCESS;
    return allfold_pack(from->data, from->count, from->datatype, own, request->count,
                        state->carrier.comm);
}

int allfold_request_unpack(const struct allfold_request *request)
{
    const struct allfold_side *to = &request->to;
    const struct allfold_communicator *state = request->state;
    if (!to->is_packed || request->count == 0)
        return MPI_SUCCESS;
    const size_t blocks = traits_of(request)->out_is_blocks ? (size_t)state->size : 1;
    return allfold_unpack(to->data, to->count, to->datatype, request->out, blocks * request->count,
                          state->carrier.comm);
}
