/* Exact sums (see exact.h, and kernels/exact.h for the numbers).
 *
 * A vector is cut into blocks. The ranks agree on what each block needs, by the greatest of their
 * needs. Each rank then writes its blocks as integers, which add in any order, and the sums are
 * rounded. So a call becomes two reductions of integers, which any algorithm serves.
 *
 * For short vectors the ranks guess that the needs are those of earlier ones, and count who finds
 * that wrong beside the sums. All ranks learn that count, so all go the longer way if it is not 0.
 *
 * Invariant: what is sent depends on the vector's length, the type, p and the agreed needs alone.
 */
#include "mpi/call/exact.h"

#include <string.h>

#include "kernels/exact.h"
#include "mpi/call/check.h"
#include "mpi/call/native.h"
#include "mpi/call/request.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

enum {
    BLOCK = 512,            /* numbers that share a format */
    SHORT = 16,             /* numbers of a vector whose needs are guessed */
    SHORT_LIMBS = 2,        /* of such a number */
    CHUNK_PLANES = 1 << 17, /* integers that are written, reduced and rounded at once */
    NEEDS = sizeof(struct allfold_exact_need) / sizeof(int16_t),
};
_Static_assert(sizeof(struct allfold_exact_need) == NEEDS * sizeof(int16_t), "no padding");

/* A sum, as numbers: a complex element is two. Its parts are the ranks' blocks of the result, or
 * one for all. */
struct sum {
    const struct allfold_call *call;
    struct allfold_communicator *state;
    struct allfold_exact *memory;
    allfold_serve_call *serve;
    struct allfold_request request;
    enum allfold_type type; /* of the numbers */
    size_t number_bytes, per_element;
    int parts;
    struct allfold_exact_need *needs; /* of each block */
};

/* Numbers of one part that share a format. */
struct block {
    size_t index, first, n;
    int part;
};

static const struct block before_first = {.index = SIZE_MAX};

static size_t begin_of(const struct sum *sum, int part)
{
    const struct allfold_request *request = &sum->request;
    const size_t elements =
        request->begins != NULL ? request->begins[part] : (size_t)part * request->count;
    return elements * sum->per_element;
}

static bool next_block(const struct sum *sum, struct block *block)
{
    block->index++;
    block->first += block->n;
    while (block->first == begin_of(sum, block->part + 1))
        if (++block->part == sum->parts)
            return false;
    const size_t rest = begin_of(sum, block->part + 1) - block->first;
    block->n = rest < BLOCK ? rest : BLOCK;
    return true;
}

static size_t count_blocks(const struct sum *sum)
{
    struct block block = before_first;
    while (next_block(sum, &block))
        ;
    return block.index;
}

static struct allfold_exact_format format_of(const struct sum *sum, const struct block *block)
{
    return allfold_exact_format(&sum->needs[block->index], sum->state->size);
}

static size_t planes_of(const struct sum *sum, const struct block *block)
{
    const struct allfold_exact_format format = format_of(sum, block);
    return block->n * allfold_exact_planes(&format);
}

static const char *input_of(const struct sum *sum, const struct block *block)
{
    const struct allfold_request *request = &sum->request;
    return (const char *)(request->in_place ? request->out : request->in) +
           block->first * sum->number_bytes;
}

static bool has_result(const struct sum *sum)
{
    const struct allfold_communicator *state = sum->state;
    return allfold_is_holder(allfold_traits(sum->call->collective)->out_holders,
                             state->rank == sum->call->root) &&
           allfold_contributors(sum->call->collective, state->size, state->rank) > 0;
}

/* --- what the blocks need --- */

static int agree(struct sum *sum)
{
    struct block block = before_first;
    while (next_block(sum, &block))
        sum->needs[block.index] = allfold_exact_look(sum->type, input_of(sum, &block), block.n);
    const struct allfold_call greatest = allfold_describe_reduction(
        ALLFOLD_ALLREDUCE, MPI_IN_PLACE, sum->needs, (ptrdiff_t)(NEEDS * block.index), MPI_INT16_T,
        MPI_MAX, 0, sum->call->comm);
    return sum->serve(sum->state, &greatest);
}

static int find_needs(struct sum *sum)
{
    struct allfold_exact *memory = sum->memory;
    if (!allfold_reserve(&memory->needs, &memory->needs_bytes,
                         count_blocks(sum) * sizeof *sum->needs))
        return allfold_raise(sum->call->comm, MPI_ERR_NO_MEM);
    sum->needs = memory->needs;
    return agree(sum);
}

/* --- chunks: blocks whose integers are reduced at once --- */

struct chunk {
    struct block before; /* the last one before it */
    size_t blocks, planes;
};

/* The blocks after `from`. Parts are not cut, as their results are different ranks'. */
static struct chunk chunk_after(const struct sum *sum, struct block from)
{
    struct chunk chunk = {.before = from};
    struct block block = from;
    while (next_block(sum, &block)) {
        const size_t planes = planes_of(sum, &block);
        if (sum->parts == 1 && chunk.blocks > 0 && chunk.planes + planes > CHUNK_PLANES)
            break;
        chunk.blocks++;
        chunk.planes += planes;
    }
    return chunk;
}

/* The integers of each part; the chunk is whole then. */
static void count_parts(const struct sum *sum, size_t *counts)
{
    struct block block = before_first;
    memset(counts, 0, (size_t)sum->parts * sizeof *counts);
    while (next_block(sum, &block))
        counts[block.part] += planes_of(sum, &block);
}

static int reduce_planes(const struct sum *sum, const struct chunk *chunk)
{
    const struct allfold_call *call = sum->call;
    struct allfold_exact *memory = sum->memory;
    const bool is_root = call->root == sum->state->rank || call->collective != ALLFOLD_REDUCE;
    if (chunk->planes == 0)
        return MPI_SUCCESS;
    struct allfold_call added = allfold_describe_reduction(
        call->collective, is_root ? MPI_IN_PLACE : memory->planes, is_root ? memory->planes : NULL,
        (ptrdiff_t)chunk->planes, MPI_INT64_T, MPI_SUM, call->root, call->comm);
    if (sum->parts > 1) {
        count_parts(sum, memory->counts);
        added = allfold_describe_reduce_scatter(MPI_IN_PLACE, memory->planes, memory->counts, true,
                                                MPI_INT64_T, MPI_SUM, call->comm);
    }
    return sum->serve(sum->state, &added);
}

static void encode(const struct sum *sum, const struct chunk *chunk)
{
    struct block block = chunk->before;
    int64_t *planes = sum->memory->planes;
    for (size_t i = 0; i < chunk->blocks && next_block(sum, &block); i++) {
        const struct allfold_exact_format format = format_of(sum, &block);
        allfold_exact_encode(sum->type, &format, planes, input_of(sum, &block), block.n);
        planes += planes_of(sum, &block);
    }
}

/* Rounds this rank's results, if it has any. */
static void decode(const struct sum *sum, const struct chunk *chunk)
{
    const struct allfold_communicator *state = sum->state;
    struct block block = chunk->before;
    int64_t *planes = sum->memory->planes;
    for (size_t i = 0; i < chunk->blocks && next_block(sum, &block) && has_result(sum); i++) {
        if (sum->parts > 1 && block.part != state->rank)
            continue;
        const struct allfold_exact_format format = format_of(sum, &block);
        const size_t at = block.first - begin_of(sum, sum->parts > 1 ? block.part : 0);
        allfold_exact_decode(sum->type, &format, (char *)sum->request.out + at * sum->number_bytes,
                             planes, block.n);
        planes += planes_of(sum, &block);
    }
}

static int add_chunk(const struct sum *sum, const struct chunk *chunk)
{
    struct allfold_exact *memory = sum->memory;
    if (!allfold_reserve(&memory->planes, &memory->planes_bytes, chunk->planes * sizeof(int64_t)) ||
        !allfold_reserve(&memory->counts, &memory->counts_bytes,
                         (size_t)sum->parts * sizeof(size_t)))
        return allfold_raise(sum->call->comm, MPI_ERR_NO_MEM);
    encode(sum, chunk);
    const int error = reduce_planes(sum, chunk);
    if (error == MPI_SUCCESS)
        decode(sum, chunk);
    return error;
}

/* --- short vectors --- */

/* An allreduce tells all ranks who guessed wrong, and serves a reduce, too. */
static bool may_guess(const struct sum *sum)
{
    const enum allfold_collective collective = sum->call->collective;
    return begin_of(sum, sum->parts) <= SHORT &&
           (collective == ALLFOLD_ALLREDUCE || collective == ALLFOLD_REDUCE);
}

static struct allfold_exact_need *guess_of(const struct sum *sum)
{
    return &sum->memory->guess[sum->type == ALLFOLD_FLOAT];
}

/* Makes the guess as wide as its limbs; more than half of what is to spare is for small numbers. */
static void widen(const struct sum *sum, struct allfold_exact_need need)
{
    static const struct allfold_exact_need any = {.top = 1};
    const int bits = SHORT_LIMBS * allfold_exact_format(&any, sum->state->size).limb_bits;
    const int spare = bits - need.top - need.depth;
    if (spare < 0)
        return;
    *guess_of(sum) = (struct allfold_exact_need){
        .top = (int16_t)(need.top + spare / 3), .depth = (int16_t)(need.depth + spare - spare / 3)};
}

/* After a wrong guess: what this vector and the ones before needed, or this one alone. */
static void learn(const struct sum *sum)
{
    const struct allfold_exact_need *guess = guess_of(sum), need = sum->needs[0];
    const struct allfold_exact_need both = {.top = guess->top > need.top ? guess->top : need.top,
                                            .depth = guess->depth > need.depth ? guess->depth
                                                                               : need.depth};
    if (need.top == INT16_MIN)
        return;
    widen(sum, need);
    widen(sum, both);
}

static bool needs_no_more(const struct allfold_exact_need *need,
                          const struct allfold_exact_need *guess)
{
    return need->top <= guess->top && need->depth <= guess->depth && !need->has_specials;
}

/* Adds a short vector as the ranks guess, and says whether all guessed right. */
static int add_guessed(const struct sum *sum, bool *all_are_right)
{
    const struct block block = {.n = begin_of(sum, sum->parts)};
    const struct allfold_exact_need *guess = guess_of(sum);
    int64_t planes[SHORT * SHORT_LIMBS + 1];
    if (guess->top == 0 && guess->depth == 0)
        widen(sum, (struct allfold_exact_need){.top = 1, .depth = 1});
    const struct allfold_exact_format format = allfold_exact_format(guess, sum->state->size);
    const size_t length = allfold_exact_planes(&format) * block.n;
    const char *numbers = input_of(sum, &block);
    const struct allfold_exact_need need = allfold_exact_look(sum->type, numbers, block.n);
    assert(format.limbs == SHORT_LIMBS && !format.has_specials);
    planes[length] = !needs_no_more(&need, guess);
    if (planes[length] == 0)
        allfold_exact_encode(sum->type, &format, planes, numbers, block.n);
    else
        memset(planes, 0, length * sizeof *planes);
    const struct allfold_call added =
        allfold_describe_reduction(ALLFOLD_ALLREDUCE, MPI_IN_PLACE, planes, (ptrdiff_t)length + 1,
                                   MPI_INT64_T, MPI_SUM, 0, sum->call->comm);
    const int error = sum->serve(sum->state, &added);
    *all_are_right = error == MPI_SUCCESS && planes[length] == 0;
    if (*all_are_right && has_result(sum))
        allfold_exact_decode(sum->type, &format, sum->request.out, planes, block.n);
    return error;
}

static int add_all(struct sum *sum)
{
    bool is_added = false;
    if (begin_of(sum, sum->parts) == 0)
        return MPI_SUCCESS;
    int error = may_guess(sum) ? add_guessed(sum, &is_added) : MPI_SUCCESS;
    if (is_added || error != MPI_SUCCESS)
        return error;
    error = find_needs(sum);
    if (error == MPI_SUCCESS && may_guess(sum))
        learn(sum);
    struct chunk chunk = {.before = before_first};
    for (struct block last = before_first; error == MPI_SUCCESS;) {
        chunk = chunk_after(sum, last);
        if (chunk.blocks == 0)
            break;
        error = add_chunk(sum, &chunk);
        for (size_t i = 0; i < chunk.blocks; i++)
            next_block(sum, &last);
    }
    return error;
}

/* --- the call --- */

/* A request that keeps apart from those of the calls which serve it. */
static struct allfold_request request_of(const struct allfold_call *call,
                                         struct allfold_communicator *state)
{
    struct allfold_exact *memory = &allfold_caller_of(state)->exact;
    memory->operands.comm = state->carrier.comm;
    return (struct allfold_request){.call = call,
                                    .state = state,
                                    .operands = &memory->operands,
                                    .packed = &memory->packed,
                                    .packed_bytes = &memory->packed_bytes,
                                    .blocks = &memory->begins,
                                    .blocks_bytes = &memory->begins_bytes,
                                    .staging = &memory->staging};
}

/* Reads the call. False where it is no sum of floating point, or not clearly right. */
static bool read_sum(struct sum *sum)
{
    const char *why;
    if (!allfold_request_read(&sum->request, &why))
        return false;
    const struct allfold_operands *operands = sum->request.operands;
    if (operands->kernel == NULL || operands->operation != ALLFOLD_SUM)
        return false;
    sum->type = allfold_exact_numbers(operands->type);
    if (sum->type == ALLFOLD_TYPE_COUNT)
        return false;
    sum->number_bytes = allfold_type_bytes(sum->type);
    sum->per_element = operands->element_bytes / sum->number_bytes;
    sum->parts = allfold_traits(sum->call->collective)->in_is_blocks ? sum->state->size : 1;
    return true;
}

static int serve_sum(struct sum *sum)
{
    struct allfold_communicator *state = sum->state;
    int error = state->is_watched && state->agreed.settings->common.check
                    ? allfold_check_call(state, sum->call, ALLFOLD_BLOCKING)
                    : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    error = allfold_request_pack(&sum->request);
    if (error == MPI_SUCCESS) {
        error = add_all(sum);
        if (error != MPI_SUCCESS)
            return error; /* raised already */
        error = allfold_request_unpack(&sum->request);
    }
    return error == MPI_SUCCESS ? error : allfold_raise(sum->call->comm, error);
}

bool allfold_exact_serve(const struct allfold_call *call, struct allfold_communicator *state,
                         allfold_serve_call *serve, int *error)
{
    if (!allfold_communicator_is_exact(state) || !allfold_has_operation(call->collective) ||
        state->carrier.comm == MPI_COMM_NULL || state->size == 1 ||
        state->size > ALLFOLD_EXACT_TERMS || allfold_caller_of(state)->exact.is_busy)
        return false;
    struct sum sum = {.call = call,
                      .state = state,
                      .memory = &allfold_caller_of(state)->exact,
                      .serve = serve,
                      .request = request_of(call, state)};
    if (!read_sum(&sum))
        return false;
    sum.memory->is_busy = true;
    *error = serve_sum(&sum);
    sum.memory->is_busy = false;
    return true;
}

void allfold_exact_free(struct allfold_exact *exact)
{
    allfold_staging_free(&exact->staging);
    allfold_free(exact->operands.lowered);
    allfold_free(exact->packed);
    allfold_free(exact->begins);
    allfold_free(exact->needs);
    allfold_free(exact->counts);
    allfold_free(exact->planes);
    *exact = (struct allfold_exact){.packed = NULL};
}
