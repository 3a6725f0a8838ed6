/* The event queue of the simulator: a heap of buckets (see events.h). */
#include "lab/simulate/events.h"

#include <assert.h>

#include "util/memory.h"

enum { RECENT = 1 << 12 };

static const uint32_t NONE = UINT32_MAX;

struct queued {
    struct allfold_event event;
    uint32_t next; /* of the bucket, or of the free ones */
};

struct bucket {
    uint64_t time;
    uint64_t serial; /* which was made first */
    uint32_t first, last;
    bool is_live; /* in the heap */
    uint32_t next_free;
};

struct allfold_events {
    struct allfold_budget *budget;
    uint64_t serial;
    uint32_t queued_count, queued_capacity, free_queued;
    uint32_t bucket_count, bucket_capacity, free_bucket;
    uint32_t heap_count, heap_capacity;
    struct queued *queued;
    struct bucket *buckets;
    uint32_t *heap;          /* buckets */
    uint32_t recent[RECENT]; /* times, hashed -> a bucket that maybe has it */
};

struct allfold_events *allfold_events_create(struct allfold_budget *budget)
{
    if (!allfold_budget_take(budget, sizeof(struct allfold_events)))
        return NULL;
    struct allfold_events *events = allfold_allocate_zeroed(sizeof *events);
    if (events == NULL)
        return NULL;
    events->budget = budget;
    events->free_queued = events->free_bucket = NONE;
    return events;
}

void allfold_events_free(struct allfold_events *events)
{
    if (events == NULL)
        return;
    allfold_free(events->queued);
    allfold_free(events->buckets);
    allfold_free(events->heap);
    allfold_free(events);
}

/* As allfold_make_room, within the budget. */
static void *make_room(struct allfold_events *events, void *items, uint32_t index,
                       uint32_t *capacity, size_t item_bytes)
{
    const uint32_t before = *capacity;
    if (index < before)
        return items;
    const size_t most = ((size_t)before + 64) * item_bytes;
    if (!allfold_budget_take(events->budget, most))
        return NULL;
    void *wide = allfold_make_room(items, index, capacity, item_bytes);
    allfold_budget_give_back(events->budget, most - (*capacity - before) * item_bytes);
    return wide;
}

static uint32_t new_queued(struct allfold_events *events)
{
    const uint32_t at = events->free_queued;
    if (at != NONE) {
        events->free_queued = events->queued[at].next;
        return at;
    }
    void *wide = make_room(events, events->queued, events->queued_count, &events->queued_capacity,
                           sizeof *events->queued);
    if (wide == NULL)
        return NONE;
    events->queued = wide;
    return events->queued_count++;
}

static bool is_before(const struct allfold_events *events, uint32_t a, uint32_t b)
{
    const struct bucket *left = &events->buckets[a], *right = &events->buckets[b];
    return left->time != right->time ? left->time < right->time : left->serial < right->serial;
}

static void push(struct allfold_events *events, uint32_t bucket)
{
    assert(events->heap_count < events->bucket_count);
    uint32_t at = events->heap_count++;
    for (uint32_t above; at > 0; at = above) {
        above = (at - 1) / 2;
        if (!is_before(events, bucket, events->heap[above]))
            break;
        events->heap[at] = events->heap[above];
    }
    events->heap[at] = bucket;
}

static void pop(struct allfold_events *events)
{
    assert(events->heap_count > 0);
    struct bucket *gone = &events->buckets[events->heap[0]];
    assert(gone->is_live && gone->first == NONE); /* all of its events were taken */
    gone->is_live = false;
    gone->next_free = events->free_bucket;
    events->free_bucket = events->heap[0];
    const uint32_t moved = events->heap[--events->heap_count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < events->heap_count; below = 2 * at + 1) {
        if (below + 1 < events->heap_count &&
            is_before(events, events->heap[below + 1], events->heap[below]))
            below++;
        if (!is_before(events, events->heap[below], moved))
            break;
        events->heap[at] = events->heap[below];
        at = below;
    }
    events->heap[at] = moved;
}

static uint32_t new_bucket(struct allfold_events *events, uint64_t time)
{
    uint32_t at = events->free_bucket;
    if (at == NONE) {
        void *wide = make_room(events, events->buckets, events->bucket_count,
                               &events->bucket_capacity, sizeof *events->buckets);
        if (wide == NULL)
            return NONE;
        events->buckets = wide;
        wide = make_room(events, events->heap, events->bucket_count, &events->heap_capacity,
                         sizeof *events->heap);
        if (wide == NULL)
            return NONE;
        events->heap = wide;
        at = events->bucket_count++;
    } else {
        events->free_bucket = events->buckets[at].next_free;
    }
    events->buckets[at] = (struct bucket){
        .time = time, .serial = events->serial++, .first = NONE, .last = NONE, .is_live = true};
    push(events, at);
    return at;
}

/* A bucket of that time; another one beside it does no harm. */
static uint32_t bucket_of(struct allfold_events *events, uint64_t time)
{
    uint32_t *recent = &events->recent[(time * 0x9e3779b97f4a7c15u) >> 52];
    if (*recent < events->bucket_count && events->buckets[*recent].is_live &&
        events->buckets[*recent].time == time)
        return *recent;
    const uint32_t made = new_bucket(events, time);
    if (made != NONE)
        *recent = made;
    return made;
}

bool allfold_events_add(struct allfold_events *events, uint64_t time, struct allfold_event event)
{
    const uint32_t at = new_queued(events);
    if (at == NONE)
        return false;
    const uint32_t number = bucket_of(events, time);
    if (number == NONE)
        return false;
    struct bucket *bucket = &events->buckets[number];
    events->queued[at] = (struct queued){.event = event, .next = NONE};
    if (bucket->first == NONE)
        bucket->first = at;
    else
        events->queued[bucket->last].next = at;
    bucket->last = at;
    return true;
}

bool allfold_events_time(struct allfold_events *events, uint64_t *time)
{
    while (events->heap_count > 0 && events->buckets[events->heap[0]].first == NONE)
        pop(events);
    if (events->heap_count == 0)
        return false;
    *time = events->buckets[events->heap[0]].time;
    return true;
}

struct allfold_event allfold_events_take(struct allfold_events *events)
{
    uint64_t time = 0;
    const bool has_any = allfold_events_time(events, &time);
    assert(has_any);
    (void)has_any;
    struct bucket *bucket = &events->buckets[events->heap[0]];
    const uint32_t at = bucket->first;
    bucket->first = events->queued[at].next;
    events->queued[at].next = events->free_queued;
    events->free_queued = at;
    return events->queued[at].event;
}
