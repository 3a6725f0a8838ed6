/* Reads traces (see trace_reader.h). */
#include "events/trace_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/trace_code.h"
#include "util/memory.h"

struct reading {
    const char *path;
    FILE *file;
    long at; /* where the record begins */
    struct allfold_trace_file *trace;
    allfold_trace_take *take;
    void *context;
    uint32_t shape_capacity, sum_capacity, placement_capacity;

    unsigned char *record; /* letter, length, payload, sum */
    size_t record_bytes;
    const unsigned char *next, *end; /* of the payload */
    bool is_wrong;                   /* it says what cannot be */

    /* `past` calls of records before, then those of this one. */
    int calls[ALLFOLD_TRACE_BACK + ALLFOLD_TRACE_MOST_CALLS];
    uint32_t past;
    uint32_t called[ALLFOLD_TRACED_SHAPES]; /* in this record; 0 again behind it */
    double begin_s;                         /* of the last segment */
    uint64_t promised;                      /* calls, by the end */
    bool has_head, has_end;

    char *message;
    size_t message_bytes;
};

static enum allfold_error refuse(struct reading *reading, const char *what)
{
    snprintf(reading->message, reading->message_bytes, "%s: %s", reading->path, what);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error refuse_record(struct reading *reading, const char *what)
{
    snprintf(reading->message, reading->message_bytes,
             "%s: the record at byte %ld %s; the file is damaged, so take another copy",
             reading->path, reading->at, what);
    return ALLFOLD_BAD_INPUT;
}

/* --- numbers of a payload --- */

static unsigned char take_byte(struct reading *reading)
{
    if (reading->next < reading->end)
        return *reading->next++;
    reading->is_wrong = true;
    return 0;
}

static uint64_t take_number(struct reading *reading)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned char byte = take_byte(reading);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    reading->is_wrong = true;
    return 0;
}

/* A number that is no more than `most`. */
static uint64_t take_up_to(struct reading *reading, uint64_t most)
{
    const uint64_t number = take_number(reading);
    if (number <= most)
        return number;
    reading->is_wrong = true;
    return 0;
}

static int64_t take_signed(struct reading *reading)
{
    const uint64_t twice = take_number(reading);
    return (int64_t)((twice & 1) != 0 ? ~(twice >> 1) : twice >> 1);
}

static double take_seconds(struct reading *reading)
{
    return 1e-9 * (double)take_up_to(reading, INT64_MAX);
}

/* A word without what a terminal, CSV or JSON would read otherwise. */
static void take_word(struct reading *reading, char word[ALLFOLD_TRACED_WORD])
{
    const size_t length = take_up_to(reading, ALLFOLD_TRACED_WORD - 1);
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = take_byte(reading);
        word[i] = byte < ' ' || byte > '~' || byte == '"' || byte == '\\' ? '?' : (char)byte;
    }
    word[length] = '\0';
}

static void take_layout(struct reading *reading, struct allfold_traced_layout *layout)
{
    enum { MOST_RANKS = 1 << 24 };
    layout->p = (int)take_up_to(reading, MOST_RANKS);
    layout->nodes = (int)take_up_to(reading, MOST_RANKS);
    layout->least = (int)take_up_to(reading, MOST_RANKS);
    layout->most = (int)take_up_to(reading, MOST_RANKS);
    layout->arrangement = (enum allfold_arrangement)take_up_to(reading, ALLFOLD_IRREGULAR);
    layout->reading = (enum allfold_reading)take_up_to(reading, ALLFOLD_READING_COUNT - 1);
    layout->shared_cores = (int)take_up_to(reading, MOST_RANKS);
    const bool has_nodes = layout->nodes > 0;
    reading->is_wrong |= layout->p < 1 || layout->nodes > layout->p ||
                         layout->least > layout->most || layout->most > layout->p ||
                         (has_nodes && layout->least < 1) ||
                         (has_nodes && (int64_t)layout->nodes * layout->most < layout->p) ||
                         (int64_t)layout->nodes * layout->least > layout->p;
}

/* --- records --- */

static void read_head(struct reading *reading)
{
    enum { MOST_MBIT = 1000000000 };
    struct allfold_traced_head *head = &reading->trace->head;
    take_word(reading, head->version);
    take_word(reading, head->machine);
    take_word(reading, head->mpi);
    take_layout(reading, &head->job);
    if (reading->next < reading->end)
        head->card_mbit = (int)take_up_to(reading, MOST_MBIT);
    reading->has_head = true;
}

/* Reads the tokens of `count` numbers. The `past` numbers before them in the list may be copied,
 * too. */
static void take_tokens(struct reading *reading, int *list, uint32_t past, uint32_t count,
                        uint32_t most_back, bool is_signed)
{
    uint32_t done = past;
    const uint32_t all = past + count;
    while (done < all && !reading->is_wrong) {
        const uint64_t token = take_number(reading), length = token >> 1;
        const bool is_copy = (token & 1) != 0;
        const uint32_t back = is_copy ? (uint32_t)take_up_to(reading, most_back) : 0;
        reading->is_wrong |=
            length == 0 || length > all - done || back > done || (is_copy && back == 0);
        for (const uint32_t end = done + (reading->is_wrong ? 0 : (uint32_t)length);
             done < end && !reading->is_wrong; done++) {
            const int64_t number = is_copy     ? list[done - back]
                                   : is_signed ? take_signed(reading)
                                               : (int64_t)take_up_to(reading, INT_MAX);
            reading->is_wrong |= number < -INT_MAX || number > INT_MAX;
            list[done] = reading->is_wrong ? 0 : (int)number;
        }
    }
}

/* Numbers of 0 to most - 1, written as differences. */
static void take_list(struct reading *reading, int *list, int count, int most)
{
    take_tokens(reading, list, 0, (uint32_t)count, ALLFOLD_TRACE_LIST_BACK, true);
    for (int i = 0; i < count && !reading->is_wrong; i++) {
        const int before = i > 0 ? list[i - 1] : 0;
        reading->is_wrong |= list[i] < -before || list[i] >= most - before;
        list[i] = reading->is_wrong ? 0 : before + list[i];
    }
}

/* Nodes are numbered in the order of their lowest ranks. */
static void count_nodes(struct reading *reading, struct allfold_traced_placement *placement)
{
    for (int r = 0; r < placement->p && !reading->is_wrong; r++) {
        reading->is_wrong |= placement->node_of[r] > placement->nodes;
        placement->nodes += placement->node_of[r] == placement->nodes;
    }
}

/* Has an order each node once? It is one of as many nodes. */
static void check_order(struct reading *reading, const struct allfold_traced_placement *placement,
                        unsigned char *seen)
{
    for (int i = 0; i < placement->nodes && !reading->is_wrong; i++) {
        reading->is_wrong |= seen[placement->order[i]] != 0;
        seen[placement->order[i]] = 1;
    }
}

static enum allfold_error take_placement(struct reading *reading,
                                         struct allfold_traced_placement *placement)
{
    const int p = (int)take_up_to(reading, (uint64_t)reading->trace->head.job.p);
    const uint64_t flags = take_up_to(reading, ALLFOLD_TRACE_HAS_ORDER | ALLFOLD_TRACE_HAS_SOCKETS);
    reading->is_wrong |= p < 1;
    if (reading->is_wrong)
        return ALLFOLD_OK;
    unsigned char *seen = allfold_allocate_zeroed((size_t)p);
    if (seen == NULL || !allfold_placement_allocate(placement, p)) {
        allfold_free(seen);
        return ALLFOLD_NO_MEMORY;
    }
    take_list(reading, placement->node_of, p, p);
    count_nodes(reading, placement);
    if ((flags & ALLFOLD_TRACE_HAS_ORDER) != 0) {
        placement->order = placement->node_of + p;
        take_list(reading, placement->order, placement->nodes, placement->nodes);
        check_order(reading, placement, seen);
    }
    if ((flags & ALLFOLD_TRACE_HAS_SOCKETS) != 0) {
        placement->socket_of = placement->node_of + 2 * (size_t)p;
        take_list(reading, placement->socket_of, p, p);
    }
    allfold_free(seen);
    return ALLFOLD_OK;
}

static enum allfold_error read_placement(struct reading *reading)
{
    struct allfold_trace_file *trace = reading->trace;
    struct allfold_traced_placement placement = {.p = 0};
    reading->is_wrong |= trace->placement_count == ALLFOLD_TRACED_PLACEMENTS;
    enum allfold_error error = take_placement(reading, &placement);
    void *placements =
        error == ALLFOLD_OK && !reading->is_wrong
            ? allfold_make_room(trace->placements, trace->placement_count,
                                &reading->placement_capacity, sizeof *trace->placements)
            : NULL;
    if (placements == NULL) {
        allfold_placement_free(&placement);
        return reading->is_wrong ? ALLFOLD_OK : ALLFOLD_NO_MEMORY;
    }
    trace->placements = placements;
    trace->placements[trace->placement_count++] = placement;
    return ALLFOLD_OK;
}

/* The number of a placement of the layout's ranks and nodes. */
static uint32_t take_placement_number(struct reading *reading,
                                      const struct allfold_traced_layout *layout)
{
    const struct allfold_trace_file *trace = reading->trace;
    const uint32_t number = (uint32_t)take_up_to(reading, trace->placement_count);
    reading->is_wrong |= number == 0;
    if (reading->is_wrong)
        return 0;
    const struct allfold_traced_placement *placement = &trace->placements[number - 1];
    reading->is_wrong |= placement->p != layout->p || placement->nodes != layout->nodes;
    return number;
}

static void take_shape(struct reading *reading, struct allfold_traced_shape *shape)
{
    const uint64_t known_flags = ALLFOLD_TRACE_IS_COMMUTATIVE | ALLFOLD_TRACE_IS_EXACT |
                                 ALLFOLD_TRACE_IS_CANONICAL |
                                 (reading->trace->has_placements ? ALLFOLD_TRACE_HAS_PLACEMENT : 0);
    char collective[ALLFOLD_TRACED_WORD];
    take_word(reading, collective);
    shape->collective = allfold_collective_find(collective);
    take_layout(reading, &shape->layout);
    shape->root = (int)take_up_to(reading, (uint64_t)INT_MAX);
    shape->bytes = take_up_to(reading, PTRDIFF_MAX);
    shape->element_bytes = take_up_to(reading, PTRDIFF_MAX);
    const uint64_t flags = take_up_to(reading, known_flags);
    shape->commutative = (flags & ALLFOLD_TRACE_IS_COMMUTATIVE) != 0;
    shape->exact = (flags & ALLFOLD_TRACE_IS_EXACT) != 0;
    shape->canonical = (flags & ALLFOLD_TRACE_IS_CANONICAL) != 0;
    shape->placement = (flags & ALLFOLD_TRACE_HAS_PLACEMENT) != 0
                           ? take_placement_number(reading, &shape->layout)
                           : 0;
    take_word(reading, shape->algorithm);
    take_word(reading, shape->source);
    reading->is_wrong |=
        shape->collective == ALLFOLD_COLLECTIVE_COUNT || shape->root >= shape->layout.p;
}

static enum allfold_error read_shape(struct reading *reading)
{
    struct allfold_trace_file *trace = reading->trace;
    struct allfold_traced_shape shape;
    take_shape(reading, &shape);
    reading->is_wrong |= trace->count == ALLFOLD_TRACED_SHAPES;
    if (reading->is_wrong)
        return ALLFOLD_OK;
    void *shapes = allfold_make_room(trace->shapes, trace->count, &reading->shape_capacity,
                                     sizeof *trace->shapes);
    if (shapes == NULL)
        return ALLFOLD_NO_MEMORY;
    trace->shapes = shapes;
    void *sums =
        allfold_make_room(trace->sums, trace->count, &reading->sum_capacity, sizeof *trace->sums);
    if (sums == NULL)
        return ALLFOLD_NO_MEMORY;
    trace->sums = sums;
    trace->shapes[trace->count] = shape;
    trace->sums[trace->count++] = (struct allfold_traced_sum){.calls = 0};
    return ALLFOLD_OK;
}

/* A number of a shape that is there. */
static uint32_t take_shape_number(struct reading *reading)
{
    if (reading->trace->count == 0)
        reading->is_wrong = true;
    return reading->is_wrong ? 0 : (uint32_t)take_up_to(reading, reading->trace->count - 1);
}

/* The sums are of just the shapes that were called. */
static void take_sums(struct reading *reading, uint32_t count)
{
    struct allfold_trace_file *trace = reading->trace;
    const uint64_t shapes = take_up_to(reading, trace->count);
    uint64_t summed = 0;
    for (uint64_t i = 0; i < shapes && !reading->is_wrong; i++) {
        const uint32_t shape = take_shape_number(reading);
        const uint64_t unsplit = take_up_to(reading, reading->called[shape]);
        struct allfold_traced_sum *sum = &trace->sums[shape];
        sum->calls += reading->called[shape];
        sum->split += reading->called[shape] - unsplit;
        sum->seconds += take_seconds(reading);
        sum->waiting_s += take_seconds(reading);
        sum->all_waiting_s += take_seconds(reading);
        summed += reading->called[shape];
        reading->called[shape] = 0;
    }
    reading->is_wrong |= summed != count;
}

/* When the calls of a segment began: the gaps share its length by the weights of their classes. */
static void take_segment(struct reading *reading, const int *calls, uint32_t count)
{
    double weights[ALLFOLD_TRACE_SEGMENT], sum = 0;
    reading->begin_s += 1e-9 * (double)take_signed(reading);
    const double length_s = take_seconds(reading);
    for (uint32_t i = 1; i < count; i += 2) {
        const unsigned classes = take_byte(reading);
        sum += weights[i] = allfold_trace_weight(classes & 15);
        if (i + 1 < count)
            sum += weights[i + 1] = allfold_trace_weight(classes >> 4);
    }
    double done = 0;
    for (uint32_t i = 0; i < count && !reading->is_wrong && reading->take != NULL; i++) {
        done += i > 0 ? weights[i] : 0;
        reading->take(reading->context, (uint32_t)calls[i],
                      reading->begin_s + (sum > 0 ? length_s * done / sum : 0));
    }
}

static void read_calls(struct reading *reading)
{
    const uint32_t count = (uint32_t)take_up_to(reading, ALLFOLD_TRACE_MOST_CALLS);
    const int *calls = reading->calls + reading->past;
    take_tokens(reading, reading->calls, reading->past, count, ALLFOLD_TRACE_BACK, false);
    for (uint32_t i = 0; i < count && !reading->is_wrong; i++) {
        reading->is_wrong |= (uint32_t)calls[i] >= reading->trace->count;
        if (!reading->is_wrong)
            reading->called[calls[i]]++;
    }
    if (!reading->is_wrong)
        take_sums(reading, count);
    for (uint32_t done = 0; done < count && !reading->is_wrong;) {
        const uint32_t most = count - done;
        const uint32_t length = (uint32_t)take_up_to(
            reading, most < ALLFOLD_TRACE_SEGMENT ? most : ALLFOLD_TRACE_SEGMENT);
        reading->is_wrong |= length == 0;
        if (!reading->is_wrong)
            take_segment(reading, calls + done, length);
        done += length;
    }
    if (reading->is_wrong)
        return;
    reading->trace->calls += count;
    const uint32_t all = reading->past + count;
    const uint32_t kept = all < ALLFOLD_TRACE_BACK ? all : ALLFOLD_TRACE_BACK;
    memmove(reading->calls, reading->calls + (all - kept), kept * sizeof *reading->calls);
    reading->past = kept;
}

static void read_end(struct reading *reading)
{
    reading->promised = take_number(reading);
    reading->trace->dropped = take_number(reading);
    reading->trace->run_s = take_seconds(reading);
    reading->is_wrong |= reading->promised != reading->trace->calls;
    reading->has_end = true;
}

static enum allfold_error read_record(struct reading *reading, char kind)
{
    enum allfold_error error = ALLFOLD_OK;
    if (reading->has_end)
        return refuse_record(reading, "lies behind the end");
    if ((kind == ALLFOLD_TRACE_HEAD) == reading->has_head)
        return refuse_record(reading, "is not where it belongs");
    if (kind == ALLFOLD_TRACE_HEAD)
        read_head(reading);
    else if (kind == ALLFOLD_TRACE_PLACEMENT && reading->trace->has_placements)
        error = read_placement(reading);
    else if (kind == ALLFOLD_TRACE_SHAPE)
        error = read_shape(reading);
    else if (kind == ALLFOLD_TRACE_CALLS)
        read_calls(reading);
    else if (kind == ALLFOLD_TRACE_FULL)
        reading->trace->is_full = true;
    else if (kind == ALLFOLD_TRACE_END)
        read_end(reading);
    else
        return refuse_record(reading, "is of no kind that there is");
    if (error == ALLFOLD_OK && (reading->is_wrong || reading->next != reading->end))
        error = refuse_record(reading, "says what cannot be");
    return error;
}

/* --- the file --- */

enum found { FOUND_ONE, FOUND_NONE, FOUND_TOO_LONG, FOUND_NO_MEMORY };

/* Reads a record's bytes; FOUND_NONE where the file ends before the record does. */
static enum found find_record(struct reading *reading, size_t *head_bytes, size_t *payload_bytes)
{
    enum { MOST_HEAD = 11, SUM_BYTES = 4 };
    size_t count = 0, length = 0;
    unsigned char head[MOST_HEAD];
    reading->at = ftell(reading->file);
    for (unsigned shift = 0;; count++) {
        const int byte = getc(reading->file);
        if (byte == EOF)
            return FOUND_NONE;
        head[count] = (unsigned char)byte;
        if (count == 0)
            continue;
        length |= (size_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80)
            break;
        if (shift > 28)
            return FOUND_TOO_LONG;
    }
    *head_bytes = count + 1;
    *payload_bytes = length;
    if (length > ALLFOLD_TRACE_MOST_BYTES)
        return FOUND_TOO_LONG;
    const size_t rest = length + SUM_BYTES;
    if (!allfold_reserve((void **)&reading->record, &reading->record_bytes, *head_bytes + rest))
        return FOUND_NO_MEMORY;
    memcpy(reading->record, head, *head_bytes);
    return fread(reading->record + *head_bytes, 1, rest, reading->file) == rest ? FOUND_ONE
                                                                                : FOUND_NONE;
}

static bool has_right_sum(const unsigned char *record, size_t bytes)
{
    uint32_t sum = 0;
    for (int i = 3; i >= 0; i--)
        sum = sum << 8 | record[bytes + (size_t)i];
    return sum == allfold_trace_sum(record, bytes);
}

static enum allfold_error read_records(struct reading *reading)
{
    size_t head_bytes = 0, payload_bytes = 0;
    for (;;) {
        const enum found found = find_record(reading, &head_bytes, &payload_bytes);
        if (found == FOUND_NO_MEMORY)
            return ALLFOLD_NO_MEMORY;
        if (found == FOUND_TOO_LONG)
            return refuse_record(reading, "is too long");
        if (found == FOUND_NONE)
            return reading->has_head ? ALLFOLD_OK
                                     : refuse(reading, "the trace ends before it says anything");
        if (!has_right_sum(reading->record, head_bytes + payload_bytes))
            return refuse_record(reading, "does not have the sum that it names");
        reading->next = reading->record + head_bytes;
        reading->end = reading->next + payload_bytes;
        const enum allfold_error error = read_record(reading, (char)reading->record[0]);
        if (error != ALLFOLD_OK)
            return error;
    }
}

static enum allfold_error read_magic(struct reading *reading)
{
    static const char magic[] = ALLFOLD_TRACE_MAGIC, magic_1[] = ALLFOLD_TRACE_MAGIC_1;
    enum { KIND = sizeof "allfold trace " - 1 };
    char found[sizeof magic] = "";
    const size_t count = fread(found, 1, sizeof magic - 1, reading->file);
    reading->trace->has_placements = strcmp(found, magic) == 0;
    if (reading->trace->has_placements || strcmp(found, magic_1) == 0)
        return ALLFOLD_OK;
    if (count >= KIND && memcmp(found, magic, KIND) == 0)
        return refuse(reading, "the trace is of another version; expected version 1 or 2, so read "
                               "it with the Allfold that wrote it");
    return refuse(reading,
                  "this is no trace; expected a file that `allfold run --trace=FILE` wrote");
}

enum allfold_error allfold_trace_read(const char *path, struct allfold_trace_file *trace,
                                      allfold_trace_take *take, void *context, char *message,
                                      size_t message_bytes)
{
    *trace = (struct allfold_trace_file){.count = 0};
    struct reading *reading = allfold_allocate_zeroed(sizeof *reading);
    snprintf(message, message_bytes, "%s: no memory", path);
    if (reading == NULL)
        return ALLFOLD_NO_MEMORY;
    reading->path = path;
    reading->trace = trace;
    reading->take = take;
    reading->context = context;
    reading->message = message;
    reading->message_bytes = message_bytes;
    reading->file = fopen(path, "rb");
    enum allfold_error error;
    if (reading->file == NULL) {
        error = refuse(reading, strerror(errno));
    } else {
        error = read_magic(reading);
        if (error == ALLFOLD_OK)
            error = read_records(reading);
        fclose(reading->file);
    }
    trace->is_incomplete = !reading->has_end;
    allfold_free(reading->record);
    allfold_free(reading);
    return error;
}

void allfold_trace_free(struct allfold_trace_file *trace)
{
    for (uint32_t i = 0; i < trace->placement_count; i++)
        allfold_placement_free(&trace->placements[i]);
    allfold_free(trace->placements);
    allfold_free(trace->shapes);
    allfold_free(trace->sums);
    *trace = (struct allfold_trace_file){.count = 0};
}
