/* Feeds: data of a run that arrive in its buffers, and results that leave them, while the run goes
 * on. What arrives and what leaves is cut into segments. A step that touches a segment waits until
 * the segment has arrived; a segment leaves as soon as the last step that writes it is done. So
 * copies to and from elsewhere overlap with the schedule as far as the schedule goes through its
 * buffers part by part.
 *
 * In place, both ways share elements, and segments of the one may begin in the middle of the
 * other's. A segment that leaves then waits also for those that arrive in it. What no step writes
 * has no new value, and does not leave.
 *
 * A feed is one rank's own matter: the schedule, its messages and what other ranks do stay the
 * same. It cannot make a deadlock, as a segment arrives whatever the steps do.
 *
 * Invariant: segments arrive in the order in which the steps first touch them, those that no step
 * touches last. */
#ifndef ALLFOLD_EXECUTE_BUFFER_PROGRESS_H
#define ALLFOLD_EXECUTE_BUFFER_PROGRESS_H

#include <stdbool.h>

#include "schedule/schedule.h"

/* A part of a buffer: elements first .. end - 1, in segments of so many; the last may be shorter.
 * None: first == end. */
struct allfold_fed {
    int buffer;
    size_t first, end, segment;
};

struct allfold_feed {
    /* The owner's. `arrived` says how many segments have arrived of those in `order`. With `waits`
     * it waits for one more. It returns 0 or an error code as transports do. `leave` is told that a
     * segment has its last value. */
    int (*arrived)(struct allfold_feed *feed, bool waits, uint32_t *count);
    void (*leave)(struct allfold_feed *feed, uint32_t segment);
    struct allfold_fed in, out;

    /* Filled by allfold_feed_make. */
    uint32_t in_count, out_count; /* segments */
    uint32_t *order;              /* of arriving segments */
    uint32_t *first_waiting;      /* place in that order -> a step that waits for it */
    uint32_t *next_waiting;       /* step -> the next such one */
    uint32_t *writers; /* leaving segment -> steps and arrivals that still write it, if steps do */

    uint32_t seen; /* segments whose arrival the run has seen */
};

/* How many words of memory allfold_feed_make needs. */
size_t allfold_feed_words(const struct allfold_feed *feed, const struct allfold_schedule *schedule);

/* Makes a feed ready for a run of the schedule, from `in`, `out` and the owner's functions. */
void allfold_feed_make(struct allfold_feed *feed, const struct allfold_schedule *schedule,
                       uint32_t *words);

/* Adds to `waits_for` the arrivals that steps wait for. */
void allfold_feed_hold(const struct allfold_feed *feed, uint32_t *waits_for);

/* A step is done, or the next segment in the order has arrived: tells the owner of segments that
 * have their last value now. */
void allfold_feed_note_step(struct allfold_feed *feed, const struct allfold_step *step);
void allfold_feed_note_arrival(struct allfold_feed *feed, uint32_t segment);

/* All steps are done and all segments have arrived, also those that the run did not wait for: what
 * is still to leave leaves. */
void allfold_feed_end(struct allfold_feed *feed);

/* How many segments there are. */
static inline uint32_t allfold_fed_count(const struct allfold_fed *fed)
{
    return fed->first >= fed->end
               ? 0
               : (uint32_t)((fed->end - fed->first + fed->segment - 1) / fed->segment);
}

/* The elements of a segment. */
static inline size_t allfold_fed_begin(const struct allfold_fed *fed, uint32_t segment)
{
    return fed->first + segment * fed->segment;
}

static inline size_t allfold_fed_end(const struct allfold_fed *fed, uint32_t segment)
{
    const size_t end = allfold_fed_begin(fed, segment) + fed->segment;
    return end < fed->end ? end : fed->end;
}

#endif
