/* Feeds: copies of a run's data into its buffers, and of results out of them, that overlap with the
 * run.
 *
 * The data are cut into segments. A step that accesses a segment waits until the segment has
 * arrived. A segment leaves as soon as the last step that writes it is done. So the copies overlap
 * with the schedule as far as the schedule goes through its buffers part by part.
 *
 * In place, arriving and leaving segments share elements, and their boundaries may differ. A
 * leaving segment then also waits for the arriving segments that overlap it. Elements that no step
 * writes have no new value, and do not leave.
 *
 * A feed is local to a rank: the schedule, its messages and the other ranks do not change. It
 * cannot cause a deadlock, because segments arrive independently of the steps.
 *
 * Invariant: segments arrive in the order in which the steps first access them; segments that no
 * step accesses arrive last. One thread at a time. */
#ifndef ALLFOLD_EXECUTE_BUFFER_PROGRESS_H
#define ALLFOLD_EXECUTE_BUFFER_PROGRESS_H

#include <stdbool.h>

#include "schedule/schedule.h"

/* A part of a buffer: elements [first, end), in segments of `segment` elements, of which the last
 * may be shorter. Empty if first == end. */
struct allfold_fed {
    int buffer;
    size_t first, end, segment;
};

/* A feed of one run. */
struct allfold_feed {
    /* Set by the owner. `arrived` returns in *count how many segments of those in `order` have
     * arrived; if `waits`, it waits for one more. It returns 0 or an error code, as transports do.
     * The executor calls `leave` once a segment has its final value. */
    int (*arrived)(struct allfold_feed *feed, bool waits, uint32_t *count);
    void (*leave)(struct allfold_feed *feed, uint32_t segment);
    struct allfold_fed in, out;

    /* Set by allfold_feed_make. */
    uint32_t in_count, out_count; /* number of segments */
    uint32_t *order;              /* the arriving segments in the order of their arrival */
    uint32_t *first_waiting;      /* position in `order` -> a step that waits for that segment */
    uint32_t *next_waiting;       /* step -> the next step that waits for the same segment */
    uint32_t *writers; /* leaving segment -> number of steps and arrivals that have yet to write it,
                          if steps write it */

    uint32_t seen; /* segments whose arrival the executor has handled */
};

/* Returns how many elements `words` of allfold_feed_make must have. */
size_t allfold_feed_words(const struct allfold_feed *feed, const struct allfold_schedule *schedule);

/* Prepares a feed for a run of the schedule. `in`, `out` and the owner's functions must be set.
 * `words` belongs to the feed until the run has ended. */
void allfold_feed_make(struct allfold_feed *feed, const struct allfold_schedule *schedule,
                       uint32_t *words);

/* Adds to waits_for[step] the segments that the step waits for. */
void allfold_feed_hold(const struct allfold_feed *feed, uint32_t *waits_for);

/* Records that a step is done, and calls `leave` for each segment that has its final value now. */
void allfold_feed_note_step(struct allfold_feed *feed, const struct allfold_step *step);

/* Records that the next segment in `order` has arrived, and calls `leave` for each segment that has
 * its final value now. */
void allfold_feed_note_arrival(struct allfold_feed *feed, uint32_t segment);

/* Calls `leave` for all segments that have not left. All steps must be done and all segments must
 * have arrived, also those that no step waited for. */
void allfold_feed_end(struct allfold_feed *feed);

/* Returns the number of segments. */
static inline uint32_t allfold_fed_count(const struct allfold_fed *fed)
{
    return fed->first >= fed->end
               ? 0
               : (uint32_t)((fed->end - fed->first + fed->segment - 1) / fed->segment);
}

/* Returns the first element of a segment. */
static inline size_t allfold_fed_begin(const struct allfold_fed *fed, uint32_t segment)
{
    return fed->first + segment * fed->segment;
}

/* Returns the end of a segment: the element after its last one. */
static inline size_t allfold_fed_end(const struct allfold_fed *fed, uint32_t segment)
{
    const size_t end = allfold_fed_begin(fed, segment) + fed->segment;
    return end < fed->end ? end : fed->end;
}

#endif
