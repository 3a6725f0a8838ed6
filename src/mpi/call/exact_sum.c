/* The steps of an exact sum (see exact_sum.h). */
#include "mpi/call/exact_sum.h"

#include <assert.h>
#include <string.h>

#include "mpi/call/native.h"
#include "mpi/handles/predefined.h"
#include "util/memory.h"

enum {
    BLOCK = 512, /* numbers that share a format */
    SEGMENT = BLOCK * ALLFOLD_EXACT_BLOCKS,
    MOST_PLANES = 1 << 17, /* integers of a round, and one more for each part */
    HAS_FAILED = 2,        /* in place of `has_specials` */
    NEEDS = sizeof(struct allfold_exact_need) / sizeof(int16_t),
};
_Static_assert(sizeof(struct allfold_exact_need) == NEEDS * sizeof(int16_t), "no padding");

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t greatest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t divide_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* --- what is where --- */

static int size_of(const struct allfold_exact_sum *sum)
{
    return sum->prepared->state->size;
}

static size_t begin_of(const struct allfold_exact_sum *sum, int part)
{
    const struct allfold_prepared *prepared = sum->prepared;
    const size_t elements =
        prepared->begins != NULL ? prepared->begins[part] : (size_t)part * prepared->count;
    return elements * sum->per_element;
}

static size_t numbers_of(const struct allfold_exact_sum *sum, int part)
{
    return begin_of(sum, part + 1) - begin_of(sum, part);
}

/* Numbers of the vector, of all parts. */
static size_t length_of(const struct allfold_exact_sum *sum)
{
    return begin_of(sum, sum->parts);
}

/* Numbers of the longest segment: each has as much of every part, but for one number. */
static size_t segment_length(const struct allfold_exact_sum *sum)
{
    size_t length = 0;
    for (int i = 0; i < sum->parts; i++)
        length += divide_up(numbers_of(sum, i), sum->segments);
    return length;
}

/* Numbers of one part that share a format. */
struct piece {
    size_t first, n, block;
};

/* Goes on to a part's numbers of the segment. */
static void enter(const struct allfold_exact_sum *sum, struct allfold_exact_walk *walk, int part)
{
    const size_t n = numbers_of(sum, part), s = sum->segment;
    const size_t each = n / sum->segments, rest = n % sum->segments;
    walk->first = begin_of(sum, part) + each * s + least(s, rest);
    walk->end = walk->first + each + (s < rest);
}

static bool next_piece(const struct allfold_exact_sum *sum, struct allfold_exact_walk *walk,
                       struct piece *piece)
{
    if (walk->first == walk->end)
        return false;
    piece->first = walk->first;
    piece->block = walk->at / sum->block;
    piece->n = least(walk->end - walk->first, (piece->block + 1) * sum->block - walk->at);
    assert(piece->block < ALLFOLD_EXACT_BLOCKS);
    walk->first += piece->n;
    walk->at += piece->n;
    return true;
}

static struct allfold_exact_format format_of(const struct allfold_exact_sum *sum,
                                             const struct piece *piece)
{
    return allfold_exact_format(&sum->needs[piece->block], size_of(sum));
}

static const char *input_of(const struct allfold_exact_sum *sum, size_t number)
{
    const struct allfold_prepared *prepared = sum->prepared;
    return (const char *)(prepared->in_place ? prepared->binding.out : prepared->binding.in) +
           number * sum->number_bytes;
}

/* In place, blocks of the input are in the memory of this rank's result. */
static bool sets_aside(const struct allfold_exact_sum *sum)
{
    return sum->parts > 1 && sum->prepared->in_place;
}

static char *output_of(const struct allfold_exact_sum *sum, size_t number)
{
    return (char *)(sets_aside(sum) ? sum->memory->results : sum->prepared->binding.out) +
           (number - begin_of(sum, sum->own)) * sum->number_bytes;
}

/* --- describing a sum --- */

bool allfold_exact_is_wanted(const struct allfold_call *call,
                             const struct allfold_communicator *state,
                             enum allfold_reproducible mode)
{
    return allfold_reproducible_is_exact(mode) && state->size > 2 &&
           state->size <= ALLFOLD_EXACT_TERMS && allfold_adds_floating_point(call);
}

bool allfold_exact_describe(struct allfold_exact_sum *sum, const struct allfold_prepared *prepared,
                            struct allfold_exact_memory *memory)
{
    const struct allfold_operands *operands = &prepared->operands;
    const struct allfold_communicator *state = prepared->state;
    const enum allfold_collective collective = prepared->call.collective;
    if (operands->kernel == NULL || operands->operation != ALLFOLD_SUM)
        return false;
    sum->type = allfold_exact_numbers(operands->type);
    if (sum->type == ALLFOLD_TYPE_COUNT)
        return false;
    sum->prepared = prepared;
    sum->memory = memory;
    sum->number_bytes = allfold_type_bytes(sum->type);
    sum->per_element = operands->element_bytes / sum->number_bytes;
    sum->parts = allfold_traits(collective)->in_is_blocks ? state->size : 1;
    sum->own = sum->parts > 1 ? state->rank : 0;
    sum->has_result = allfold_is_holder(allfold_traits(collective)->out_holders,
                                        state->rank == prepared->call.root) &&
                      allfold_contributors(collective, state->size, state->rank) > 0;
    sum->is_fixed = false;
    sum->lost = MPI_SUCCESS;
    sum->segment = sum->round = sum->carried = 0;
    sum->segments = greatest(divide_up(length_of(sum), SEGMENT), 1);
    sum->block = greatest(divide_up(segment_length(sum), ALLFOLD_EXACT_BLOCKS), BLOCK);
    return true;
}

/* --- memory --- */

static size_t *counts_of(const struct allfold_exact_sum *sum)
{
    return sum->parts > 1 ? sum->memory->counts : (size_t *)&sum->single;
}

/* Returns the maximum number of integers that are carried from round to round. */
static size_t most_carried(const struct allfold_exact_sum *sum, size_t most)
{
    return most * least(sum->block, segment_length(sum));
}

/* Rounds whose shape is fixed have an integer for each number of the segment. */
static void fix_rounds(struct allfold_exact_sum *sum)
{
    sum->window = segment_length(sum);
    for (int i = 0; i < sum->parts; i++)
        counts_of(sum)[i] = divide_up(numbers_of(sum, i), sum->segments);
}

bool allfold_exact_reserve(struct allfold_exact_sum *sum)
{
    struct allfold_exact_memory *memory = sum->memory;
    const struct allfold_exact_need any = allfold_exact_any(sum->type);
    const struct allfold_exact_format widest = allfold_exact_format(&any, size_of(sum));
    const size_t most = allfold_exact_planes(&widest), length = segment_length(sum);
    const size_t parts = (size_t)sum->parts;
    const size_t window = (sum->is_fixed ? length : least(most * length, MOST_PLANES)) + parts;
    const size_t mine = most_carried(sum, most) + window;
    const bool has_memory =
        allfold_reserve(&memory->planes, &memory->planes_bytes,
                        (mine + (sum->parts > 1 ? window : 0)) * sizeof(int64_t)) &&
        (sum->parts == 1 ||
         allfold_reserve(&memory->counts, &memory->counts_bytes, parts * sizeof(size_t))) &&
        (!sets_aside(sum) || allfold_reserve(&memory->results, &memory->results_bytes,
                                             numbers_of(sum, sum->own) * sum->number_bytes));
    if (!has_memory && sum->lost == MPI_SUCCESS)
        sum->lost = MPI_ERR_NO_MEM;
    if (has_memory && sum->is_fixed)
        fix_rounds(sum);
    return has_memory;
}

void allfold_exact_memory_free(struct allfold_exact_memory *memory)
{
    allfold_free(memory->planes);
    allfold_free(memory->counts);
    allfold_free(memory->results);
    *memory = (struct allfold_exact_memory){.planes = NULL};
}

/* Integers of this rank's part: those carried, followed by those of the round. */
static int64_t *mine_of(const struct allfold_exact_sum *sum)
{
    return sum->memory->planes;
}

/* What this rank adds in a round. */
static int64_t *window_of(const struct allfold_exact_sum *sum)
{
    int64_t *mine = mine_of(sum);
    if (sum->parts == 1)
        return mine + sum->carried;
    return mine + sum->memory->planes_bytes / sizeof *mine - sum->window;
}

/* --- what the blocks need --- */

static void look(struct allfold_exact_sum *sum)
{
    struct allfold_exact_walk walk = {.at = 0};
    struct piece piece;
    for (size_t i = 0; i * sum->block < segment_length(sum); i++)
        sum->needs[i] = (struct allfold_exact_need){INT16_MIN, INT16_MIN, 0};
    for (int i = 0; i < sum->parts && sum->lost == MPI_SUCCESS; i++) {
        enter(sum, &walk, i);
        while (next_piece(sum, &walk, &piece))
            allfold_exact_widen(&sum->needs[piece.block],
                                allfold_exact_look(sum->type, input_of(sum, piece.first), piece.n));
    }
    if (sum->lost != MPI_SUCCESS)
        sum->needs[0].has_specials = HAS_FAILED;
}

static struct allfold_call needs_call(struct allfold_exact_sum *sum)
{
    const size_t blocks = divide_up(segment_length(sum), sum->block);
    return allfold_describe_reduction(ALLFOLD_ALLREDUCE, MPI_IN_PLACE, sum->needs,
                                      (ptrdiff_t)(NEEDS * blocks), MPI_INT16_T, MPI_MAX, 0,
                                      sum->prepared->call.comm);
}

static struct allfold_call confirm_call(struct allfold_exact_sum *sum)
{
    return allfold_describe_reduction(ALLFOLD_ALLREDUCE, MPI_IN_PLACE, &sum->stops, 1, MPI_INT16_T,
                                      MPI_MAX, 0, sum->prepared->call.comm);
}

/* --- rounds --- */

/* The integers of a part of the segment, of which `walk` stands before. */
static size_t planes_of(const struct allfold_exact_sum *sum, struct allfold_exact_walk *walk,
                        int part)
{
    struct piece piece;
    size_t planes = 0;
    enter(sum, walk, part);
    while (next_piece(sum, walk, &piece)) {
        const struct allfold_exact_format format = format_of(sum, &piece);
        planes += piece.n * allfold_exact_planes(&format);
    }
    return planes;
}

/* Sets the number of rounds of the segment, and the number of integers of each part in a round. */
static void cut(struct allfold_exact_sum *sum)
{
    struct allfold_exact_walk walk = {.at = 0};
    size_t *counts = counts_of(sum), total = 0;
    sum->rounds = 0;
    for (int i = 0; i < sum->parts; i++) {
        if (i == sum->own) {
            sum->to_round.at = walk.at;
            enter(sum, &sum->to_round, i);
        }
        const size_t planes = planes_of(sum, &walk, i);
        total += planes;
        if (!sum->is_fixed)
            counts[i] = planes;
        else if (planes > 0)
            sum->rounds = greatest(sum->rounds, divide_up(planes, counts[i]));
    }
    if (sum->is_fixed)
        return;
    sum->rounds = divide_up(total, MOST_PLANES);
    sum->window = 0;
    for (int i = 0; i < sum->parts && total > 0; i++)
        sum->window += counts[i] = divide_up(counts[i], sum->rounds);
}

/* A part of the window: what of the part's integers is from `from` on. */
static void fill_part(const struct allfold_exact_sum *sum, struct allfold_exact_walk *walk,
                      int part, int64_t *to, size_t count)
{
    const size_t from = sum->round * count, end = from + count;
    size_t at = 0, written = 0;
    struct piece piece;
    enter(sum, walk, part);
    while (next_piece(sum, walk, &piece)) {
        const struct allfold_exact_format format = format_of(sum, &piece);
        for (int k = 0; k < (int)allfold_exact_planes(&format); k++, at += piece.n) {
            const size_t first = greatest(at, from), last = least(at + piece.n, end);
            if (first >= last)
                continue;
            allfold_exact_encode_plane(sum->type, &format, k, to + (first - from),
                                       input_of(sum, piece.first + (first - at)), last - first);
            written = last - from;
        }
    }
    memset(to + written, 0, (count - written) * sizeof *to);
}

static void fill(const struct allfold_exact_sum *sum)
{
    struct allfold_exact_walk walk = {.at = 0};
    int64_t *to = window_of(sum);
    for (int i = 0; i < sum->parts; i++) {
        fill_part(sum, &walk, i, to, counts_of(sum)[i]);
        to += counts_of(sum)[i];
    }
}

static struct allfold_call planes_call(const struct allfold_exact_sum *sum)
{
    const struct allfold_call *call = &sum->prepared->call;
    int64_t *window = window_of(sum), *mine = mine_of(sum) + sum->carried;
    if (sum->parts > 1)
        return allfold_describe_reduce_scatter(window, mine, counts_of(sum), true, MPI_INT64_T,
                                               MPI_SUM, call->comm);
    const bool is_root =
        call->collective != ALLFOLD_REDUCE || call->root == sum->prepared->state->rank;
    return allfold_describe_reduction(call->collective, is_root ? MPI_IN_PLACE : window,
                                      is_root ? window : NULL, (ptrdiff_t)sum->window, MPI_INT64_T,
                                      MPI_SUM, call->root, call->comm);
}

/* Rounds the blocks of which this rank has all integers, after it received some more. */
static void round_blocks(struct allfold_exact_sum *sum, size_t received)
{
    if (!sum->has_result || sum->lost != MPI_SUCCESS)
        return;
    int64_t *mine = mine_of(sum);
    const size_t have = sum->carried + received;
    size_t used = 0;
    struct allfold_exact_walk walk = sum->to_round;
    struct piece piece;
    while (next_piece(sum, &walk, &piece)) {
        const struct allfold_exact_format format = format_of(sum, &piece);
        const size_t planes = piece.n * allfold_exact_planes(&format);
        if (planes > have - used)
            break;
        allfold_exact_decode(sum->type, &format, output_of(sum, piece.first), mine + used, piece.n);
        used += planes;
        sum->to_round = walk;
    }
    sum->carried = sum->to_round.first == sum->to_round.end ? 0 : have - used;
    memmove(mine, mine + used, sum->carried * sizeof *mine);
}

/* --- short vectors --- */

/* Returns how many numbers a rank contributes to the gather: its vector, and one number whose bytes
 * are not 0 if the rank has lost its vector. */
static size_t given(const struct allfold_exact_sum *sum)
{
    return length_of(sum) + 1;
}

static bool is_short(const struct allfold_exact_sum *sum)
{
    return given(sum) <= sizeof *sum->gathered / sum->number_bytes / (size_t)size_of(sum);
}

static enum allfold_exact_step begin_gather(struct allfold_exact_sum *sum)
{
    const size_t bytes = length_of(sum) * sum->number_bytes,
                 stride = given(sum) * sum->number_bytes;
    const bool has_lost = sum->lost != MPI_SUCCESS;
    char *to = sum->gathered->bytes + (size_t)sum->prepared->state->rank * stride;
    if (has_lost)
        memset(to, 0, bytes);
    else
        memcpy(to, input_of(sum, 0), bytes);
    memset(to + bytes, has_lost, sum->number_bytes);
    return sum->step = ALLFOLD_EXACT_GATHER;
}

static struct allfold_call gather_call(const struct allfold_exact_sum *sum)
{
    return allfold_describe_allgather(MPI_IN_PLACE, 0, MPI_BYTE, sum->gathered->bytes,
                                      (ptrdiff_t)(given(sum) * sum->number_bytes), MPI_BYTE,
                                      sum->prepared->call.comm);
}

/* Adds what this rank gets, unless any rank has lost its vector. */
static enum allfold_exact_step end_gather(struct allfold_exact_sum *sum)
{
    const struct allfold_prepared *prepared = sum->prepared;
    const size_t bytes = sum->number_bytes, stride = given(sum) * bytes;
    const size_t n = sum->has_result ? numbers_of(sum, sum->own) : 0;
    const char *all = sum->gathered->bytes;
    for (int i = 1; i <= size_of(sum) && sum->lost == MPI_SUCCESS; i++)
        if (all[(size_t)i * stride - 1] != 0)
            sum->lost = MPI_ERR_OTHER;
    if (n > 0 && sum->lost == MPI_SUCCESS)
        allfold_exact_add(
            sum->type, prepared->binding.out, all + begin_of(sum, sum->own) * bytes, stride,
            allfold_contributors(prepared->call.collective, size_of(sum), prepared->state->rank),
            n);
    return sum->step = ALLFOLD_EXACT_END;
}

/* --- the steps --- */

static enum allfold_exact_step end(struct allfold_exact_sum *sum)
{
    const size_t bytes = numbers_of(sum, sum->own) * sum->number_bytes;
    if (sets_aside(sum) && bytes > 0 && sum->lost == MPI_SUCCESS)
        memcpy(sum->prepared->binding.out, sum->memory->results, bytes);
    return sum->step = ALLFOLD_EXACT_END;
}

static enum allfold_exact_step begin_segment(struct allfold_exact_sum *sum)
{
    sum->round = sum->carried = 0;
    if (sum->segment == sum->segments)
        return end(sum);
    look(sum);
    return sum->step = ALLFOLD_EXACT_NEEDS;
}

static enum allfold_exact_step begin_round(struct allfold_exact_sum *sum)
{
    if (sum->round == sum->rounds) {
        sum->segment++;
        return begin_segment(sum);
    }
    fill(sum);
    return sum->step = ALLFOLD_EXACT_PLANES;
}

enum allfold_exact_step allfold_exact_first(struct allfold_exact_sum *sum)
{
    const bool is_empty = length_of(sum) == 0;
    if (!sum->is_fixed && !is_empty && is_short(sum))
        return begin_gather(sum);
    if (!sum->is_fixed && !is_empty)
        allfold_exact_reserve(sum);
    sum->segment = is_empty ? sum->segments : 0;
    return begin_segment(sum);
}

struct allfold_call allfold_exact_call(struct allfold_exact_sum *sum, enum allfold_exact_step step)
{
    assert(step < ALLFOLD_EXACT_END);
    return step == ALLFOLD_EXACT_NEEDS     ? needs_call(sum)
           : step == ALLFOLD_EXACT_CONFIRM ? confirm_call(sum)
           : step == ALLFOLD_EXACT_PLANES  ? planes_call(sum)
                                           : gather_call(sum);
}

/* Who has failed knows nothing of the rounds, and stops. */
static enum allfold_exact_step begin_confirm(struct allfold_exact_sum *sum)
{
    if (sum->lost == MPI_SUCCESS && sum->needs[0].has_specials == HAS_FAILED)
        sum->lost = MPI_ERR_OTHER;
    sum->stops = sum->lost != MPI_SUCCESS;
    return sum->step = ALLFOLD_EXACT_CONFIRM;
}

static enum allfold_exact_step begin_rounds(struct allfold_exact_sum *sum, bool stops)
{
    if (stops) {
        sum->lost = sum->lost != MPI_SUCCESS ? sum->lost : MPI_ERR_OTHER;
        return sum->step = ALLFOLD_EXACT_END;
    }
    cut(sum);
    round_blocks(sum, 0);
    return begin_round(sum);
}

static enum allfold_exact_step end_round(struct allfold_exact_sum *sum)
{
    round_blocks(sum, counts_of(sum)[sum->own]);
    sum->round++;
    return begin_round(sum);
}

enum allfold_exact_step allfold_exact_next(struct allfold_exact_sum *sum, int error)
{
    const bool had_failed = sum->lost != MPI_SUCCESS;
    if (!had_failed)
        sum->lost = error;
    switch (sum->step) {
    case ALLFOLD_EXACT_NEEDS:
        return begin_confirm(sum);
    case ALLFOLD_EXACT_CONFIRM:
        return begin_rounds(sum, error == MPI_SUCCESS ? sum->stops != 0 : had_failed);
    case ALLFOLD_EXACT_PLANES:
        return end_round(sum);
    default:
        return end_gather(sum);
    }
}
