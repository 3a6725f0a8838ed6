/* Requests (see request.h).
 *
 * A call is ours where its arguments are clearly right and both the type and the operation are
 * served. A doubtful call goes to the MPI library unchanged, which then gives its own errors. Apart
 * from arguments that are wrong on one rank only, all ranks decide alike. */
#include "mpi/call/request.h"

#include <stdint.h>

#include "mpi/call/counts.h"
#include "mpi/call/native.h"
#include "mpi/handles/type_size.h"
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

/* Reads the counts of blocks of any lengths, and says where these begin: in elements, or in bytes
 * where an element is so many. False where a count is negative. */
static bool read_blocks(struct allfold_request *request, size_t element_bytes,
                        struct allfold_block_counts *read)
{
    const struct allfold_communicator *state = request->state;
    const size_t places = (size_t)state->size + 1;
    size_t *begins = request->blocks;
    if (!allfold_counts_read(request->call, state->size, state->rank, begins, read))
        return false;
    for (size_t i = 0; i < places && element_bytes != 1; i++)
        begins[i] *= element_bytes;
    request->begins = read->are_alike || element_bytes == 0 ? NULL : begins;
    request->count = read->longest * element_bytes;
    return true;
}

/* How many elements of the program's types this rank has in each buffer of a reduction. */
struct reduced {
    size_t in, out;
};

static bool read_reduction(struct allfold_request *request, struct reduced *reduced)
{
    struct allfold_block_counts read;
    *reduced = (struct reduced){request->call->count, request->call->count};
    request->count = request->call->count;
    request->begins = NULL;
    if (request->call->counts == NULL)
        return true;
    if (!read_blocks(request, 1, &read))
        return false;
    *reduced = (struct reduced){read.total,
                                request->call->sendbuf == MPI_IN_PLACE ? read.total : read.own};
    return true;
}

/* Looks at the buffers of a reduction; false where they are not clearly right. An exscan in place
 * reads the receive buffer of rank 0 as well, which has no result. */
static bool take_reduction(struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const bool has_result = holds(request, traits_of(request)->out_holders);
    struct reduced count;
    if (!read_reduction(request, &count))
        return false;
    const bool reads_result = call->sendbuf == MPI_IN_PLACE && !has_result &&
                              traits_of(request)->prefix == ALLFOLD_BELOW_OWN;
    request->in_place = call->sendbuf == MPI_IN_PLACE && !reads_result;
    request->in = reads_result ? call->recvbuf : call->sendbuf;
    request->out = has_result ? call->recvbuf : NULL;
    if (request->in_place && !has_result)
        return false;
    if ((has_result || reads_result) &&
        (call->recvbuf == MPI_IN_PLACE || is_missing(call->recvbuf, count.out, call->datatype)))
        return false;
    if (has_result && call->sendbuf == call->recvbuf && count.out > 0) {
        request->in_place = true;
        return allfold_native_allows_same_buffer(call->collective);
    }
    return request->in_place || !is_missing(call->sendbuf, count.in, call->datatype);
}

/* Looks at a buffer of data that is moved, and says how many bytes of it travel. */
static bool look_at(struct allfold_side *side, size_t *bytes)
{
    MPI_Count size;
    if (side->datatype == MPI_DATATYPE_NULL ||
        is_missing(side->data, side->count, side->datatype) ||
        allfold_type_size(side->datatype, &size) != MPI_SUCCESS || size < 0)
        return false;
    *bytes = side->count * (size_t)size;
    side->is_packed = !allfold_is_plain(side->datatype);
    return !side->is_packed || allfold_is_committed(side->datatype);
}

/* True only if send and receive buffers certainly overlap. The other ranks cannot see this rank's
 * addresses, so a false positive would send this rank alone to the MPI library and hang the job.
 * Elements of derived types may lie elsewhere than at the buffer's address, and blocks with
 * displacements may leave room at it. */
static bool is_aliased(const struct allfold_request *request, const void *own)
{
    const struct allfold_call *call = request->call;
    if (request->from.is_packed || !allfold_is_plain(call->datatype))
        return false;
    return call->sendbuf == own || (call->displacements == NULL && call->sendbuf == call->recvbuf);
}

/* Where a collective has a send buffer besides: that, or in place this rank's own block. What is
 * unpacked afterwards is packed to where this rank's own block of it is, so in place for the
 * schedule. */
static bool take_send_buffer(struct allfold_request *request,
                             const struct allfold_block_counts *blocks, size_t own_bytes)
{
    const struct allfold_call *call = request->call;
    MPI_Aint lower, extent;
    size_t bytes;
    if (PMPI_Type_get_extent(call->datatype, &lower, &extent) != MPI_SUCCESS)
        return false;
    void *own = allfold_address(call->recvbuf, blocks->begin * extent);
    request->in_place = call->sendbuf == MPI_IN_PLACE || request->to.is_packed;
    request->from.data = own;
    request->from.count = blocks->own;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    request->in = call->sendbuf;
    request->from = (struct allfold_side){.data = (void *)(uintptr_t)call->sendbuf,
                                          .count = call->send_count,
                                          .datatype = call->send_datatype};
    if (!look_at(&request->from, &bytes) || bytes != own_bytes)
        return false;
    return bytes == 0 || !is_aliased(request, own);
}

/* What of recvbuf is whose: of blocks that are alike, too. False where it is not clearly right. */
static bool read_movement(struct allfold_request *request, struct allfold_block_counts *blocks)
{
    const struct allfold_call *call = request->call;
    const struct allfold_communicator *state = request->state;
    const size_t rank = (size_t)state->rank, p = (size_t)state->size, n = call->count;
    MPI_Count bytes;
    request->begins = NULL;
    *blocks = (struct allfold_block_counts){.own = n, .longest = n, .total = n, .are_in_row = true};
    if (traits_of(request)->out_is_blocks) {
        blocks->total = p * n;
        blocks->begin = (ptrdiff_t)(rank * n);
    }
    return call->counts == NULL || (call->datatype != MPI_DATATYPE_NULL &&
                                    allfold_type_size(call->datatype, &bytes) == MPI_SUCCESS &&
                                    bytes >= 0 && read_blocks(request, (size_t)bytes, blocks));
}

static bool take_movement(struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const struct allfold_traits *of = traits_of(request);
    struct allfold_block_counts blocks;
    size_t bytes;
    if (call->recvbuf == MPI_IN_PLACE || !read_movement(request, &blocks))
        return false;
    struct allfold_side all = {
        .data = call->recvbuf, .count = blocks.total, .datatype = call->datatype};
    if (!look_at(&all, &bytes))
        return false;
    const size_t element_bytes = blocks.total == 0 ? 0 : bytes / blocks.total;
    request->count = blocks.longest * element_bytes;
    request->in = request->out = call->recvbuf;
    request->from = request->to = all;
    request->from.is_packed &= holds(request, of->in_holders);
    request->to.is_packed &= holds(request, of->out_holders);
    request->to.is_packed |= !blocks.are_in_row;
    return !of->allows_in_place || take_send_buffer(request, &blocks, blocks.own * element_bytes);
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
                                    .reproducible = allfold_communicator_reproducible(state),
                                    .operands = &caller->operands,
                                    .packed = &caller->packed,
                                    .packed_bytes = &caller->packed_bytes,
                                    .blocks = caller->begins,
                                    .tokens = caller->tokens,
                                    .staging = &caller->staging,
                                    .feeding = &caller->feeding};
}

bool allfold_request_take_buffers(struct allfold_request *request)
{
    const struct allfold_traits *of = traits_of(request);
    if (of->may_repeat)
        return take_tokens(request);
    return (of->reduces ? take_reduction : take_movement)(request);
}

static const char doubtful[] = "arguments";

bool allfold_request_is_doubtful(const char *why)
{
    return why == doubtful;
}

bool allfold_request_read(struct allfold_request *request, const char **why)
{
    const struct allfold_call *call = request->call;
    const struct allfold_traits *of = traits_of(request);
    *why = doubtful;
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
    if (!allfold_operands_find(request->operands, call->datatype, call->op))
        return false;
    request->operands->keeps_order =
        !request->operands->exact && request->reproducible != ALLFOLD_REPRODUCIBLE_OFF &&
        !allfold_sum_rounds_once(call, request->state, request->reproducible);
    return true;
}

/* Word by word: there may be thousands of them in a short call. */
static uint64_t hash_of(const size_t *begins, int blocks)
{
    uint64_t hash = 0;
    for (int i = 1; i <= blocks; i++) {
        hash = (hash ^ begins[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Native calls that move nothing return before they communicate on a rank that has no elements, and
 * wait on one that has an element of an empty type. */
struct allfold_shape_key allfold_request_key(const struct allfold_request *request)
{
    const struct allfold_operands *operands = request->operands;
    const int blocks = request->begins == NULL ? 0 : request->state->size;
    return (struct allfold_shape_key){
        .collective = request->call->collective,
        .root = request->call->root,
        .count = request->count,
        .begins = request->begins,
        .begins_hash = hash_of(request->begins, blocks),
        .blocks = blocks,
        .element_bytes = operands->element_bytes,
        .commutative = operands->commutative,
        .exact = operands->exact,
        .canonical = operands->keeps_order,
        .in_place = request->in_place,
        .ours_only = operands->native_is_wrong || request->count == 0,
    };
}

/* All bytes of the vector that travels, and where this rank's own block is among them. */
static size_t vector_bytes(const struct allfold_request *request, size_t *own_begin,
                           size_t *own_bytes)
{
    const struct allfold_communicator *state = request->state;
    const size_t rank = (size_t)state->rank;
    const bool has_blocks = traits_of(request)->out_is_blocks;
    *own_begin = has_blocks ? rank * request->count : 0;
    *own_bytes = request->count;
    if (request->begins != NULL) {
        *own_begin = request->begins[rank];
        *own_bytes = request->begins[rank + 1] - *own_begin;
        return request->begins[state->size];
    }
    return (has_blocks ? (size_t)state->size : 1) * request->count;
}

/* --- device memory --- */

size_t allfold_request_own_count(const struct allfold_request *request)
{
    const int rank = request->state->rank;
    return request->begins == NULL ? request->count
                                   : request->begins[rank + 1] - request->begins[rank];
}

static int stage_reduction(struct allfold_request *request)
{
    const struct allfold_communicator *state = request->state;
    const struct allfold_call *call = request->call;
    const struct allfold_traits *of = traits_of(request);
    const struct allfold_operands *operands = request->operands;
    const struct allfold_elements *elements = &operands->elements;
    const bool is_whole = elements->low_bytes == 0 &&
                          elements->high_bytes == elements->extent_bytes &&
                          (ptrdiff_t)operands->element_bytes == elements->extent_bytes;
    const bool has_gaps = !operands->is_predefined && !is_whole;
    const size_t p = of->in_is_blocks ? (size_t)state->size : 1;
    const size_t total =
        request->begins == NULL ? p * request->count : request->begins[state->size];
    const struct allfold_part_of_area all = {0, total}, none = {0, 0};
    struct allfold_area area;
    void *host;
    int error = MPI_SUCCESS;
    if (!request->in_place) {
        allfold_area_of_elements(&area, request->in, total, elements, has_gaps, call->datatype);
        error = allfold_stage(&request->staging->in, &area, all, &host);
        request->in = host;
    }
    if (error != MPI_SUCCESS || !holds(request, of->out_holders))
        return error;
    allfold_area_of_elements(&area, request->out,
                             request->in_place ? total : allfold_request_own_count(request),
                             elements, has_gaps, call->datatype);
    error = allfold_stage(&request->staging->out, &area, request->in_place ? all : none, &host);
    request->out = host;
    return error;
}

/* Stages one side; its own part is what is copied. */
static int stage_side(struct allfold_staged *staged, struct allfold_side *side,
                      struct allfold_part_of_area copied)
{
    struct allfold_area area;
    return allfold_area_of_type(&area, side->data, side->count, side->datatype)
               ? allfold_stage(staged, &area, copied, &side->data)
               : MPI_ERR_TYPE;
}

/* The elements of recvbuf from the first to the last one of all blocks. */
struct reach {
    ptrdiff_t first, end;
};

static struct reach reach_of(const struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    struct reach reach = {0, (ptrdiff_t)request->to.count};
    bool is_empty = true;
    for (int i = 0; call->displacements != NULL && i < request->state->size; i++) {
        const ptrdiff_t count = (ptrdiff_t)allfold_count_of(call, i);
        const ptrdiff_t first = (ptrdiff_t)allfold_displacement_of(call, i);
        if (count == 0)
            continue;
        if (is_empty || first < reach.first)
            reach.first = first;
        if (is_empty || first + count > reach.end)
            reach.end = first + count;
        is_empty = false;
    }
    return reach;
}

/* In place the input is this rank's block of the result. */
static int stage_result(struct allfold_request *request, bool is_in_place)
{
    struct allfold_side *from = &request->from, *to = &request->to, side = *to;
    const struct reach reach = reach_of(request);
    const ptrdiff_t own_bytes = (ptrdiff_t)((uintptr_t)from->data - (uintptr_t)to->data);
    struct allfold_part_of_area own = {0, 0};
    MPI_Aint lower, extent;
    if (PMPI_Type_get_extent(to->datatype, &lower, &extent) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    if (is_in_place && extent != 0)
        own =
            (struct allfold_part_of_area){(size_t)(own_bytes / extent - reach.first), from->count};
    side.data = allfold_address(to->data, reach.first * extent);
    side.count = (size_t)(reach.end - reach.first);
    const int error = stage_side(&request->staging->out, &side, own);
    request->out = to->data = allfold_address(side.data, -reach.first * extent);
    if (is_in_place)
        from->data = allfold_address(to->data, own_bytes);
    return error;
}

static int stage_movement(struct allfold_request *request)
{
    const struct allfold_traits *of = traits_of(request);
    struct allfold_side *from = &request->from;
    const bool is_in_place = of->allows_in_place && request->call->sendbuf == MPI_IN_PLACE;
    int error = MPI_SUCCESS;
    if (holds(request, of->out_holders))
        error = stage_result(request, is_in_place);
    if (error != MPI_SUCCESS || is_in_place || !holds(request, of->in_holders))
        return error;
    error = stage_side(&request->staging->in, from, (struct allfold_part_of_area){0, from->count});
    request->in = from->data;
    return error;
}

/* The buffers are the program's again where the last run had others. */
static int stage(struct allfold_request *request)
{
    const struct allfold_traits *of = traits_of(request);
    struct allfold_staging *staging = request->staging;
    if (request->is_staged)
        allfold_request_take_buffers(request);
    staging->in.place.driver = staging->out.place.driver = NULL;
    const int error = of->may_repeat ? MPI_SUCCESS
                      : of->reduces  ? stage_reduction(request)
                                     : stage_movement(request);
    request->is_staged = staging->in.place.driver != NULL || staging->out.place.driver != NULL;
    return error;
}

/* What a run has of a staged buffer, in its elements. Input in place is a part of the result. */
static struct allfold_feeding_part fed_input(const struct allfold_request *request)
{
    const struct allfold_staging *staging = request->staging;
    const struct allfold_side *from = &request->from;
    const bool reduces = traits_of(request)->reduces;
    const struct allfold_staged *staged = request->in_place ? &staging->out : &staging->in;
    struct allfold_feeding_part part = {.host = request->in_place ? request->out
                                                                  : (void *)(uintptr_t)request->in,
                                        .buffer = request->in_place ? ALLFOLD_OUT : ALLFOLD_IN};
    size_t begin, own_bytes;
    if (staged->place.driver == NULL)
        return part;
    part.staged = staged;
    part.end = staged->copied.count;
    if (reduces)
        return part;
    vector_bytes(request, &begin, &own_bytes);
    part.first = request->in_place ? begin : 0;
    part.end = part.first + (from->count == 0 ? 0 : own_bytes);
    return part;
}

static struct allfold_feeding_part fed_result(const struct allfold_request *request)
{
    const struct allfold_staged *out = &request->staging->out;
    size_t begin, own_bytes;
    struct allfold_feeding_part part = {.host = request->out, .buffer = ALLFOLD_OUT};
    if (out->place.driver == NULL)
        return part;
    part.staged = out;
    part.end = traits_of(request)->reduces ? allfold_request_own_count(request)
                                           : vector_bytes(request, &begin, &own_bytes);
    return part;
}

/* Elements that lie as they travel, one after the other. */
static bool may_be_fed(const struct allfold_request *request)
{
    const struct allfold_staging *staging = request->staging;
    return (staging->in.place.driver == NULL || !staging->in.area.has_gaps) &&
           (staging->out.place.driver == NULL || !staging->out.area.has_gaps) &&
           !request->from.is_packed && !request->to.is_packed;
}

/* Copies the inputs, or begins to. */
static int bring(struct allfold_request *request, const struct allfold_schedule *schedule)
{
    if (schedule != NULL && may_be_fed(request))
        request->feed =
            allfold_feeding_begin(request->feeding, schedule, &request->operands->elements,
                                  fed_input(request), fed_result(request));
    if (request->feed != NULL)
        return MPI_SUCCESS;
    const int error = allfold_stage_copy(&request->staging->in);
    return error == MPI_SUCCESS ? allfold_stage_copy(&request->staging->out) : error;
}

/* Blocks that do not lie in a row go back one by one. */
static int stage_back(const struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const struct allfold_staged *out = &request->staging->out;
    const struct reach reach = reach_of(request);
    int error = MPI_SUCCESS;
    if (traits_of(request)->reduces)
        return allfold_stage_back(
            out, (struct allfold_part_of_area){0, allfold_request_own_count(request)});
    if (call->displacements == NULL)
        return allfold_stage_back(out, (struct allfold_part_of_area){0, out->area.count});
    for (int i = 0; i < request->state->size && error == MPI_SUCCESS; i++) {
        const ptrdiff_t first = (ptrdiff_t)allfold_displacement_of(call, i) - reach.first;
        error = allfold_stage_back(
            out, (struct allfold_part_of_area){(size_t)first, (size_t)allfold_count_of(call, i)});
    }
    return error;
}

bool allfold_request_is_on_device(const struct allfold_call *call)
{
    if (call->displacements != NULL) /* no block may be at recvbuf: it is found out */
        return true;
    return (call->sendbuf != MPI_IN_PLACE && allfold_device_find(call->sendbuf).driver != NULL) ||
           allfold_device_find(call->recvbuf).driver != NULL;
}

/* --- packing --- */

/* The bytes that travel lie in the program's buffer, or in memory of ours. */
static int pack(struct allfold_request *request)
{
    const struct allfold_side *from = &request->from, *to = &request->to;
    size_t begin, own_bytes;
    const size_t bytes = vector_bytes(request, &begin, &own_bytes);
    if ((!from->is_packed && !to->is_packed) || request->count == 0)
        return MPI_SUCCESS;
    if (!allfold_reserve(request->packed, request->packed_bytes, to->is_packed ? bytes : own_bytes))
        return MPI_ERR_NO_MEM;
    char *own = (char *)*request->packed + (to->is_packed ? begin : 0);
    request->in = own;
    if (to->is_packed)
        request->out = *request->packed;
    if (!holds(request, traits_of(request)->in_holders))
        return MPI_SUCCESS;
    return allfold_pack(from->data, from->count, from->datatype, own, own_bytes);
}

/* Puts each block where the program wants it. */
static int unpack_blocks(const struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const struct allfold_side *to = &request->to;
    const char *from = request->out;
    MPI_Aint lower, extent;
    MPI_Count bytes;
    int error = PMPI_Type_get_extent(to->datatype, &lower, &extent);
    if (error == MPI_SUCCESS)
        error = allfold_type_size(to->datatype, &bytes);
    for (int i = 0; i < request->state->size && error == MPI_SUCCESS; i++) {
        const size_t count = (size_t)allfold_count_of(call, i);
        error = allfold_unpack(allfold_address(to->data, allfold_displacement_of(call, i) * extent),
                               count, to->datatype, from, count * (size_t)bytes);
        from += count * (size_t)bytes;
    }
    return error;
}

static int unpack(const struct allfold_request *request)
{
    const struct allfold_side *to = &request->to;
    size_t begin, own_bytes;
    if (!to->is_packed || request->count == 0)
        return MPI_SUCCESS;
    if (request->call->displacements != NULL)
        return unpack_blocks(request);
    return allfold_unpack(to->data, to->count, to->datatype, request->out,
                          vector_bytes(request, &begin, &own_bytes));
}

int allfold_request_pack(struct allfold_request *request, const struct allfold_schedule *schedule)
{
    int error = allfold_devices_may_be() ? stage(request) : MPI_SUCCESS;
    request->feed = NULL;
    if (error == MPI_SUCCESS && request->is_staged)
        error = bring(request, schedule);
    return error == MPI_SUCCESS ? pack(request) : error;
}

int allfold_request_unpack(struct allfold_request *request, int error)
{
    const bool was_fed = request->feed != NULL;
    request->feed = NULL;
    if (was_fed) {
        const int fed = allfold_feeding_end(*request->feeding, error == MPI_SUCCESS);
        return error == MPI_SUCCESS ? fed : error;
    }
    if (error == MPI_SUCCESS)
        error = unpack(request);
    return error == MPI_SUCCESS && request->is_staged ? stage_back(request) : error;
}
