/* The builder (see allfold_core.h): checks each new step, numbers its messages and finds its
 * hazards. Freezing turns the builder's lists into one immutable block of memory. */
#include "schedule/schedule.h"

#include <assert.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "schedule/fuse.h"
#include "schedule/hazards.h"
#include "schedule/memory.h"
#include "util/memory.h"

/* Rank -> how many messages were sent to it and received from it. A hash table with open
 * addressing, so that its size follows the number of peers and not p. */
struct peer_entry {
    int rank;            /* plus one; 0 is a free entry */
    uint32_t numbers[2]; /* ALLFOLD_STEP_SEND, ALLFOLD_STEP_RECEIVE */
};

struct peers {
    struct peer_entry *entries;
    uint32_t capacity; /* a power of two */
    uint32_t count;
};

struct block {
    struct block *next;
    max_align_t bytes[];
};

struct allfold_builder {
    enum allfold_error error;
    char message[160];
    int rank; /* this rank in the whole group */
    struct allfold_frame frame;
    size_t buffer_length[ALLFOLD_MAX_BUFFERS];
    uint32_t buffer_count;
    uint32_t step_count, step_capacity;
    uint32_t message_count;
    struct allfold_step *steps;
    uint32_t *edge_end; /* step -> end of what it waits for in hazards.edges */
    struct peers peers;
    struct block *blocks; /* of allfold_builder_memory */
    struct allfold_hazards hazards;
};

static const char *const verb_names[] = {
    [ALLFOLD_STEP_SEND] = "send_to",
    [ALLFOLD_STEP_RECEIVE] = "recv_from",
    [ALLFOLD_STEP_REDUCE] = "reduce",
    [ALLFOLD_STEP_COPY] = "copy",
};

static void fail(struct allfold_builder *s, enum allfold_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(struct allfold_builder *s, enum allfold_error error, const char *format, ...)
{
    if (s->error != ALLFOLD_OK)
        return;
    s->error = error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->message, sizeof s->message, format, arguments);
    va_end(arguments);
}

static void fail_if(struct allfold_builder *s, enum allfold_error error)
{
    if (error != ALLFOLD_OK)
        fail(s, error, "no memory for step %u", s->step_count);
}

static void add_buffer(struct allfold_builder *s, size_t length)
{
    s->buffer_length[s->buffer_count] = length;
    fail_if(s, allfold_hazards_add_buffer(&s->hazards, (int)s->buffer_count, length));
    s->buffer_count++;
}

/* The memory of the last builder that was freed, for the next one of any thread. A program that
 * asks for one count after the other builds one schedule after the other. */
static _Atomic(struct allfold_builder *) spare;

static void free_blocks(struct allfold_builder *s)
{
    for (struct block *next; s->blocks != NULL; s->blocks = next) {
        next = s->blocks->next;
        allfold_free(s->blocks);
    }
}

static void free_memory(struct allfold_builder *s)
{
    if (s == NULL)
        return;
    allfold_hazards_free(&s->hazards);
    allfold_free(s->steps);
    allfold_free(s->edge_end);
    allfold_free(s->peers.entries);
    allfold_free(s);
}

/* Does its memory stay small, and quick to begin anew with? */
static bool may_be_kept(const struct allfold_builder *s)
{
    enum { MOST_STEPS = 256, MOST_PEERS = 64 };
    return s->step_capacity <= MOST_STEPS && s->peers.capacity <= MOST_PEERS &&
           allfold_hazards_are_small(&s->hazards);
}

static void keep_memory(struct allfold_builder *s)
{
    free_blocks(s);
    const bool is_kept = may_be_kept(s); /* once there, it is another thread's */
    free_memory(atomic_exchange(&spare, is_kept ? s : NULL));
    if (!is_kept)
        free_memory(s);
}

void allfold_builder_drop_spare(void)
{
    free_memory(atomic_exchange(&spare, NULL));
}

/* A builder that has nothing but maybe room; NULL without memory. */
static struct allfold_builder *new_builder(void)
{
    struct allfold_builder *s = atomic_exchange(&spare, NULL);
    if (s == NULL)
        return allfold_allocate_zeroed(sizeof *s);
    if (allfold_allocation_fails()) {
        keep_memory(s);
        return NULL;
    }
    s->error = ALLFOLD_OK;
    s->message[0] = '\0';
    s->buffer_count = s->step_count = s->message_count = 0;
    if (s->peers.count > 0)
        memset(s->peers.entries, 0, s->peers.capacity * sizeof *s->peers.entries);
    s->peers.count = 0;
    allfold_hazards_clear(&s->hazards);
    return s;
}

/* The caller's buffers and the frame of a rank's whole program. */
static void begin_program(struct allfold_builder *s, const struct allfold_shape *shape)
{
    add_buffer(s, shape->in_place ? 0 : shape->in_length);
    add_buffer(s, shape->out_length);
    const size_t at = shape->in_place ? shape->in_place_offset : 0;
    if (shape->in_place && (at > shape->out_length || shape->in_length > shape->out_length - at))
        fail(s, ALLFOLD_BAD_SCHEDULE, "in place: %zu elements of input at %zu of %zu of output",
             shape->in_length, at, shape->out_length);
    int in = shape->in_place ? ALLFOLD_OUT : ALLFOLD_IN;
    s->rank = allfold_group_rank(&shape->group, shape->group.index);
    s->frame = (struct allfold_frame){
        .group = shape->group,
        .in = {.offset = at, .length = shape->in_length, .buffer = in},
        .out = {.offset = 0, .length = shape->out_length, .buffer = ALLFOLD_OUT},
    };
}

struct allfold_builder *allfold_builder_create(const struct allfold_shape *shape)
{
    struct allfold_builder *s = new_builder();
    if (s != NULL)
        begin_program(s, shape);
    return s;
}

void allfold_builder_free(struct allfold_builder *s)
{
    if (s != NULL)
        keep_memory(s);
}

enum allfold_error allfold_builder_error(const struct allfold_builder *s)
{
    return s->error;
}

void allfold_builder_lacks_memory(struct allfold_builder *s)
{
    fail_if(s, ALLFOLD_NO_MEMORY);
}

const char *allfold_builder_message(const struct allfold_builder *s)
{
    return s->message;
}

void *allfold_builder_memory(struct allfold_builder *s, size_t bytes)
{
    struct block *block = allfold_allocate(sizeof *block + bytes);
    if (block == NULL) {
        fail_if(s, ALLFOLD_NO_MEMORY);
        return NULL;
    }
    block->next = s->blocks;
    s->blocks = block;
    return block->bytes;
}

struct allfold_span allfold_add_scratch(struct allfold_builder *s, size_t length)
{
    struct allfold_span none = {.offset = 0, .length = length, .buffer = ALLFOLD_SCRATCH};
    if (s->error != ALLFOLD_OK)
        return none;
    if (s->buffer_count == ALLFOLD_MAX_BUFFERS) {
        fail(s, ALLFOLD_BAD_SCHEDULE, "more than %d scratch buffers",
             ALLFOLD_MAX_BUFFERS - ALLFOLD_SCRATCH);
        return none;
    }
    add_buffer(s, length);
    none.buffer = (int)s->buffer_count - 1;
    return none;
}

/* As schedules are printed. */
static void name_buffer(int buffer, char *name, size_t bytes)
{
    if (buffer == ALLFOLD_IN || buffer == ALLFOLD_OUT)
        snprintf(name, bytes, buffer == ALLFOLD_IN ? "IN" : "OUT");
    else if (buffer >= ALLFOLD_SCRATCH)
        snprintf(name, bytes, "TMP%d", buffer - ALLFOLD_SCRATCH);
    else
        snprintf(name, bytes, "buffer %d", buffer);
}

/* A span of the present frame as one of the real buffers; checks that it lies inside. */
static struct allfold_span resolve(struct allfold_builder *s, enum allfold_step_kind kind,
                                   struct allfold_span span)
{
    size_t length = 0;
    struct allfold_span real = span;
    if (span.buffer == ALLFOLD_IN || span.buffer == ALLFOLD_OUT) {
        struct allfold_span of = span.buffer == ALLFOLD_IN ? s->frame.in : s->frame.out;
        length = of.length;
        real.buffer = of.buffer;
        real.offset += of.offset;
    } else if (span.buffer > 0 && span.buffer < (int)s->buffer_count) {
        length = s->buffer_length[span.buffer];
    }
    if (span.offset > length || span.length > length - span.offset) {
        char name[24];
        name_buffer(span.buffer, name, sizeof name);
        fail(s, ALLFOLD_BAD_SCHEDULE, "%s at step %u: %zu elements at %zu of %s, which has %zu",
             verb_names[kind], s->step_count, span.length, span.offset, name, length);
    }
    return real;
}

static struct allfold_span resolve_written(struct allfold_builder *s, enum allfold_step_kind kind,
                                           struct allfold_span span)
{
    const bool out_is_in = s->frame.out.buffer == ALLFOLD_IN && span.length > 0;
    if (span.buffer == ALLFOLD_IN || (span.buffer == ALLFOLD_OUT && out_is_in))
        fail(s, ALLFOLD_BAD_SCHEDULE, "%s at step %u writes into IN", verb_names[kind],
             s->step_count);
    return resolve(s, kind, span);
}

struct allfold_frame allfold_frame_enter(struct allfold_builder *s,
                                         const struct allfold_group *group, struct allfold_span in,
                                         struct allfold_span out)
{
    struct allfold_frame outer = s->frame;
    struct allfold_frame inner = {.group = *group,
                                  .in = resolve(s, ALLFOLD_STEP_COPY, in),
                                  .out = resolve(s, ALLFOLD_STEP_COPY, out)};
    s->frame = inner;
    return outer;
}

void allfold_frame_leave(struct allfold_builder *s, struct allfold_frame outer)
{
    assert(outer.group.size > 0);
    s->frame = outer;
}

/* Room for a new step, or NULL with the error set. */
static struct allfold_step *new_step(struct allfold_builder *s, enum allfold_step_kind kind,
                                     size_t length)
{
    uint32_t capacity = s->step_capacity;
    void *steps = allfold_make_room(s->steps, s->step_count, &s->step_capacity, sizeof *s->steps);
    if (steps != NULL)
        s->steps = steps;
    void *ends = allfold_make_room(s->edge_end, s->step_count, &capacity, sizeof *s->edge_end);
    if (ends != NULL)
        s->edge_end = ends;
    if (steps == NULL || ends == NULL) {
        fail(s, ALLFOLD_NO_MEMORY, "no memory for step %u", s->step_count);
        return NULL;
    }
    struct allfold_step *step = &s->steps[s->step_count];
    *step = (struct allfold_step){.kind = (uint8_t)kind, .peer = -1, .length = length};
    return step;
}

/* A buffer that is never written needs no hazards: IN, unless it is in place and therefore in OUT.
 */
static bool is_watched(struct allfold_span span)
{
    return span.buffer != ALLFOLD_IN;
}

static void set_operand(struct allfold_step *step, int which, struct allfold_span span)
{
    step->buffer[which] = (uint8_t)span.buffer;
    step->offset[which] = span.offset;
}

static void read_operand(struct allfold_builder *s, struct allfold_step *step, int which,
                         struct allfold_span span)
{
    set_operand(step, which, span);
    if (is_watched(span))
        fail_if(s, allfold_hazards_read(&s->hazards, span, s->step_count));
}

static void write_operand(struct allfold_builder *s, struct allfold_step *step,
                          struct allfold_span span)
{
    set_operand(step, 0, span);
    fail_if(s, allfold_hazards_write(&s->hazards, span, s->step_count));
}

static void finish_step(struct allfold_builder *s)
{
    s->edge_end[s->step_count] = s->hazards.edge_count;
    s->step_count++;
}

enum { FIRST_CAPACITY = 16 };

static struct peer_entry *find_peer(const struct peers *peers, int rank)
{
    uint32_t mask = peers->capacity - 1;
    uint32_t at = (uint32_t)rank * 2654435769u >> 7 & mask;
    while (peers->entries[at].rank != 0 && peers->entries[at].rank != rank + 1)
        at = (at + 1) & mask;
    return &peers->entries[at];
}

static enum allfold_error widen_peers(struct peers *peers)
{
    struct peers wide = {
        .capacity = peers->capacity == 0 ? FIRST_CAPACITY : peers->capacity * 2,
        .count = peers->count,
    };
    wide.entries = allfold_allocate_zeroed(wide.capacity * sizeof *wide.entries);
    if (wide.entries == NULL)
        return ALLFOLD_NO_MEMORY;
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (peers->entries[i].rank != 0)
            *find_peer(&wide, peers->entries[i].rank - 1) = peers->entries[i];
    allfold_free(peers->entries);
    *peers = wide;
    return ALLFOLD_OK;
}

/* The message counts of a rank, made 0 when it is new; NULL without memory. Valid until the next
 * call. */
static uint32_t *peer_numbers(struct peers *peers, int rank)
{
    if (peers->count * 2 >= peers->capacity && widen_peers(peers) != ALLFOLD_OK)
        return NULL;
    struct peer_entry *entry = find_peer(peers, rank);
    if (entry->rank == 0) {
        entry->rank = rank + 1;
        peers->count++;
    }
    return entry->numbers;
}

/* Addresses a message: its peer's rank, its number with that peer, its number on this rank. */
static void address(struct allfold_builder *s, struct allfold_step *step, int peer)
{
    const struct allfold_group *group = &s->frame.group;
    int rank = peer < 0 || peer >= group->size ? -1 : allfold_group_rank(group, peer);
    if (rank < 0 || rank == s->rank) {
        fail(s, ALLFOLD_BAD_SCHEDULE, "%s at step %u: peer %d, which is %s (p = %d)",
             verb_names[step->kind], s->step_count, peer,
             rank < 0 ? "not in the group" : "this rank itself", group->size);
        return;
    }
    uint32_t *numbers = peer_numbers(&s->peers, rank);
    if (numbers == NULL) {
        fail_if(s, ALLFOLD_NO_MEMORY);
        return;
    }
    step->peer = rank;
    step->number = numbers[step->kind]++;
    step->message = s->message_count++;
}

/* What is sent of a copy of IN is sent from IN, which nobody writes: so the send waits for nothing.
 * A peer that reads it in place then takes no lines away from the copy, which the next call would
 * have to get back. */
static struct allfold_span original(const struct allfold_builder *s, struct allfold_span span)
{
    const uint32_t writer =
        is_watched(span) ? allfold_hazards_writer(&s->hazards, span) : UINT32_MAX;
    if (writer == UINT32_MAX)
        return span;
    const struct allfold_step *step = &s->steps[writer];
    if (step->kind != ALLFOLD_STEP_COPY || step->buffer[1] != ALLFOLD_IN)
        return span;
    assert(span.offset >= step->offset[0]);
    return (struct allfold_span){.offset = step->offset[1] + (span.offset - step->offset[0]),
                                 .length = span.length,
                                 .buffer = ALLFOLD_IN};
}

void allfold_add_send(struct allfold_builder *s, int peer, struct allfold_span from)
{
    from = resolve(s, ALLFOLD_STEP_SEND, from);
    if (s->error != ALLFOLD_OK || from.length == 0)
        return;
    struct allfold_step *step = new_step(s, ALLFOLD_STEP_SEND, from.length);
    if (step == NULL)
        return;
    address(s, step, peer);
    read_operand(s, step, 0, original(s, from));
    finish_step(s);
}

void allfold_add_receive(struct allfold_builder *s, int peer, struct allfold_span to)
{
    to = resolve_written(s, ALLFOLD_STEP_RECEIVE, to);
    if (s->error != ALLFOLD_OK || to.length == 0)
        return;
    struct allfold_step *step = new_step(s, ALLFOLD_STEP_RECEIVE, to.length);
    if (step == NULL)
        return;
    address(s, step, peer);
    write_operand(s, step, to);
    finish_step(s);
}

static bool overlap_partly(struct allfold_span a, struct allfold_span b)
{
    return a.buffer == b.buffer && a.offset != b.offset && a.offset < b.offset + b.length &&
           b.offset < a.offset + a.length;
}

void allfold_add_reduce(struct allfold_builder *s, struct allfold_span to, struct allfold_span left,
                        struct allfold_span right)
{
    to = resolve_written(s, ALLFOLD_STEP_REDUCE, to);
    left = resolve(s, ALLFOLD_STEP_REDUCE, left);
    right = resolve(s, ALLFOLD_STEP_REDUCE, right);
    if (to.length != left.length || to.length != right.length)
        fail(s, ALLFOLD_BAD_SCHEDULE, "reduce at step %u: lengths %zu = %zu o %zu differ",
             s->step_count, to.length, left.length, right.length);
    if (overlap_partly(to, left) || overlap_partly(to, right))
        fail(s, ALLFOLD_BAD_SCHEDULE, "reduce at step %u overlaps an operand in part",
             s->step_count);
    if (s->error != ALLFOLD_OK || to.length == 0)
        return;
    struct allfold_step *step = new_step(s, ALLFOLD_STEP_REDUCE, to.length);
    if (step == NULL)
        return;
    read_operand(s, step, 1, left);
    read_operand(s, step, 2, right);
    write_operand(s, step, to);
    finish_step(s);
}

void allfold_add_copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from)
{
    to = resolve_written(s, ALLFOLD_STEP_COPY, to);
    from = resolve(s, ALLFOLD_STEP_COPY, from);
    if (to.length != from.length || overlap_partly(to, from))
        fail(s, ALLFOLD_BAD_SCHEDULE,
             "copy at step %u: spans of %zu and %zu elements overlap or differ", s->step_count,
             to.length, from.length);
    bool same = to.buffer == from.buffer && to.offset == from.offset;
    if (s->error != ALLFOLD_OK || to.length == 0 || same)
        return;
    struct allfold_step *step = new_step(s, ALLFOLD_STEP_COPY, to.length);
    if (step == NULL)
        return;
    read_operand(s, step, 1, from);
    write_operand(s, step, to);
    finish_step(s);
}

/* Where the arrays of a schedule begin in its block. */
struct layout {
    size_t buffers, steps, waits_for, first_edge, edges, message_step, fused, publication, roots,
        end;
};

static size_t place(size_t *end, size_t bytes)
{
    size_t at = *end;
    *end = (at + bytes + 7) / 8 * 8;
    return at;
}

static struct layout lay_out(const struct allfold_builder *s, uint32_t roots)
{
    size_t end = (sizeof(struct allfold_schedule) + 7) / 8 * 8;
    size_t word = sizeof(uint32_t);
    struct layout at;
    at.buffers = place(&end, s->buffer_count * sizeof *s->buffer_length);
    at.steps = place(&end, s->step_count * sizeof(struct allfold_step));
    at.waits_for = place(&end, s->step_count * word);
    at.first_edge = place(&end, (s->step_count + 1) * word);
    at.edges = place(&end, s->hazards.edge_count * word);
    at.message_step = place(&end, s->message_count * word);
    at.fused = place(&end, s->step_count * word);
    at.publication = place(&end, s->step_count * word);
    at.roots = place(&end, roots * word);
    at.end = end;
    return at;
}

static uint32_t edge_begin(const struct allfold_builder *s, uint32_t step)
{
    return step == 0 ? 0 : s->edge_end[step - 1];
}

static uint32_t count_roots(const struct allfold_builder *s)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < s->step_count; i++)
        roots += s->edge_end[i] == edge_begin(s, i);
    return roots;
}

/* Turns "waits for" lists into "is waited for by" lists, by counting sort. */
static void turn_edges(const struct allfold_builder *s, struct allfold_schedule *schedule)
{
    uint32_t *first = schedule->first_edge;
    memset(first, 0, (s->step_count + 1) * sizeof *first);
    for (uint32_t e = 0; e < s->hazards.edge_count; e++)
        first[s->hazards.edges[e] + 1]++;
    for (uint32_t i = 0; i < s->step_count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = s->step_count; i-- > 0;)
        for (uint32_t e = edge_begin(s, i); e < s->edge_end[i]; e++)
            schedule->edges[--first[s->hazards.edges[e] + 1]] = i;
    /* each first[i + 1] went down to the begin of step i's edges: shift them back */
    for (uint32_t i = 0; i < s->step_count; i++)
        first[i] = first[i + 1];
    first[s->step_count] = s->hazards.edge_count;
}

/* The schedule's invariant: edges lead to later steps, and each step waits for as many as lead to
 * it. Messages are numbered in program order. */
__attribute__((unused)) static bool is_in_order(const struct allfold_schedule *schedule)
{
    uint32_t messages = 0, edges = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        edges += schedule->waits_for[i];
        if (schedule->first_edge[i] > schedule->first_edge[i + 1])
            return false;
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++)
            if (schedule->edges[e] <= i || schedule->edges[e] >= schedule->step_count)
                return false;
        if (schedule->steps[i].peer >= 0 && schedule->steps[i].message != messages++)
            return false;
        if (schedule->fused[i] != ALLFOLD_NO_STEP && schedule->fused[i] <= i)
            return false;
        if (schedule->publication[i] != ALLFOLD_NO_STEP && schedule->publication[i] > i)
            return false;
    }
    return messages == schedule->message_count && edges == schedule->edge_count;
}

static void fill(const struct allfold_builder *s, struct allfold_schedule *schedule)
{
    if (s->step_count > 0)
        memcpy(schedule->steps, s->steps, s->step_count * sizeof *s->steps);
    memcpy(schedule->buffer_length, s->buffer_length, s->buffer_count * sizeof *s->buffer_length);
    uint32_t roots = 0;
    for (uint32_t i = 0; i < s->step_count; i++) {
        schedule->waits_for[i] = s->edge_end[i] - edge_begin(s, i);
        if (schedule->waits_for[i] == 0)
            schedule->roots[roots++] = i;
        if (s->steps[i].peer >= 0)
            schedule->message_step[s->steps[i].message] = i;
    }
    turn_edges(s, schedule);
    allfold_fuse(s->steps, s->step_count, schedule->fused);
    allfold_publish(s->steps, s->step_count, schedule->publication);
}

enum allfold_error allfold_builder_freeze_in(struct allfold_builder *s, struct allfold_pool *pool,
                                             struct allfold_schedule **schedule)
{
    *schedule = NULL;
    if (s->error != ALLFOLD_OK)
        return s->error;
    uint32_t roots = count_roots(s);
    struct layout at = lay_out(s, roots);
    char *block = allfold_pool_take(pool, at.end);
    if (block == NULL)
        return ALLFOLD_NO_MEMORY;
    struct allfold_schedule *made = (struct allfold_schedule *)(void *)block;
    *made = (struct allfold_schedule){
        .step_count = s->step_count,
        .message_count = s->message_count,
        .edge_count = s->hazards.edge_count,
        .root_count = roots,
        .buffer_count = s->buffer_count,
        .bytes = at.end,
        .buffer_length = (size_t *)(void *)(block + at.buffers),
        .steps = (struct allfold_step *)(void *)(block + at.steps),
        .waits_for = (uint32_t *)(void *)(block + at.waits_for),
        .first_edge = (uint32_t *)(void *)(block + at.first_edge),
        .edges = (uint32_t *)(void *)(block + at.edges),
        .message_step = (uint32_t *)(void *)(block + at.message_step),
        .fused = (uint32_t *)(void *)(block + at.fused),
        .publication = (uint32_t *)(void *)(block + at.publication),
        .roots = (uint32_t *)(void *)(block + at.roots),
    };
    fill(s, made);
    assert(is_in_order(made));
    *schedule = made;
    return ALLFOLD_OK;
}

enum allfold_error allfold_builder_freeze(struct allfold_builder *s,
                                          struct allfold_schedule **schedule)
{
    return allfold_builder_freeze_in(s, NULL, schedule);
}
