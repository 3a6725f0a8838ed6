/* The event queue of the simulator: events ordered by time.
 *
 * Ranks mostly do the same at the same time. So all events of one time share a bucket, and a heap
 * orders only the buckets. If there are few different times, adding an event only appends it to a
 * list. Events of the same time are taken in the order in which they were added. */
#ifndef ALLFOLD_LAB_SIMULATE_EVENTS_H
#define ALLFOLD_LAB_SIMULATE_EVENTS_H

#include <stdint.h>

#include "lab/simulate/budget.h"

struct allfold_event {
    uint32_t rank, step;
};

struct allfold_events;

/* Creates an empty queue. Returns NULL if out of memory. `budget` must outlive the queue. Free it
 * with allfold_events_free. */
struct allfold_events *allfold_events_create(struct allfold_budget *budget);
void allfold_events_free(struct allfold_events *events);

/* Adds an event. `time` must not be before the time of the event that was taken last. Returns false
 * if out of memory. */
bool allfold_events_add(struct allfold_events *events, uint64_t time, struct allfold_event event);

/* Writes the time of the next event. Returns false if the queue is empty. */
bool allfold_events_time(struct allfold_events *events, uint64_t *time);

/* Removes the next event and returns it. The queue must not be empty. */
struct allfold_event allfold_events_take(struct allfold_events *events);

#endif
