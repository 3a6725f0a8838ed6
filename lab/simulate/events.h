/* Events in the order of their times.
 *
 * Ranks mostly do the same at the same time, so events of one time lie in one bucket, and only
 * buckets are ordered. Where there are few times, an event costs no more than putting it on a list.
 * Events of one time come out in the order in which they came in. */
#ifndef ALLFOLD_LAB_SIMULATE_EVENTS_H
#define ALLFOLD_LAB_SIMULATE_EVENTS_H

#include <stdint.h>

#include "lab/simulate/budget.h"

struct allfold_event {
    uint32_t rank, step;
};

struct allfold_events;

/* NULL without memory. The budget must stay. */
struct allfold_events *allfold_events_create(struct allfold_budget *budget);
void allfold_events_free(struct allfold_events *events);

/* False without memory. `time` is not before that of the last one that was taken. */
bool allfold_events_add(struct allfold_events *events, uint64_t time, struct allfold_event event);

/* The time of the next one; false where there is none. */
bool allfold_events_time(struct allfold_events *events, uint64_t *time);

/* Takes the next one; there has to be one. */
struct allfold_event allfold_events_take(struct allfold_events *events);

#endif
