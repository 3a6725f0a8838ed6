/* Writes traces (see tracer.h). */
#include "events/tracer.h"

#include <assert.h>
#include <string.h>

#include "events/placement.h"
#include "events/trace_code.h"
#include "util/memory.h"

enum { LEAST_CALLS = 256, CALLS_A_SHAPE = 32, END_BYTES = 64 };

/* Of a shape in the record that gathers. */
struct gathered {
    uint64_t calls, split, ns, waiting_ns, all_waiting_ns;
};

struct allfold_tracer {
    FILE *file;
    size_t bytes, most_bytes; /* of the file */
    bool is_full, has_failed;
    uint64_t written, dropped; /* calls */

    struct allfold_traced_shape *shapes;
    uint32_t shape_count, shape_capacity;
    uint32_t described; /* how many of them are in the file */

    struct allfold_trace_bytes *placements; /* the payload of each */
    uint32_t placement_count, placement_capacity, placements_described;
    size_t placement_bytes; /* of all of them */

    int *calls; /* `past` that are in the file, then `count` that are not */
    uint32_t past, count, call_capacity;
    uint32_t distance; /* of the last copy */
    struct gathered *gathered;
    uint16_t *touched; /* shapes that gathered has something of */
    uint32_t touched_count;

    struct allfold_trace_bytes payload, record, segments; /* segments: those that have ended */
    double segment[ALLFOLD_TRACE_SEGMENT];                /* when the calls of this one began */
    uint32_t segment_count;
    double begin_s, last_begin_s; /* of the trace; of the last segment */
};

/* --- to the file --- */

/* Writes a record, unless it would exceed the bound. */
static bool write_record(struct allfold_tracer *tracer, enum allfold_trace_record kind,
                         size_t most_bytes)
{
    struct allfold_trace_bytes *record = &tracer->record;
    record->count = 0;
    record->is_lost = false;
    allfold_trace_put_record(record, kind, &tracer->payload);
    if (record->is_lost || tracer->bytes + record->count > most_bytes)
        return false;
    tracer->has_failed |= fwrite(record->at, 1, record->count, tracer->file) != record->count;
    tracer->bytes += record->count;
    return true;
}

static struct allfold_trace_bytes *begin_payload(struct allfold_tracer *tracer)
{
    tracer->payload.count = 0;
    tracer->payload.is_lost = false;
    return &tracer->payload;
}

static bool write_head(struct allfold_tracer *tracer, const struct allfold_traced_head *head)
{
    static const char magic[] = ALLFOLD_TRACE_MAGIC;
    struct allfold_trace_bytes *to = begin_payload(tracer);
    allfold_trace_put_word(to, head->version);
    allfold_trace_put_word(to, head->machine);
    allfold_trace_put_word(to, head->mpi);
    allfold_trace_put_layout(to, &head->job);
    if (head->card_mbit > 0)
        allfold_trace_put_number(to, (uint64_t)head->card_mbit);
    tracer->has_failed |= fputs(magic, tracer->file) < 0;
    tracer->bytes = sizeof magic - 1;
    return write_record(tracer, ALLFOLD_TRACE_HEAD, tracer->most_bytes);
}

static bool write_shape(struct allfold_tracer *tracer, const struct allfold_traced_shape *shape)
{
    struct allfold_trace_bytes *to = begin_payload(tracer);
    allfold_trace_put_word(to, allfold_collective_name(shape->collective));
    allfold_trace_put_layout(to, &shape->layout);
    allfold_trace_put_number(to, (uint64_t)shape->root);
    allfold_trace_put_number(to, shape->bytes);
    allfold_trace_put_number(to, shape->element_bytes);
    allfold_trace_put_number(to, (shape->commutative ? ALLFOLD_TRACE_IS_COMMUTATIVE : 0) |
                                     (shape->exact ? ALLFOLD_TRACE_IS_EXACT : 0) |
                                     (shape->canonical ? ALLFOLD_TRACE_IS_CANONICAL : 0) |
                                     (shape->placement > 0 ? ALLFOLD_TRACE_HAS_PLACEMENT : 0));
    if (shape->placement > 0)
        allfold_trace_put_number(to, shape->placement);
    allfold_trace_put_word(to, shape->algorithm);
    allfold_trace_put_word(to, shape->source);
    return write_record(tracer, ALLFOLD_TRACE_SHAPE, tracer->most_bytes - END_BYTES);
}

/* --- calls --- */

/* Of what is in the file, what copies may repeat stays. */
static void forget_calls(struct allfold_tracer *tracer)
{
    const uint32_t all = tracer->past + tracer->count;
    const uint32_t kept = all < ALLFOLD_TRACE_BACK ? all : ALLFOLD_TRACE_BACK;
    if (all > 0)
        memmove(tracer->calls, tracer->calls + (all - kept), kept * sizeof *tracer->calls);
    tracer->past = kept;
    tracer->count = 0;
    for (uint32_t i = 0; i < tracer->touched_count; i++)
        tracer->gathered[tracer->touched[i]] = (struct gathered){.calls = 0};
    tracer->touched_count = 0;
    tracer->segments.count = 0;
    tracer->segments.is_lost = false;
}

/* --- when --- */

/* Writes when the calls of the segment began: the first one to the nanosecond, the others by the
 * classes of the gaps between them, two a byte. */
static void end_segment(struct allfold_tracer *tracer)
{
    struct allfold_trace_bytes *to = &tracer->segments;
    const uint32_t count = tracer->segment_count;
    if (count == 0)
        return;
    const double length_s = tracer->segment[count - 1] - tracer->segment[0];
    const double mean_s = count > 1 ? length_s / (count - 1) : 0;
    const double since_s = tracer->segment[0] - tracer->last_begin_s;
    allfold_trace_put_number(to, count);
    allfold_trace_put_signed(to, since_s < 0 ? -(int64_t)allfold_trace_ns(-since_s)
                                             : (int64_t)allfold_trace_ns(since_s));
    allfold_trace_put_number(to, allfold_trace_ns(length_s));
    for (uint32_t i = 1; i < count; i += 2) {
        const double *at = &tracer->segment[i];
        const unsigned low = allfold_trace_class(at[0] - at[-1], mean_s);
        const unsigned high = i + 1 < count ? allfold_trace_class(at[1] - at[0], mean_s) : 0;
        allfold_trace_put(to, (unsigned char)(low | high << 4));
    }
    tracer->last_begin_s = tracer->segment[0];
    tracer->segment_count = 0;
}

static void put_sums(struct allfold_tracer *tracer, struct allfold_trace_bytes *to)
{
    allfold_trace_put_number(to, tracer->touched_count);
    for (uint32_t i = 0; i < tracer->touched_count; i++) {
        const struct gathered *of = &tracer->gathered[tracer->touched[i]];
        allfold_trace_put_number(to, tracer->touched[i]);
        allfold_trace_put_number(to, of->calls - of->split);
        allfold_trace_put_number(to, of->ns);
        allfold_trace_put_number(to, of->waiting_ns);
        allfold_trace_put_number(to, of->all_waiting_ns);
    }
}

static bool write_calls(struct allfold_tracer *tracer)
{
    struct allfold_trace_bytes *to = begin_payload(tracer);
    allfold_trace_put_number(to, tracer->count);
    allfold_trace_put_list(to,
                           &(struct allfold_trace_list){.at = tracer->calls,
                                                        .past = tracer->past,
                                                        .end = tracer->past + tracer->count,
                                                        .back = ALLFOLD_TRACE_BACK},
                           &tracer->distance);
    put_sums(tracer, to);
    allfold_trace_put_bytes(to, &tracer->segments);
    return write_record(tracer, ALLFOLD_TRACE_CALLS, tracer->most_bytes - END_BYTES);
}

static bool describe_placements(struct allfold_tracer *tracer)
{
    for (; tracer->placements_described < tracer->placement_count; tracer->placements_described++) {
        allfold_trace_put_bytes(begin_payload(tracer),
                                &tracer->placements[tracer->placements_described]);
        if (!write_record(tracer, ALLFOLD_TRACE_PLACEMENT, tracer->most_bytes - END_BYTES))
            return false;
    }
    return true;
}

static bool describe_shapes(struct allfold_tracer *tracer)
{
    while (tracer->described < tracer->shape_count &&
           write_shape(tracer, &tracer->shapes[tracer->described]))
        tracer->described++;
    return tracer->described == tracer->shape_count;
}

/* What cannot be written is dropped, and so is all that follows: copies repeat what is there. */
static void write_gathered(struct allfold_tracer *tracer)
{
    end_segment(tracer);
    if (tracer->count == 0)
        return;
    if (!tracer->is_full && describe_placements(tracer) && describe_shapes(tracer) &&
        write_calls(tracer)) {
        tracer->written += tracer->count;
    } else {
        tracer->dropped += tracer->count;
        begin_payload(tracer);
        if (!tracer->is_full)
            write_record(tracer, ALLFOLD_TRACE_FULL, tracer->most_bytes);
        tracer->is_full = true;
    }
    forget_calls(tracer);
}

static void release(struct allfold_tracer *tracer)
{
    for (uint32_t i = 0; i < tracer->placement_count; i++)
        allfold_free(tracer->placements[i].at);
    allfold_free(tracer->placements);
    allfold_free(tracer->shapes);
    allfold_free(tracer->calls);
    allfold_free(tracer->gathered);
    allfold_free(tracer->touched);
    allfold_free(tracer->payload.at);
    allfold_free(tracer->record.at);
    allfold_free(tracer->segments.at);
    allfold_free(tracer);
}

/* --- what callers see --- */

struct allfold_tracer *allfold_tracer_open(FILE *file, size_t most_bytes,
                                           const struct allfold_traced_head *head, double begin_s)
{
    struct allfold_tracer *tracer = allfold_allocate_zeroed(sizeof *tracer);
    assert(most_bytes >= 4096);
    if (tracer == NULL)
        return NULL;
    tracer->file = file;
    tracer->most_bytes = most_bytes;
    tracer->begin_s = tracer->last_begin_s = begin_s;
    tracer->gathered = allfold_allocate_zeroed(ALLFOLD_TRACED_SHAPES * sizeof *tracer->gathered);
    tracer->touched = allfold_allocate(ALLFOLD_TRACED_SHAPES * sizeof *tracer->touched);
    if (tracer->gathered != NULL && tracer->touched != NULL && write_head(tracer, head)) {
        tracer->has_failed |= fflush(file) != 0;
        return tracer;
    }
    release(tracer);
    return NULL;
}

uint32_t allfold_tracer_placement(struct allfold_tracer *tracer, const struct allfold_nodes *nodes)
{
    if (nodes == NULL || allfold_layout_says_all(nodes))
        return 0;
    struct allfold_trace_bytes said = {.count = 0};
    allfold_trace_put_placement(&said, nodes);
    uint32_t found = 0;
    while (!said.is_lost && found < tracer->placement_count &&
           (tracer->placements[found].count != said.count ||
            memcmp(tracer->placements[found].at, said.at, said.count) != 0))
        found++;
    const bool is_new = found == tracer->placement_count;
    void *placements = NULL;
    if (!said.is_lost && is_new && found < ALLFOLD_TRACED_PLACEMENTS &&
        tracer->placement_bytes + said.count <= tracer->most_bytes / 4)
        placements = allfold_make_room(tracer->placements, found, &tracer->placement_capacity,
                                       sizeof *tracer->placements);
    if (placements == NULL) {
        allfold_free(said.at);
        return said.is_lost || is_new ? 0 : found + 1;
    }
    tracer->placements = placements;
    tracer->placements[found] = said;
    tracer->placement_bytes += said.count;
    return ++tracer->placement_count;
}

static size_t power_of_two(size_t bytes)
{
    return bytes <= 2 ? bytes : (size_t)1 << (64 - __builtin_clzll(bytes - 1));
}

static bool is_same_layout(const struct allfold_traced_layout *a,
                           const struct allfold_traced_layout *b)
{
    return a->p == b->p && a->nodes == b->nodes && a->least == b->least && a->most == b->most &&
           a->arrangement == b->arrangement && a->reading == b->reading &&
           a->shared_cores == b->shared_cores;
}

static bool is_same_shape(const struct allfold_traced_shape *a,
                          const struct allfold_traced_shape *b)
{
    return a->bytes == b->bytes && a->collective == b->collective &&
           is_same_layout(&a->layout, &b->layout) && a->placement == b->placement &&
           a->root == b->root && a->element_bytes == b->element_bytes &&
           a->commutative == b->commutative && a->exact == b->exact &&
           a->canonical == b->canonical && strcmp(a->algorithm, b->algorithm) == 0 &&
           strcmp(a->source, b->source) == 0;
}

static uint32_t find_shape(const struct allfold_tracer *tracer,
                           const struct allfold_traced_shape *shape)
{
    uint32_t i = 0;
    while (i < tracer->shape_count && !is_same_shape(&tracer->shapes[i], shape))
        i++;
    return i;
}

uint32_t allfold_tracer_shape(struct allfold_tracer *tracer,
                              const struct allfold_traced_shape *shape)
{
    struct allfold_traced_shape like = *shape;
    uint32_t found = find_shape(tracer, &like);
    if (found == tracer->shape_count && found >= ALLFOLD_TRACED_EXACT) {
        like.bytes = power_of_two(like.bytes);
        found = find_shape(tracer, &like);
    }
    if (found < tracer->shape_count)
        return found;
    void *shapes = found == ALLFOLD_TRACED_SHAPES
                       ? NULL
                       : allfold_make_room(tracer->shapes, found, &tracer->shape_capacity,
                                           sizeof *tracer->shapes);
    if (shapes == NULL)
        return ALLFOLD_NO_SHAPE;
    tracer->shapes = shapes;
    tracer->shapes[found] = like;
    return tracer->shape_count++;
}

static void gather(struct allfold_tracer *tracer, const struct allfold_traced_call *call)
{
    struct gathered *into = &tracer->gathered[call->shape];
    if (into->calls++ == 0)
        tracer->touched[tracer->touched_count++] = (uint16_t)call->shape;
    into->ns += allfold_trace_ns(call->seconds);
    into->split += call->is_split;
    into->waiting_ns += call->is_split ? allfold_trace_ns(call->waiting_s) : 0;
    into->all_waiting_ns += call->is_split ? allfold_trace_ns(call->all_waiting_s) : 0;
}

void allfold_tracer_add(struct allfold_tracer *tracer, const struct allfold_traced_call *call,
                        bool is_first)
{
    const uint32_t end = tracer->past + tracer->count;
    void *moved = NULL;
    if (!tracer->is_full && call->shape < tracer->shape_count)
        moved =
            allfold_make_room(tracer->calls, end, &tracer->call_capacity, sizeof *tracer->calls);
    if (moved == NULL) {
        tracer->dropped++;
        return;
    }
    tracer->calls = moved;
    if (is_first || tracer->segment_count == ALLFOLD_TRACE_SEGMENT ||
        (tracer->segment_count > 0 && call->begin_s < tracer->segment[tracer->segment_count - 1]))
        end_segment(tracer);
    tracer->calls[end] = (int)call->shape;
    tracer->count++;
    tracer->segment[tracer->segment_count++] = call->begin_s;
    gather(tracer, call);
    if ((tracer->count >= LEAST_CALLS && tracer->count >= CALLS_A_SHAPE * tracer->touched_count) ||
        tracer->count == ALLFOLD_TRACE_MOST_CALLS)
        write_gathered(tracer);
}

void allfold_tracer_flush(struct allfold_tracer *tracer)
{
    write_gathered(tracer);
    tracer->has_failed |= fflush(tracer->file) != 0;
}

bool allfold_tracer_close(struct allfold_tracer *tracer, double run_s)
{
    write_gathered(tracer);
    struct allfold_trace_bytes *to = begin_payload(tracer);
    allfold_trace_put_number(to, tracer->written);
    allfold_trace_put_number(to, tracer->dropped);
    allfold_trace_put_number(to, allfold_trace_ns(run_s));
    const bool has_end = write_record(tracer, ALLFOLD_TRACE_END, tracer->most_bytes);
    const bool is_whole = (fclose(tracer->file) == 0) & has_end & !tracer->has_failed;
    release(tracer);
    return is_whole;
}
