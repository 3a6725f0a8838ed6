/* Starts steps, hands messages to the transport and completes runs (see executor.h). */
#include "execute/executor.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "execute/sparse.h"
#include "execute/straight_run.h"
#include "schedule/fuse.h"
#include "util/memory.h"

enum { SCRATCH_ALIGNMENT = 64 };

/* Marks a message whose data no reduction takes as they arrive: they are delivered to their final
 * place, and a reduction reads them there. */
#define NO_REDUCTION (ALLFOLD_NO_STEP - 1)

/* A published message that is retained, so that a reduction reads it in place. */
struct retained {
    struct allfold_published published;
    uint32_t receive, reduction; /* steps */
    bool is_begun;               /* the reduction, with its other operand as that is delivered */
};

struct allfold_executor {
    const struct allfold_schedule *schedule;
    struct allfold_binding binding;
    ptrdiff_t extent_bytes;
    uint32_t window;
    uint32_t oldest; /* the oldest message that is not done */
    uint32_t in_flight;
    uint32_t remaining; /* steps that are not done */
    uint32_t ready_begin, ready_end;
    int error;           /* for which the run is given up */
    int lost;            /* the error that came first: data are lost, and the run goes on without */
    int faults;          /* of the transport, in this run */
    uint32_t *waits_for; /* step -> how many steps it still waits for */
    uint32_t *ready;     /* local steps that can run, in the order in which they came up */
    uint32_t *slots;     /* room for what the transport says is done */
    uint32_t *taken_by;  /* slot -> the reduction that takes the message's data as it comes, or
                            NO_REDUCTION; ALLFOLD_NO_STEP before the first data */
    uint32_t run_early;  /* a reduction that is done, but for saying so */
    bool *is_done;     /* slot -> its message is done, but an older one is not; none between runs */
    size_t *received;  /* slot -> number of elements received, if messages may be compressed */
    size_t *coded;     /* slot -> offset in the arena of the block that it sends */
    const void **base; /* buffer -> address of its element 0 */
    struct retained *retained; /* as many as there are slots, at most; none between runs */
    uint32_t retained_count;

    /* Where scratch buffers lie in the arena, for elements like these; 0 bytes: not known yet. */
    struct allfold_elements placed;
    size_t placed_bytes;
    ptrdiff_t *placed_at; /* buffer -> its element 0 */

    /* NULL if there is no memory for a list, or the schedule cannot have one. */
    struct allfold_straight *straight;
    bool has_straight;             /* made, for elements like the last run's */
    bool goes_straight;            /* this run */
    struct allfold_sparse *sparse; /* of this run; NULL: all messages are as long as they are */
    uint32_t next;                 /* of the straight list */
    const char *bases[ALLFOLD_STRAIGHT_BASES];
};

static inline void *address_of(const struct allfold_executor *e, const struct allfold_step *step,
                               int which)
{
    return allfold_address(e->base[step->buffer[which]],
                           (ptrdiff_t)step->offset[which] * e->extent_bytes);
}

/* A window as wide as there are messages bounds nothing, so a wider one would only take memory. */
static uint32_t cap_window(const struct allfold_schedule *schedule, uint32_t window)
{
    while (window > 1 && window / 2 >= schedule->message_count)
        window /= 2;
    return window;
}

size_t allfold_executor_bytes(const struct allfold_schedule *schedule, uint32_t window)
{
    const uint32_t local = schedule->step_count - schedule->message_count;
    window = cap_window(schedule, window);
    return sizeof(struct allfold_executor) + allfold_straight_bytes(schedule) +
           (sizeof(void *) + sizeof(ptrdiff_t)) * schedule->buffer_count +
           (2 * sizeof(size_t) + sizeof(struct retained)) * window +
           sizeof(uint32_t) * (schedule->step_count + local + 2 * window) + sizeof(bool) * window;
}

struct allfold_executor *
allfold_executor_create_in(void *memory, const struct allfold_schedule *schedule, uint32_t window)
{
    assert(window > 0 && window <= ALLFOLD_MAX_WINDOW && (window & (window - 1)) == 0);
    struct allfold_executor *e = memory;
    window = cap_window(schedule, window);
    memset(e, 0, sizeof *e);
    e->schedule = schedule;
    e->window = window;
    e->base = (const void **)(e + 1);
    e->placed_at = (ptrdiff_t *)(void *)(e->base + schedule->buffer_count);
    char *block = (char *)(e->placed_at + schedule->buffer_count);
    const size_t straight_bytes = allfold_straight_bytes(schedule);
    if (straight_bytes > 0)
        e->straight = (struct allfold_straight *)(void *)block;
    e->received = (size_t *)(void *)(block + straight_bytes);
    e->coded = e->received + window;
    e->retained = (struct retained *)(void *)(e->coded + window);
    e->waits_for = (uint32_t *)(void *)(e->retained + window);
    e->ready = e->waits_for + schedule->step_count;
    e->slots = e->ready + (schedule->step_count - schedule->message_count);
    e->taken_by = e->slots + window;
    e->is_done = (bool *)(e->taken_by + window);
    e->run_early = ALLFOLD_NO_STEP;
    for (uint32_t i = 0; i < window; i++)
        e->taken_by[i] = ALLFOLD_NO_STEP;
    memset(e->is_done, 0, window * sizeof *e->is_done);
    return e;
}

struct allfold_executor *allfold_executor_create(const struct allfold_schedule *schedule,
                                                 uint32_t window)
{
    void *block = allfold_allocate(allfold_executor_bytes(schedule, window));
    return block == NULL ? NULL : allfold_executor_create_in(block, schedule, window);
}

void allfold_executor_free(struct allfold_executor *executor)
{
    allfold_free(executor);
}

/* Computes the offset of element 0 of each scratch buffer in the arena (`at` may be NULL), and
 * returns the arena's bytes. */
static size_t place_scratch(const struct allfold_schedule *schedule,
                            const struct allfold_elements *elements, ptrdiff_t *at)
{
    size_t end = 0;
    for (uint32_t i = ALLFOLD_SCRATCH; i < schedule->buffer_count; i++) {
        const struct allfold_room room =
            allfold_elements_room(elements, schedule->buffer_length[i]);
        if (at != NULL)
            at[i] = (ptrdiff_t)end + room.first_bytes;
        end += room.bytes;
    }
    return end;
}

size_t allfold_executor_scratch_bytes(const struct allfold_schedule *schedule,
                                      const struct allfold_elements *elements)
{
    return place_scratch(schedule, elements, NULL);
}

/* Says for each slot where blocks of messages that are sent in it go; returns the arena's new end.
 */
static size_t place_blocks(struct allfold_executor *e, const struct allfold_elements *elements,
                           size_t end)
{
    const struct allfold_schedule *schedule = e->schedule;
    for (uint32_t slot = 0; slot < e->window; slot++) {
        size_t longest = 0;
        for (uint32_t m = slot; m < schedule->message_count; m += e->window) {
            const struct allfold_step *step = &schedule->steps[schedule->message_step[m]];
            if (step->kind == ALLFOLD_STEP_SEND && step->length >= elements->sparse->least &&
                step->length > longest)
                longest = step->length;
        }
        e->coded[slot] = end;
        end += allfold_elements_room(elements, longest).bytes;
    }
    return end;
}

size_t allfold_executor_place(struct allfold_executor *e, const struct allfold_elements *elements)
{
    const struct allfold_elements *placed = &e->placed;
    if (e->placed_bytes == 0 || placed->extent_bytes != elements->extent_bytes ||
        placed->low_bytes != elements->low_bytes || placed->high_bytes != elements->high_bytes ||
        placed->sparse != elements->sparse) {
        e->placed_bytes = place_scratch(e->schedule, elements, e->placed_at);
        if (elements->sparse != NULL)
            e->placed_bytes = place_blocks(e, elements, e->placed_bytes);
        e->placed = *elements;
        e->has_straight = false;
    }
    return e->placed_bytes;
}

/* Encodes a message that is sent, if that is allowed. Messages longer than an int can count are not
 * encoded: transports could not report how much arrived. */
static void shorten(struct allfold_executor *e, struct allfold_message *message)
{
    const struct allfold_transport *transport = e->binding.transport;
    const struct allfold_transport_operations *operations = transport->operations;
    if (message->length < e->sparse->least || message->length > INT_MAX ||
        operations->may_compress == NULL || !operations->may_compress(transport, message->peer))
        return;
    const struct allfold_rle_block block =
        allfold_sparse_encode(e->sparse, (char *)e->binding.scratch + e->coded[message->slot],
                              message->data, message->length);
    message->data = (void *)(uintptr_t)block.words; /* only ever read */
    message->length = block.length;
}

/* An error loses data. A transport that sends poison lets the run go on to its end without data, so
 * that all messages of all ranks match. Else the executor gives the run up. */
static bool lose(struct allfold_executor *e, int error)
{
    enum { MOST_FAULTS = 8 };
    if (e->lost == 0)
        e->lost = error;
    if (!e->binding.transport->operations->sends_poison || e->faults > MOST_FAULTS)
        e->error = error;
    return e->error == 0;
}

/* Retries what could not be started, a send as poison. */
static int start(struct allfold_executor *e, struct allfold_message *message, bool is_send)
{
    struct allfold_transport *transport = e->binding.transport;
    const struct allfold_transport_operations *operations = transport->operations;
    for (;;) {
        message->has_no_data = (is_send ? e->lost : e->binding.lost) != 0;
        const int error = is_send ? operations->send(transport, message)
                                  : operations->receive(transport, message);
        if (error == 0)
            return 0;
        e->faults++;
        if (!lose(e, error))
            return error;
    }
}

static void start_message(struct allfold_executor *e, const struct allfold_step *step)
{
    if (e->error != 0)
        return; /* what failed before must not send what it left */
    struct allfold_message message = {
        .data = e->binding.lost != 0 ? NULL : address_of(e, step, 0),
        .length = step->length,
        .peer = step->peer,
        .number = step->number,
        .publication = e->schedule->publication[step - e->schedule->steps],
        .slot = step->message & (e->window - 1),
    };
    if (e->sparse != NULL && step->kind == ALLFOLD_STEP_SEND && e->lost == 0)
        shorten(e, &message);
    e->received[message.slot] = message.length;
    e->error = start(e, &message, step->kind == ALLFOLD_STEP_SEND);
    e->in_flight += e->error == 0;
}

static void finish_step(struct allfold_executor *e, uint32_t index);

/* A step waits for no other step any more: starts it, or queues it. */
static void make_ready(struct allfold_executor *e, uint32_t index)
{
    const struct allfold_step *step = &e->schedule->steps[index];
    if (index == e->run_early)
        finish_step(e, index);
    else if (step->peer < 0)
        e->ready[e->ready_end++] = index;
    else if (step->message - e->oldest < e->window)
        start_message(e, step);
}

/* Is what a receive brings the left operand of a reduction? */
static bool is_left(const struct allfold_step *receive, const struct allfold_step *reduce)
{
    return reduce->buffer[1] == receive->buffer[0] && reduce->offset[1] == receive->offset[0];
}

static void release(struct allfold_executor *e, const struct retained *retained)
{
    struct allfold_transport *transport = e->binding.transport;
    transport->operations->release_published(transport, &retained->published);
}

/* Releases what only this step was to read. */
static void release_operands(struct allfold_executor *e, uint32_t step)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->retained_count; i++)
        if (e->retained[i].reduction == step)
            release(e, &e->retained[i]);
        else
            e->retained[kept++] = e->retained[i];
    e->retained_count = kept;
}

static int copy_to_place(const struct allfold_executor *e, const struct retained *retained)
{
    const struct allfold_elements *elements = e->binding.elements;
    const struct allfold_step *receive = &e->schedule->steps[retained->receive];
    return e->lost != 0 ? 0
                        : elements->copy(elements, address_of(e, receive, 0),
                                         retained->published.data, receive->length);
}

/* Releases retained messages, and copies them to their final place, because it is unknown how long
 * the reductions that read them will still wait. Messages of reductions that have started are kept:
 * the results may be in that place, and these reductions wait only for the rest of one message.
 * False if there is no other retained message. */
static bool take_retained(struct allfold_executor *e)
{
    const uint32_t count = e->retained_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct retained retained = e->retained[i];
        if (retained.is_begun) {
            e->retained[kept++] = retained;
            continue;
        }
        const int error = copy_to_place(e, &retained);
        release(e, &retained);
        if (error != 0)
            lose(e, error);
    }
    e->retained_count = kept;
    return kept < count;
}

/* A reduction reads what is delivered from now on. */
static void note_begun(struct allfold_executor *e, uint32_t reduction)
{
    for (uint32_t i = 0; i < e->retained_count; i++)
        if (e->retained[i].reduction == reduction)
            e->retained[i].is_begun = true;
}

/* Where an operand of a reduction lies. *first becomes the element to read first if the operand is
 * retained. */
static const void *operand(const struct allfold_executor *e, uint32_t reduction, int which,
                           size_t *first)
{
    const struct allfold_step *reduce = &e->schedule->steps[reduction];
    for (uint32_t i = 0; i < e->retained_count; i++) {
        const struct retained *retained = &e->retained[i];
        if (retained->reduction == reduction &&
            is_left(&e->schedule->steps[retained->receive], reduce) == (which == 1)) {
            *first = retained->published.first;
            return retained->published.data;
        }
    }
    return address_of(e, reduce, which);
}

static void finish_step(struct allfold_executor *e, uint32_t index)
{
    const struct allfold_schedule *schedule = e->schedule;
    assert(e->remaining > 0);
    e->remaining--;
    if (e->retained_count > 0)
        release_operands(e, index);
    if (e->binding.feed != NULL && e->lost == 0)
        allfold_feed_note_step(e->binding.feed, &schedule->steps[index]);
    for (uint32_t i = schedule->first_edge[index]; i < schedule->first_edge[index + 1]; i++) {
        assert(e->waits_for[schedule->edges[i]] > 0);
        if (--e->waits_for[schedule->edges[i]] == 0)
            make_ready(e, schedule->edges[i]);
    }
}

/* Are segments of the input still to arrive? */
static bool is_fed(const struct allfold_executor *e)
{
    const struct allfold_feed *feed = e->binding.feed;
    return feed != NULL && feed->seen < feed->in_count;
}

/* Starts what waited for segments that have arrived. After an error nothing arrives any more, and
 * nobody waits for it. */
static bool take_segments(struct allfold_executor *e, bool waits)
{
    struct allfold_feed *feed = e->binding.feed;
    const uint32_t seen = feed->seen;
    uint32_t count = seen;
    const int error = feed->arrived(feed, waits, &count);
    assert(count >= seen && count <= feed->in_count);
    if (error != 0 && !lose(e, error))
        return false;
    count = error != 0 ? feed->in_count : count;
    for (; feed->seen < count; feed->seen++) {
        if (e->lost == 0)
            allfold_feed_note_arrival(feed, feed->order[feed->seen]);
        for (uint32_t i = feed->first_waiting[feed->seen]; i != ALLFOLD_NO_STEP;
             i = feed->next_waiting[i])
            if (--e->waits_for[i] == 0)
                make_ready(e, i);
    }
    return count > seen;
}

/* The oldest message is done: one more message may start. */
static void advance_window(struct allfold_executor *e)
{
    uint32_t admitted = e->oldest + e->window;
    e->is_done[e->oldest & (e->window - 1)] = false;
    e->oldest++;
    if (admitted >= e->schedule->message_count)
        return;
    uint32_t index = e->schedule->message_step[admitted];
    if (e->waits_for[index] == 0)
        start_message(e, &e->schedule->steps[index]);
}

static uint32_t step_in(const struct allfold_executor *e, uint32_t slot)
{
    assert(slot < e->window);
    assert(e->oldest + ((slot - e->oldest) & (e->window - 1)) < e->schedule->message_count);
    return e->schedule->message_step[e->oldest + ((slot - e->oldest) & (e->window - 1))];
}

/* May a reduction be done at once with the next one? */
static bool may_fold(const struct allfold_executor *e, uint32_t reduction)
{
    return e->binding.elements->fold != NULL && e->schedule->fused[reduction] != ALLFOLD_NO_STEP;
}

/* The transport offers a message to be read in place. A reduction that waits for no other step
 * reads it as it is delivered, unless it may be fused with the reductions of more messages: a fused
 * reduction reads each of the messages that have arrived by then once, and writes no intermediate
 * results. */
static bool offer(void *context, uint32_t slot, const struct allfold_published *published)
{
    struct allfold_executor *e = context;
    const uint32_t receive = step_in(e, slot), reduction = e->schedule->fused[receive];
    if (e->lost != 0 || reduction == ALLFOLD_NO_STEP || e->retained_count == e->window ||
        (e->waits_for[reduction] == 1 && !may_fold(e, reduction)))
        return false;
    e->retained[e->retained_count++] = (struct retained){*published, receive, reduction, false};
    return true;
}

/* The transport delivers elements of a message. Reduces them at once if the only reduction that
 * reads them waits for no other step; otherwise copies them to their final place. */
static int deliver(void *context, uint32_t slot, size_t first, size_t count, const void *data)
{
    struct allfold_executor *e = context;
    if (e->lost != 0)
        return 0;
    const uint32_t receive = step_in(e, slot), reduction = e->schedule->fused[receive];
    assert(first + count <= e->schedule->steps[receive].length);
    const struct allfold_elements *elements = e->binding.elements;
    const ptrdiff_t from = (ptrdiff_t)first * e->extent_bytes;
    if (e->taken_by[slot] == ALLFOLD_NO_STEP) {
        const bool reduces = reduction != ALLFOLD_NO_STEP && e->waits_for[reduction] == 1;
        e->taken_by[slot] = reduces ? reduction : NO_REDUCTION;
        if (reduces && e->retained_count > 0)
            note_begun(e, reduction);
    }
    const struct allfold_step *step = &e->schedule->steps[receive];
    if (e->taken_by[slot] == NO_REDUCTION)
        return elements->copy(elements, (char *)address_of(e, step, 0) + from, data, count);
    const struct allfold_step *reduce = &e->schedule->steps[reduction];
    const bool left = is_left(step, reduce);
    size_t unused;
    const void *other = (const char *)operand(e, reduction, left ? 2 : 1, &unused) + from;
    return elements->reduce(elements, (char *)address_of(e, reduce, 0) + from, left ? data : other,
                            left ? other : data, count);
}

/* An encoded block was received instead of a vector. Reduces it without decoding if the only
 * reduction that reads it waits for no other step; otherwise decodes it. */
static int deliver_block(struct allfold_executor *e, uint32_t slot)
{
    const uint32_t receive = step_in(e, slot), reduction = e->schedule->fused[receive];
    const struct allfold_step *step = &e->schedule->steps[receive];
    const size_t received = e->received[slot], length = step->length;
    void *place = address_of(e, step, 0);
    if (reduction == ALLFOLD_NO_STEP || e->waits_for[reduction] != 1)
        return allfold_sparse_expand(e->sparse, place, received, length) ? 0 : e->sparse->malformed;
    const struct allfold_step *reduce = &e->schedule->steps[reduction];
    const bool left = is_left(step, reduce);
    const struct allfold_rle_block block = {place, received};
    size_t unused;
    const struct allfold_rle_block other = {operand(e, reduction, left ? 2 : 1, &unused), length};
    e->taken_by[slot] = reduction;
    return allfold_sparse_reduce(e->sparse, address_of(e, reduce, 0), left ? block : other,
                                 left ? other : block, length)
               ? 0
               : e->sparse->malformed;
}

static void finish_message(struct allfold_executor *e, uint32_t slot)
{
    const uint32_t step = step_in(e, slot);
    assert(e->in_flight > 0 && !e->is_done[slot]);
    int error = 0;
    if (e->sparse != NULL && e->lost == 0 &&
        e->schedule->steps[step].kind == ALLFOLD_STEP_RECEIVE &&
        e->received[slot] != e->schedule->steps[step].length)
        error = deliver_block(e, slot);
    if (error != 0 && !lose(e, error))
        return;
    e->in_flight--;
    e->is_done[slot] = true;
    e->run_early = e->taken_by[slot];
    e->taken_by[slot] = ALLFOLD_NO_STEP;
    finish_step(e, step);
    e->run_early = ALLFOLD_NO_STEP;
    while (e->is_done[e->oldest & (e->window - 1)])
        advance_window(e);
}

/* Reduces elements first .. end - 1 of vectors, two or more. */
static int reduce_part(const struct allfold_executor *e, void *to, const void *const *operands,
                       size_t many, size_t first, size_t end)
{
    const struct allfold_elements *elements = e->binding.elements;
    const ptrdiff_t from = (ptrdiff_t)first * e->extent_bytes;
    const void *parts[ALLFOLD_CHAIN_OPERANDS];
    if (first == end)
        return 0;
    for (size_t k = 0; k < many; k++)
        parts[k] = allfold_address(operands[k], from);
    to = allfold_address(to, from);
    return many == 2 ? elements->reduce(elements, to, parts[0], parts[1], end - first)
                     : elements->fold(elements, to, parts, many, end - first);
}

/* A reduction, and at once with it those of its chain that wait for nothing else. Sets *last. */
static int reduce(const struct allfold_executor *e, uint32_t first, uint32_t *last)
{
    const struct allfold_step *steps = e->schedule->steps;
    const size_t length = steps[first].length;
    size_t begin = 0, many = 2;
    const void *operands[ALLFOLD_CHAIN_OPERANDS] = {operand(e, first, 1, &begin),
                                                    operand(e, first, 2, &begin)};
    uint32_t next = may_fold(e, first) ? e->schedule->fused[first] : ALLFOLD_NO_STEP;
    while (many < ALLFOLD_CHAIN_OPERANDS && next != ALLFOLD_NO_STEP && e->waits_for[next] == 1) {
        operands[many++] = operand(e, next, 2, &begin);
        *last = next;
        next = e->schedule->fused[next];
    }
    void *to = address_of(e, &steps[*last], 0);
    const int error = reduce_part(e, to, operands, many, begin, length);
    return error != 0 ? error : reduce_part(e, to, operands, many, 0, begin);
}

static void run_local(struct allfold_executor *e, uint32_t index)
{
    const struct allfold_step *step = &e->schedule->steps[index];
    const struct allfold_elements *elements = e->binding.elements;
    uint32_t last = index;
    int error = 0;
    if (e->lost == 0 && step->kind == ALLFOLD_STEP_REDUCE)
        error = reduce(e, index, &last);
    else if (e->lost == 0)
        error =
            elements->copy(elements, address_of(e, step, 0), address_of(e, step, 1), step->length);
    if (error != 0 && !lose(e, error))
        return;
    for (; index != last && error == 0; index = e->schedule->fused[index]) {
        e->waits_for[e->schedule->fused[index]]++; /* done already: must not come up */
        finish_step(e, index);
    }
    finish_step(e, index);
}

/* Makes progress; returns how many messages are done. */
static uint32_t progress(struct allfold_executor *e, bool wait)
{
    uint32_t count = 0;
    struct allfold_transport *transport = e->binding.transport;
    const struct allfold_transport_operations *operations = transport->operations;
    int error = wait ? operations->wait(transport, e->oldest & (e->window - 1), e->slots, &count)
                     : operations->test(transport, e->slots, &count);
    if (transport->got_poison && e->lost == 0)
        e->lost = transport->poison_error;
    transport->got_poison = false;
    e->faults += error != 0 && count == 0;
    if (error != 0)
        lose(e, error);
    for (uint32_t i = 0; i < count && e->error == 0; i++)
        finish_message(e, e->slots[i]);
    return count;
}

/* Runs the local steps that wait for nothing. In between it polls for messages, which must not wait
 * for long work, but only after some KiB of it: polling 7 requests of MPI takes as long as that. */
static void run_ready(struct allfold_executor *e)
{
    enum { WORK_BYTES = 4096 };
    const struct allfold_elements *elements = e->binding.elements;
    const size_t element_bytes = (size_t)(elements->high_bytes - elements->low_bytes);
    size_t bytes = 0; /* worked on since the last poll */
    while (e->ready_begin < e->ready_end && e->error == 0) {
        const uint32_t step = e->ready[e->ready_begin++], before = e->remaining;
        run_local(e, step); /* and those that are fused with it, which are as long */
        bytes += (before - e->remaining) * e->schedule->steps[step].length * element_bytes;
        if (bytes < WORK_BYTES || e->ready_begin == e->ready_end || e->in_flight == 0 ||
            e->error != 0)
            continue;
        progress(e, false);
        bytes = 0;
    }
}

static int fail(struct allfold_executor *e)
{
    for (uint32_t i = 0; i < e->retained_count; i++)
        release(e, &e->retained[i]);
    e->retained_count = 0;
    if (e->in_flight > 0)
        e->binding.transport->operations->abandon(e->binding.transport);
    e->in_flight = 0;
    e->remaining = 0;
    for (uint32_t i = 0; i < e->window; i++) {
        e->is_done[i] = false;
        e->taken_by[i] = ALLFOLD_NO_STEP;
    }
    return e->lost;
}

/* May the run be a straight one? */
static bool can_go_straight(struct allfold_executor *e)
{
    const size_t put_limit = e->binding.transport->put_limit;
    if (e->straight == NULL || put_limit == 0 || e->binding.feed != NULL)
        return false;
    if (!e->has_straight)
        e->has_straight =
            allfold_straight_make(e->straight, e->schedule, e->binding.elements->extent_bytes,
                                  e->placed_at, e->waits_for);
    if (!e->has_straight)
        e->straight = NULL;
    return e->has_straight && e->straight->longest <= put_limit;
}

/* Goes on with a straight run; to its end with `wait`. */
static int advance_straight(struct allfold_executor *e, bool wait)
{
    struct allfold_transport *transport = e->binding.transport;
    for (unsigned times = 0;; times++) {
        const uint32_t next = e->next;
        allfold_straight_go_on(e->straight, &e->next, e->bases, e->binding.elements, transport,
                               &e->lost);
        transport->got_poison = false;
        e->remaining = e->straight->count - e->next;
        if (e->remaining == 0)
            return e->lost;
        if (!wait)
            return 0;
        if (e->next != next)
            times = 0;
        const struct allfold_straight_step *step = &e->straight->steps[e->next];
        transport->operations->await(transport, step->sends ? -1 : step->peer, step->length, times);
    }
}

static int start_straight(struct allfold_executor *e)
{
    e->sparse = NULL;
    e->bases[ALLFOLD_FROM_IN] = e->binding.in;
    e->bases[ALLFOLD_FROM_OUT] = e->binding.out;
    e->bases[ALLFOLD_FROM_SCRATCH] = e->binding.scratch;
    e->next = 0;
    return advance_straight(e, false);
}

int allfold_executor_start(struct allfold_executor *e, const struct allfold_binding *binding)
{
    const struct allfold_schedule *schedule = e->schedule;
    assert(e->remaining == 0); /* the last run is done */
    assert((uintptr_t)binding->scratch % SCRATCH_ALIGNMENT == 0 ||
           schedule->buffer_count <= ALLFOLD_SCRATCH);
    assert(binding->lost == 0 || binding->transport->operations->sends_poison);
    e->binding = *binding;
    e->error = e->faults = 0;
    e->lost = binding->lost;
    binding->transport->got_poison = false;
    allfold_executor_place(e, binding->elements);
    e->goes_straight = can_go_straight(e);
    if (e->goes_straight)
        return start_straight(e);
    e->extent_bytes = binding->elements->extent_bytes;
    e->base[ALLFOLD_IN] = binding->in;
    e->base[ALLFOLD_OUT] = binding->out;
    for (uint32_t i = ALLFOLD_SCRATCH; i < schedule->buffer_count; i++)
        e->base[i] = allfold_address(binding->scratch, e->placed_at[i]);
    binding->transport->deliver = deliver;
    binding->transport->offer = offer;
    binding->transport->deliver_context = e;
    e->sparse = binding->elements->sparse;
    binding->transport->received = e->sparse == NULL ? NULL : e->received;
    if (e->sparse != NULL)
        allfold_sparse_begin(e->sparse);
    e->oldest = e->in_flight = e->ready_begin = e->ready_end = 0;
    e->remaining = schedule->step_count;
    memcpy(e->waits_for, schedule->waits_for, schedule->step_count * sizeof *e->waits_for);
    if (binding->feed != NULL)
        allfold_feed_hold(binding->feed, e->waits_for);
    for (uint32_t i = 0; i < schedule->root_count && e->error == 0; i++)
        if (e->waits_for[schedule->roots[i]] == 0)
            make_ready(e, schedule->roots[i]);
    return e->error == 0 ? 0 : fail(e);
}

static int end(struct allfold_executor *e)
{
    if (e->sparse != NULL)
        allfold_sparse_end(e->sparse);
    e->sparse = NULL; /* so that it ends once */
    return e->lost;
}

/* Progress of messages; while segments are to arrive, without waiting, and maybe there are none. */
static bool go_on_with_messages(struct allfold_executor *e, bool wait)
{
    return is_fed(e) ? e->in_flight > 0 && progress(e, false) > 0 : progress(e, wait) > 0;
}

static int advance(struct allfold_executor *e, bool wait)
{
    if (e->goes_straight && e->remaining > 0)
        return advance_straight(e, wait);
    while (e->error == 0) {
        run_ready(e);
        if (e->remaining == 0 || e->error != 0)
            break;
        if (e->ready_begin < e->ready_end || (is_fed(e) && take_segments(e, false)) ||
            e->error != 0 || go_on_with_messages(e, wait) || e->error != 0)
            continue;
        if (!take_retained(e) && !wait)
            return 0;
        if (wait && is_fed(e))
            take_segments(e, true);
    }
    assert(e->error != 0 || e->retained_count == 0);
    return e->error == 0 ? end(e) : fail(e);
}

int allfold_executor_test(struct allfold_executor *e, bool *done)
{
    int error = advance(e, false);
    *done = e->remaining == 0;
    return error;
}

int allfold_executor_wait(struct allfold_executor *e)
{
    return advance(e, true);
}

bool allfold_executor_was_given_up(const struct allfold_executor *e)
{
    return e->error != 0;
}

void allfold_executor_tell_received(const struct allfold_executor *e,
                                    void (*tell)(void *context, int peer, bool has_come),
                                    void *context)
{
    if (e->goes_straight)
        return; /* which keeps no such accounts */
    for (uint32_t m = 0; m < e->schedule->message_count; m++) {
        const struct allfold_step *step = &e->schedule->steps[e->schedule->message_step[m]];
        const bool is_done =
            m < e->oldest || (m - e->oldest < e->window && e->is_done[m & (e->window - 1)]);
        if (step->kind == ALLFOLD_STEP_RECEIVE)
            tell(context, step->peer, is_done);
    }
}
