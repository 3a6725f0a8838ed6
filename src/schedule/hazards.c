/* Intervals of buffers with their writers and readers (see hazards.h). */
#include "schedule/hazards.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "util/memory.h"

static const uint32_t NONE = UINT32_MAX;

void allfold_hazards_free(struct allfold_hazards *hazards)
{
    allfold_free(hazards->intervals);
    allfold_free(hazards->readers);
    allfold_free(hazards->edges);
    allfold_free(hazards->seen);
}

void allfold_hazards_clear(struct allfold_hazards *h)
{
    h->interval_count = h->reader_count = h->edge_count = 0;
    h->walked = 0;
}

bool allfold_hazards_are_small(const struct allfold_hazards *h)
{
    enum { MOST = 512 };
    return h->interval_capacity <= MOST && h->reader_capacity <= MOST && h->edge_capacity <= MOST &&
           h->seen_capacity <= MOST;
}

static uint32_t new_interval(struct allfold_hazards *h)
{
    uint32_t interval = h->free_interval;
    if (interval != NONE && h->interval_count > 0) {
        h->free_interval = h->intervals[interval].next;
        return interval;
    }
    void *intervals = allfold_make_room(h->intervals, h->interval_count, &h->interval_capacity,
                                        sizeof *h->intervals);
    if (intervals == NULL)
        return NONE;
    h->intervals = intervals;
    return h->interval_count++;
}

enum allfold_error allfold_hazards_add_buffer(struct allfold_hazards *h, int buffer, size_t length)
{
    assert(buffer >= 0 && buffer < ALLFOLD_MAX_BUFFERS);
    if (h->interval_count == 0)
        h->free_interval = NONE;
    uint32_t interval = new_interval(h);
    if (interval == NONE)
        return ALLFOLD_NO_MEMORY;
    h->intervals[interval] = (struct allfold_interval){.offset = 0,
                                                       .end = length,
                                                       .next = NONE,
                                                       .previous = NONE,
                                                       .writer = NONE,
                                                       .readers = NONE};
    for (int i = 0; i < ALLFOLD_HAZARD_STREAMS; i++)
        h->hints[buffer][i] = interval;
    h->next_hint[buffer] = 0;
    return ALLFOLD_OK;
}

/* The interval that holds the element at `offset`, sought from `interval` on, and how many are
 * between them. */
static uint32_t find(const struct allfold_hazards *h, uint32_t interval, size_t offset,
                     uint32_t *walked)
{
    assert(interval != NONE);
    *walked = 0;
    for (; h->intervals[interval].offset > offset; ++*walked) {
        interval = h->intervals[interval].previous;
        assert(interval != NONE); /* intervals cover the buffer */
    }
    for (; h->intervals[interval].end <= offset; ++*walked) {
        assert(h->intervals[interval].next == NONE ||
               h->intervals[h->intervals[interval].next].offset == h->intervals[interval].end);
        interval = h->intervals[interval].next;
        assert(interval != NONE);
    }
    return interval;
}

/* Which hint of a buffer is nearest to an offset, in elements. */
static int nearest_hint(const struct allfold_hazards *h, int buffer, size_t offset)
{
    int nearest = 0;
    size_t least = SIZE_MAX;
    for (int i = 0; i < ALLFOLD_HAZARD_STREAMS; i++) {
        const size_t begin = h->intervals[h->hints[buffer][i]].offset;
        const size_t distance = begin > offset ? begin - offset : offset - begin;
        nearest = distance < least ? i : nearest;
        least = distance < least ? distance : least;
    }
    return nearest;
}

/* Finds from the nearest hint, and moves that hint to what it finds; after a long walk another one,
 * in turn. */
static uint32_t find_in_buffer(struct allfold_hazards *h, int buffer, size_t offset)
{
    enum { LONG_WALK = 8 };
    uint32_t walked;
    int moved = nearest_hint(h, buffer, offset);
    const uint32_t found = find(h, h->hints[buffer][moved], offset, &walked);
    h->walked += walked;
    if (walked > LONG_WALK) {
        moved = h->next_hint[buffer];
        h->next_hint[buffer] = (uint8_t)((moved + 1) % ALLFOLD_HAZARD_STREAMS);
    }
    h->hints[buffer][moved] = found;
    return found;
}

/* Makes an interval begin at `offset`, which lies in `interval`; NONE without memory. */
static uint32_t split(struct allfold_hazards *h, uint32_t interval, size_t offset)
{
    if (h->intervals[interval].offset == offset)
        return interval;
    assert(h->intervals[interval].offset < offset && offset < h->intervals[interval].end);
    uint32_t tail = new_interval(h);
    if (tail == NONE)
        return NONE;
    struct allfold_interval *head = &h->intervals[interval];
    h->intervals[tail] = *head;
    h->intervals[tail].offset = offset;
    h->intervals[tail].previous = interval;
    if (head->next != NONE)
        h->intervals[head->next].previous = tail;
    head->next = tail;
    head->end = offset;
    return tail;
}

/* Returns the first interval of a span whose ends are ends of intervals; NONE if out of memory. */
static uint32_t isolate(struct allfold_hazards *h, struct allfold_span span)
{
    assert(span.length > 0 && span.buffer >= 0 && span.buffer < ALLFOLD_MAX_BUFFERS);
    const size_t end = span.offset + span.length;
    uint32_t first = find_in_buffer(h, span.buffer, span.offset), walked;
    if (h->intervals[first].offset != span.offset)
        first = split(h, first, span.offset);
    if (first == NONE)
        return NONE;
    if (h->intervals[first].end == end)
        return first;
    const uint32_t last = find(h, first, end - 1, &walked);
    if (h->intervals[last].end != end && split(h, last, end) == NONE)
        return NONE;
    return first;
}

static bool inside(const struct allfold_hazards *h, uint32_t interval, struct allfold_span span)
{
    return interval != NONE && h->intervals[interval].offset < span.offset + span.length;
}

static enum allfold_error wait_for(struct allfold_hazards *h, uint32_t step, uint32_t earlier)
{
    if (earlier == NONE || earlier == step || h->seen[earlier] == step + 1)
        return ALLFOLD_OK;
    assert(earlier < step); /* steps come in ascending order */
    void *edges = allfold_make_room(h->edges, h->edge_count, &h->edge_capacity, sizeof *h->edges);
    if (edges == NULL)
        return ALLFOLD_NO_MEMORY;
    h->edges = edges;
    h->seen[earlier] = step + 1;
    h->edges[h->edge_count++] = earlier;
    return ALLFOLD_OK;
}

static enum allfold_error know_step(struct allfold_hazards *h, uint32_t step)
{
    void *seen = allfold_make_room(h->seen, step, &h->seen_capacity, sizeof *h->seen);
    if (seen == NULL)
        return ALLFOLD_NO_MEMORY;
    h->seen = seen;
    h->seen[step] = 0;
    return ALLFOLD_OK;
}

static enum allfold_error add_reader(struct allfold_hazards *h, uint32_t interval, uint32_t step)
{
    void *readers =
        allfold_make_room(h->readers, h->reader_count, &h->reader_capacity, sizeof *h->readers);
    if (readers == NULL)
        return ALLFOLD_NO_MEMORY;
    h->readers = readers;
    h->readers[h->reader_count] =
        (struct allfold_reader){.step = step, .next = h->intervals[interval].readers};
    h->intervals[interval].readers = h->reader_count++;
    return ALLFOLD_OK;
}

enum allfold_error allfold_hazards_read(struct allfold_hazards *h, struct allfold_span span,
                                        uint32_t step)
{
    uint32_t interval = isolate(h, span);
    enum allfold_error error = interval == NONE ? ALLFOLD_NO_MEMORY : know_step(h, step);
    for (; error == ALLFOLD_OK && inside(h, interval, span);
         interval = h->intervals[interval].next) {
        error = wait_for(h, step, h->intervals[interval].writer);
        if (error == ALLFOLD_OK)
            error = add_reader(h, interval, step);
    }
    return error;
}

static enum allfold_error wait_for_users(struct allfold_hazards *h, uint32_t interval,
                                         uint32_t step)
{
    enum allfold_error error = wait_for(h, step, h->intervals[interval].writer);
    for (uint32_t i = h->intervals[interval].readers; error == ALLFOLD_OK && i != NONE;
         i = h->readers[i].next)
        error = wait_for(h, step, h->readers[i].step);
    return error;
}

static void unlink_interval(struct allfold_hazards *h, int buffer, uint32_t interval)
{
    struct allfold_interval *gone = &h->intervals[interval];
    for (int i = 0; i < ALLFOLD_HAZARD_STREAMS; i++)
        if (h->hints[buffer][i] == interval)
            h->hints[buffer][i] = gone->previous;
    assert(gone->previous != NONE && h->intervals[gone->previous].end == gone->offset);
    assert(gone->next == NONE || h->intervals[gone->next].offset == gone->end);
    h->intervals[gone->previous].next = gone->next;
    if (gone->next != NONE)
        h->intervals[gone->next].previous = gone->previous;
    h->intervals[gone->previous].end = gone->end;
    gone->next = h->free_interval;
    h->free_interval = interval;
}

enum allfold_error allfold_hazards_write(struct allfold_hazards *h, struct allfold_span span,
                                         uint32_t step)
{
    uint32_t first = isolate(h, span);
    enum allfold_error error = first == NONE ? ALLFOLD_NO_MEMORY : know_step(h, step);
    if (error != ALLFOLD_OK)
        return error;
    error = wait_for_users(h, first, step);
    while (error == ALLFOLD_OK && inside(h, h->intervals[first].next, span)) {
        uint32_t interval = h->intervals[first].next;
        error = wait_for_users(h, interval, step);
        unlink_interval(h, span.buffer, interval);
    }
    assert(error != ALLFOLD_OK || (h->intervals[first].offset == span.offset &&
                                   h->intervals[first].end == span.offset + span.length));
    h->intervals[first].writer = step;
    h->intervals[first].readers = NONE;
    return error;
}

uint32_t allfold_hazards_writer(const struct allfold_hazards *h, struct allfold_span span)
{
    assert(span.length > 0 && span.buffer >= 0 && span.buffer < ALLFOLD_MAX_BUFFERS);
    const int nearest = nearest_hint(h, span.buffer, span.offset);
    uint32_t walked;
    const uint32_t first = find(h, h->hints[span.buffer][nearest], span.offset, &walked);
    return inside(h, h->intervals[first].next, span) ? NONE : h->intervals[first].writer;
}
