/* Reads, packs and frees prepared calls (see prepared.h).
 *
 * Allfold handles a call if its arguments are clearly valid, and type and operation are supported.
 * A call with doubtful arguments goes to the MPI library unchanged, which reports its own errors.
 * All ranks decide the same, unless arguments are wrong on one rank only. */
#include "mpi/call/prepared.h"

#include <stdint.h>

#include "mpi/call/block_counts.h"
#include "mpi/call/native.h"
#include "mpi/handles/type_size.h"
#include "mpi/handles/predefined.h"
#include "util/memory.h"

static const struct allfold_traits *traits_of(const struct allfold_prepared *prepared)
{
    return allfold_traits(prepared->call.collective);
}

static bool holds(const struct allfold_prepared *prepared, enum allfold_holders holders)
{
    return allfold_is_holder(holders, prepared->state->rank == prepared->call.root);
}

/* NULL is also MPI_BOTTOM, which only a derived datatype gives a meaning. */
static bool is_missing(const void *buffer, size_t count, MPI_Datatype datatype)
{
    return buffer == NULL && count > 0 && allfold_known_type(datatype) != NULL;
}

/* Reads the counts of blocks of any lengths, and writes their offsets: in elements, or in bytes if
 * an element has `element_bytes` bytes. Returns false if a count is negative. */
static bool read_blocks(struct allfold_prepared *prepared, size_t element_bytes,
                        struct allfold_block_counts *read)
{
    const struct allfold_communicator *state = prepared->state;
    const size_t places = (size_t)state->size + 1;
    size_t *begins = prepared->blocks;
    if (!allfold_counts_read(&prepared->call, state->size, state->rank, begins, read))
        return false;
    for (size_t i = 0; i < places && element_bytes != 1; i++)
        begins[i] *= element_bytes;
    prepared->begins = read->are_alike || element_bytes == 0 ? NULL : begins;
    prepared->count = read->longest * element_bytes;
    return true;
}

/* How many elements of the program's types this rank has in each buffer of a reduction. */
struct reduced {
    size_t in, out;
};

static bool read_reduction(struct allfold_prepared *prepared, struct reduced *reduced)
{
    struct allfold_block_counts read;
    *reduced = (struct reduced){prepared->call.count, prepared->call.count};
    prepared->count = prepared->call.count;
    prepared->begins = NULL;
    if (prepared->call.counts == NULL)
        return true;
    if (!read_blocks(prepared, 1, &read))
        return false;
    *reduced = (struct reduced){read.total,
                                prepared->call.sendbuf == MPI_IN_PLACE ? read.total : read.own};
    return true;
}

/* Checks the buffers of a reduction. Returns false if they may be invalid. An exscan in place also
 * reads the receive buffer of rank 0, which has no result. */
static bool take_reduction(struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    const bool has_result = holds(prepared, traits_of(prepared)->out_holders);
    struct reduced count;
    if (!read_reduction(prepared, &count))
        return false;
    const bool reads_result = call->sendbuf == MPI_IN_PLACE && !has_result &&
                              traits_of(prepared)->prefix == ALLFOLD_BELOW_OWN;
    prepared->in_place = call->sendbuf == MPI_IN_PLACE && !reads_result;
    prepared->binding.in = reads_result ? call->recvbuf : call->sendbuf;
    prepared->binding.out = has_result ? call->recvbuf : NULL;
    if (prepared->in_place && !has_result)
        return false;
    if ((has_result || reads_result) &&
        (call->recvbuf == MPI_IN_PLACE || is_missing(call->recvbuf, count.out, call->datatype)))
        return false;
    if (has_result && call->sendbuf == call->recvbuf && count.out > 0) {
        prepared->in_place = true;
        return allfold_native_allows_same_buffer(call->collective);
    }
    return prepared->in_place || !is_missing(call->sendbuf, count.in, call->datatype);
}

/* Checks a buffer of data that is moved, and sets the number of bytes that it has in messages. */
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

/* Returns true only if send and receive buffers certainly overlap. The other ranks cannot see this
 * rank's addresses, so a false positive would make only this rank's call native and hang the job.
 * Elements of derived types need not be at the buffer's address, and blocks with displacements may
 * leave gaps there. */
static bool is_aliased(const struct allfold_prepared *prepared, const void *own)
{
    const struct allfold_call *call = &prepared->call;
    if (prepared->from.is_packed || !allfold_is_plain(call->datatype))
        return false;
    return call->sendbuf == own || (call->displacements == NULL && call->sendbuf == call->recvbuf);
}

/* Takes the send buffer, or with MPI_IN_PLACE this rank's block. If the result is unpacked later,
 * the input is packed into its place in the result, so the schedule runs in place. */
static bool take_send_buffer(struct allfold_prepared *prepared,
                             const struct allfold_block_counts *blocks, size_t own_bytes)
{
    const struct allfold_call *call = &prepared->call;
    MPI_Aint lower, extent;
    size_t bytes;
    if (PMPI_Type_get_extent(call->datatype, &lower, &extent) != MPI_SUCCESS)
        return false;
    void *own = allfold_address(call->recvbuf, blocks->begin * extent);
    prepared->in_place = call->sendbuf == MPI_IN_PLACE || prepared->to.is_packed;
    prepared->from.data = own;
    prepared->from.count = blocks->own;
    if (call->sendbuf == MPI_IN_PLACE)
        return true;
    prepared->binding.in = call->sendbuf;
    prepared->from = (struct allfold_side){.data = (void *)(uintptr_t)call->sendbuf,
                                           .count = call->send_count,
                                           .datatype = call->send_datatype};
    if (!look_at(&prepared->from, &bytes) || bytes != own_bytes)
        return false;
    return bytes == 0 || !is_aliased(prepared, own);
}

/* Finds each rank's block of recvbuf, also if all blocks have the same length. Returns false if it
 * may be invalid. */
static bool read_movement(struct allfold_prepared *prepared, struct allfold_block_counts *blocks)
{
    const struct allfold_call *call = &prepared->call;
    const struct allfold_communicator *state = prepared->state;
    const size_t rank = (size_t)state->rank, p = (size_t)state->size, n = call->count;
    MPI_Count bytes;
    prepared->begins = NULL;
    *blocks = (struct allfold_block_counts){.own = n, .longest = n, .total = n, .are_in_row = true};
    if (traits_of(prepared)->out_is_blocks) {
        blocks->total = p * n;
        blocks->begin = (ptrdiff_t)(rank * n);
    }
    return call->counts == NULL || (call->datatype != MPI_DATATYPE_NULL &&
                                    allfold_type_size(call->datatype, &bytes) == MPI_SUCCESS &&
                                    bytes >= 0 && read_blocks(prepared, (size_t)bytes, blocks));
}

static bool take_movement(struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    const struct allfold_traits *of = traits_of(prepared);
    struct allfold_block_counts blocks;
    size_t bytes;
    if (call->recvbuf == MPI_IN_PLACE || !read_movement(prepared, &blocks))
        return false;
    struct allfold_side all = {
        .data = call->recvbuf, .count = blocks.total, .datatype = call->datatype};
    if (!look_at(&all, &bytes))
        return false;
    const size_t element_bytes = blocks.total == 0 ? 0 : bytes / blocks.total;
    prepared->count = blocks.longest * element_bytes;
    prepared->binding.in = prepared->binding.out = call->recvbuf;
    prepared->from = prepared->to = all;
    prepared->from.is_packed &= holds(prepared, of->in_holders);
    prepared->to.is_packed &= holds(prepared, of->out_holders);
    prepared->to.is_packed |= !blocks.are_in_row;
    return !of->allows_in_place || take_send_buffer(prepared, &blocks, blocks.own * element_bytes);
}

/* Sets the tokens, whose only meaning is that a rank has arrived. */
static bool take_tokens(struct allfold_prepared *prepared)
{
    prepared->count = 1;
    prepared->binding.in = &prepared->tokens[0];
    prepared->binding.out = &prepared->tokens[1];
    return true;
}

bool allfold_prepared_describe(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    prepared->call = *call;
    return allfold_counts_keep(&prepared->call, &prepared->counts, &prepared->counts_bytes) &&
           allfold_begins_reserve(call, prepared->state->size, &prepared->blocks,
                                  &prepared->blocks_bytes);
}

bool allfold_prepared_take_buffers(struct allfold_prepared *prepared)
{
    const struct allfold_traits *of = traits_of(prepared);
    if (of->may_repeat)
        return take_tokens(prepared);
    return (of->reduces ? take_reduction : take_movement)(prepared);
}

static const char doubtful[] = "arguments";

bool allfold_is_doubtful(const char *why)
{
    return why == doubtful;
}

bool allfold_prepared_read(struct allfold_prepared *prepared, const char **why)
{
    const struct allfold_call *call = &prepared->call;
    prepared->begins = NULL;
    prepared->in_place = prepared->is_staged = false;
    prepared->from.is_packed = prepared->to.is_packed = false;
    *why = doubtful;
    if (call->root < 0 || call->root >= prepared->state->size ||
        !allfold_prepared_take_buffers(prepared))
        return false;
    *why = NULL;
    if (!allfold_has_operation(call->collective)) {
        allfold_operands_of_bytes(&prepared->operands);
        return true;
    }
    if (!allfold_operands_find(&prepared->operands, call->datatype, call->op)) {
        *why = "type and operation";
        return false;
    }
    prepared->operands.keeps_order =
        !prepared->operands.exact && prepared->reproducible != ALLFOLD_REPRODUCIBLE_OFF &&
        !allfold_sum_rounds_once(call, prepared->state, prepared->reproducible);
    return true;
}

bool allfold_prepared_lasts(const struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    const struct allfold_traits *of = traits_of(prepared);
    if (of->reduces)
        return prepared->operands.is_predefined;
    return allfold_is_plain(call->datatype) && !prepared->to.is_packed &&
           (!of->allows_in_place || prepared->in_place || allfold_is_plain(call->send_datatype));
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
struct allfold_shape_key allfold_prepared_key(const struct allfold_prepared *prepared)
{
    const struct allfold_operands *operands = &prepared->operands;
    const int blocks = prepared->begins == NULL ? 0 : prepared->state->size;
    return (struct allfold_shape_key){
        .collective = prepared->call.collective,
        .root = prepared->call.root,
        .count = prepared->count,
        .begins = prepared->begins,
        .begins_hash = hash_of(prepared->begins, blocks),
        .blocks = blocks,
        .element_bytes = operands->element_bytes,
        .commutative = operands->commutative,
        .exact = operands->exact,
        .canonical = operands->keeps_order,
        .in_place = prepared->in_place,
        .ours_only = operands->native_is_wrong || prepared->count == 0,
    };
}

/* Returns the bytes of the whole vector in messages, and the offset of this rank's own block. */
static size_t vector_bytes(const struct allfold_prepared *prepared, size_t *own_begin,
                           size_t *own_bytes)
{
    const struct allfold_communicator *state = prepared->state;
    const size_t rank = (size_t)state->rank;
    const bool has_blocks = traits_of(prepared)->out_is_blocks;
    *own_begin = has_blocks ? rank * prepared->count : 0;
    *own_bytes = prepared->count;
    if (prepared->begins != NULL) {
        *own_begin = prepared->begins[rank];
        *own_bytes = prepared->begins[rank + 1] - *own_begin;
        return prepared->begins[state->size];
    }
    return (has_blocks ? (size_t)state->size : 1) * prepared->count;
}

/* --- device memory --- */

size_t allfold_prepared_own_count(const struct allfold_prepared *prepared)
{
    const int rank = prepared->state->rank;
    return prepared->begins == NULL ? prepared->count
                                    : prepared->begins[rank + 1] - prepared->begins[rank];
}

static int stage_reduction(struct allfold_prepared *prepared)
{
    const struct allfold_communicator *state = prepared->state;
    const struct allfold_call *call = &prepared->call;
    const struct allfold_traits *of = traits_of(prepared);
    const struct allfold_operands *operands = &prepared->operands;
    const struct allfold_elements *elements = &operands->elements;
    const bool is_whole = elements->low_bytes == 0 &&
                          elements->high_bytes == elements->extent_bytes &&
                          (ptrdiff_t)operands->element_bytes == elements->extent_bytes;
    const bool has_gaps = !operands->is_predefined && !is_whole;
    const size_t p = of->in_is_blocks ? (size_t)state->size : 1;
    const size_t total =
        prepared->begins == NULL ? p * prepared->count : prepared->begins[state->size];
    const struct allfold_part_of_area all = {0, total}, none = {0, 0};
    struct allfold_area area;
    void *host;
    int error = MPI_SUCCESS;
    if (!prepared->in_place) {
        allfold_area_of_elements(&area, prepared->binding.in, total, elements, has_gaps,
                                 call->datatype);
        error = allfold_stage(&prepared->staging.in, &area, all, &host);
        prepared->binding.in = host;
    }
    if (error != MPI_SUCCESS || !holds(prepared, of->out_holders))
        return error;
    allfold_area_of_elements(&area, prepared->binding.out,
                             prepared->in_place ? total : allfold_prepared_own_count(prepared),
                             elements, has_gaps, call->datatype);
    error = allfold_stage(&prepared->staging.out, &area, prepared->in_place ? all : none, &host);
    prepared->binding.out = host;
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

static struct reach reach_of(const struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    struct reach reach = {0, (ptrdiff_t)prepared->to.count};
    bool is_empty = true;
    for (int i = 0; call->displacements != NULL && i < prepared->state->size; i++) {
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
static int stage_result(struct allfold_prepared *prepared, bool is_in_place)
{
    struct allfold_side *from = &prepared->from, *to = &prepared->to, side = *to;
    const struct reach reach = reach_of(prepared);
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
    const int error = stage_side(&prepared->staging.out, &side, own);
    prepared->binding.out = to->data = allfold_address(side.data, -reach.first * extent);
    if (is_in_place)
        from->data = allfold_address(to->data, own_bytes);
    return error;
}

static int stage_movement(struct allfold_prepared *prepared)
{
    const struct allfold_traits *of = traits_of(prepared);
    struct allfold_side *from = &prepared->from;
    const bool is_in_place = of->allows_in_place && prepared->call.sendbuf == MPI_IN_PLACE;
    int error = MPI_SUCCESS;
    if (holds(prepared, of->out_holders))
        error = stage_result(prepared, is_in_place);
    if (error != MPI_SUCCESS || is_in_place || !holds(prepared, of->in_holders))
        return error;
    error = stage_side(&prepared->staging.in, from, (struct allfold_part_of_area){0, from->count});
    prepared->binding.in = from->data;
    return error;
}

/* Sets the buffers to the program's, because the last run may have used others. */
static int stage(struct allfold_prepared *prepared)
{
    const struct allfold_traits *of = traits_of(prepared);
    struct allfold_staging *staging = &prepared->staging;
    if (prepared->is_staged)
        allfold_prepared_take_buffers(prepared);
    staging->in.place.driver = staging->out.place.driver = NULL;
    const int error = of->may_repeat ? MPI_SUCCESS
                      : of->reduces  ? stage_reduction(prepared)
                                     : stage_movement(prepared);
    prepared->is_staged = staging->in.place.driver != NULL || staging->out.place.driver != NULL;
    return error;
}

/* What a run has of a staged buffer, in its elements. Input in place is a part of the result. */
static struct allfold_feeding_part fed_input(const struct allfold_prepared *prepared)
{
    const struct allfold_staging *staging = &prepared->staging;
    const struct allfold_side *from = &prepared->from;
    const bool reduces = traits_of(prepared)->reduces;
    const struct allfold_staged *staged = prepared->in_place ? &staging->out : &staging->in;
    struct allfold_feeding_part part = {.host = prepared->in_place
                                                    ? prepared->binding.out
                                                    : (void *)(uintptr_t)prepared->binding.in,
                                        .buffer = prepared->in_place ? ALLFOLD_OUT : ALLFOLD_IN};
    size_t begin, own_bytes;
    if (staged->place.driver == NULL)
        return part;
    part.staged = staged;
    part.end = staged->copied.count;
    if (reduces)
        return part;
    vector_bytes(prepared, &begin, &own_bytes);
    part.first = prepared->in_place ? begin : 0;
    part.end = part.first + (from->count == 0 ? 0 : own_bytes);
    return part;
}

static struct allfold_feeding_part fed_result(const struct allfold_prepared *prepared)
{
    const struct allfold_staged *out = &prepared->staging.out;
    size_t begin, own_bytes;
    struct allfold_feeding_part part = {.host = prepared->binding.out, .buffer = ALLFOLD_OUT};
    if (out->place.driver == NULL)
        return part;
    part.staged = out;
    part.end = traits_of(prepared)->reduces ? allfold_prepared_own_count(prepared)
                                            : vector_bytes(prepared, &begin, &own_bytes);
    return part;
}

/* Elements that lie as they travel, one after the other. */
static bool may_be_fed(const struct allfold_prepared *prepared)
{
    const struct allfold_staging *staging = &prepared->staging;
    return (staging->in.place.driver == NULL || !staging->in.area.has_gaps) &&
           (staging->out.place.driver == NULL || !staging->out.area.has_gaps) &&
           !prepared->from.is_packed && !prepared->to.is_packed;
}

/* Copies the inputs, or begins to. An exact sum reads all of them at once. */
static int bring(struct allfold_prepared *prepared)
{
    if (prepared->entry != NULL && prepared->exact == NULL && may_be_fed(prepared))
        prepared->binding.feed = allfold_feeding_begin(
            &prepared->feeding, prepared->entry->schedule, &prepared->operands.elements,
            fed_input(prepared), fed_result(prepared));
    if (prepared->binding.feed != NULL)
        return MPI_SUCCESS;
    const int error = allfold_stage_copy(&prepared->staging.in);
    return error == MPI_SUCCESS ? allfold_stage_copy(&prepared->staging.out) : error;
}

/* Blocks that do not lie in a row go back one by one. */
static int stage_back(const struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    const struct allfold_staged *out = &prepared->staging.out;
    const struct reach reach = reach_of(prepared);
    int error = MPI_SUCCESS;
    if (traits_of(prepared)->reduces)
        return allfold_stage_back(
            out, (struct allfold_part_of_area){0, allfold_prepared_own_count(prepared)});
    if (call->displacements == NULL)
        return allfold_stage_back(out, (struct allfold_part_of_area){0, out->area.count});
    for (int i = 0; i < prepared->state->size && error == MPI_SUCCESS; i++) {
        const ptrdiff_t first = (ptrdiff_t)allfold_displacement_of(call, i) - reach.first;
        error = allfold_stage_back(
            out, (struct allfold_part_of_area){(size_t)first, (size_t)allfold_count_of(call, i)});
    }
    return error;
}

bool allfold_call_is_on_device(const struct allfold_call *call)
{
    if (call->displacements != NULL) /* no block may be at recvbuf: it is found out */
        return true;
    return (call->sendbuf != MPI_IN_PLACE && allfold_device_find(call->sendbuf).driver != NULL) ||
           allfold_device_find(call->recvbuf).driver != NULL;
}

/* --- packing --- */

/* The bytes in messages are in the program's buffer, or in memory of the prepared call. */
static int pack(struct allfold_prepared *prepared)
{
    const struct allfold_side *from = &prepared->from, *to = &prepared->to;
    size_t begin, own_bytes;
    const size_t bytes = vector_bytes(prepared, &begin, &own_bytes);
    if ((!from->is_packed && !to->is_packed) || prepared->count == 0)
        return MPI_SUCCESS;
    if (!allfold_reserve(&prepared->packed, &prepared->packed_bytes,
                         to->is_packed ? bytes : own_bytes))
        return MPI_ERR_NO_MEM;
    char *own = (char *)prepared->packed + (to->is_packed ? begin : 0);
    prepared->binding.in = own;
    if (to->is_packed)
        prepared->binding.out = prepared->packed;
    if (!holds(prepared, traits_of(prepared)->in_holders))
        return MPI_SUCCESS;
    return allfold_pack(from->data, from->count, from->datatype, own, own_bytes);
}

/* Copies each block to its displacement. */
static int unpack_blocks(const struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    const struct allfold_side *to = &prepared->to;
    const char *from = prepared->binding.out;
    MPI_Aint lower, extent;
    MPI_Count bytes;
    int error = PMPI_Type_get_extent(to->datatype, &lower, &extent);
    if (error == MPI_SUCCESS)
        error = allfold_type_size(to->datatype, &bytes);
    for (int i = 0; i < prepared->state->size && error == MPI_SUCCESS; i++) {
        const size_t count = (size_t)allfold_count_of(call, i);
        error = allfold_unpack(allfold_address(to->data, allfold_displacement_of(call, i) * extent),
                               count, to->datatype, from, count * (size_t)bytes);
        from += count * (size_t)bytes;
    }
    return error;
}

static int unpack(const struct allfold_prepared *prepared)
{
    const struct allfold_side *to = &prepared->to;
    size_t begin, own_bytes;
    if (!to->is_packed || prepared->count == 0)
        return MPI_SUCCESS;
    if (prepared->call.displacements != NULL)
        return unpack_blocks(prepared);
    return allfold_unpack(to->data, to->count, to->datatype, prepared->binding.out,
                          vector_bytes(prepared, &begin, &own_bytes));
}

void allfold_prepared_pack(struct allfold_prepared *prepared)
{
    int error = allfold_devices_may_be() ? stage(prepared) : MPI_SUCCESS;
    prepared->binding.feed = NULL;
    if (error == MPI_SUCCESS && prepared->is_staged)
        error = bring(prepared);
    prepared->binding.lost = error == MPI_SUCCESS ? pack(prepared) : error;
}

int allfold_prepared_unpack(struct allfold_prepared *prepared, int error)
{
    const bool was_fed = prepared->binding.feed != NULL;
    prepared->binding.feed = NULL;
    if (was_fed) {
        const int fed = allfold_feeding_end(prepared->feeding, error == MPI_SUCCESS);
        return error == MPI_SUCCESS ? fed : error;
    }
    if (error == MPI_SUCCESS)
        error = unpack(prepared);
    return error == MPI_SUCCESS && prepared->is_staged ? stage_back(prepared) : error;
}

/* --- memory --- */

void allfold_prepared_free(struct allfold_prepared *prepared)
{
    void **const memory[] = {&prepared->scratch, &prepared->packed, &prepared->blocks,
                             &prepared->counts, &prepared->operands.lowered};
    size_t *const bytes[] = {&prepared->scratch_bytes, &prepared->packed_bytes,
                             &prepared->blocks_bytes, &prepared->counts_bytes,
                             &prepared->operands.lowered_bytes};
    allfold_staging_free(&prepared->staging);
    allfold_feeding_free(&prepared->feeding);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        allfold_free(*memory[i]);
        *memory[i] = NULL;
        *bytes[i] = 0;
    }
}
