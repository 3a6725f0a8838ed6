/* The executor: runs one rank's schedule over a transport. Blocking, nonblocking and persistent
 * calls, and virtual ranks, all use it.
 *
 * A step starts as soon as all steps that it waits for are done. The messages of a rank, sent and
 * received ones, are numbered in program order. A message may be in flight only if its number is
 * less than `window` after that of the oldest unfinished message, so the oldest one can always be
 * in flight. This limit causes no deadlock in a schedule that has none if it waits for each
 * `window` messages in turn.
 *
 * An executor runs one collective at a time, and any number one after the other. Only its creation
 * allocates memory. One thread at a time. */
#ifndef ALLFOLD_EXECUTE_EXECUTOR_H
#define ALLFOLD_EXECUTE_EXECUTOR_H

#include <stdbool.h>

#include "execute/elements.h"
#include "execute/buffer_progress.h"
#include "transport/transport.h"
#include "schedule/schedule.h"

/* What a run needs besides the schedule. */
struct allfold_binding {
    const void *in; /* ignored if the schedule does not use it, as `out` */
    void *out;
    void *scratch; /* aligned to 64; allfold_executor_place returns its length */
    const struct allfold_elements *elements;
    struct allfold_transport *transport;
    int lost; /* if not 0: this rank has no data, and possibly no memory for them; its run fails
                 with this error, and the transport must send poison */
    struct allfold_feed *feed; /* of this run, prepared by allfold_feed_make; NULL: all data are in
                                  the buffers and stay there */
};

struct allfold_executor;

/* Creates an executor for a schedule, which must outlive it. NULL if out of memory. The caller
 * frees it with allfold_executor_free. */
struct allfold_executor *allfold_executor_create(const struct allfold_schedule *schedule,
                                                 uint32_t window);
void allfold_executor_free(struct allfold_executor *executor);

/* Returns the bytes of memory of an executor. */
size_t allfold_executor_bytes(const struct allfold_schedule *schedule, uint32_t window);

/* Creates an executor in the caller's memory, of allfold_executor_bytes bytes, aligned to 64. It
 * must not be freed with allfold_executor_free. */
struct allfold_executor *
allfold_executor_create_in(void *memory, const struct allfold_schedule *schedule, uint32_t window);

/* Returns the bytes of scratch memory that a run over such elements needs. They must not be sparse.
 */
size_t allfold_executor_scratch_bytes(const struct allfold_schedule *schedule,
                                      const struct allfold_elements *elements);

/* Lays out the scratch memory for such elements, and returns its length in bytes, with memory for
 * compressed messages if the elements are sparse. Fast if the elements are the same as in the last
 * run. */
size_t allfold_executor_place(struct allfold_executor *executor,
                              const struct allfold_elements *elements);

/* Starts a run without waiting. The last run must be done. What `binding` points to must be valid
 * until this run is done. Returns 0, or the error of a step (see allfold_executor_wait). Local. */
int allfold_executor_start(struct allfold_executor *executor,
                           const struct allfold_binding *binding);

/* Makes progress without waiting, and sets *done if the run has ended. Returns as
 * allfold_executor_wait does. */
int allfold_executor_test(struct allfold_executor *executor, bool *done);

/* Calls `tell` for every message that the current run receives, with its sender and whether it has
 * arrived. It calls `tell` for no message of a straight run (straight_run.h). */
void allfold_executor_tell_received(const struct allfold_executor *executor,
                                    void (*tell)(void *context, int peer, bool has_come),
                                    void *context);

/* Completes the run. Returns 0 or the error of the first step that failed; the executor may be
 * started again. After a failed step, the run goes on without data if the transport sends poison:
 * ranks that need these data fail, too, no rank waits forever, and every message that is sent is
 * received. Otherwise the run ends at once and gives up the messages in flight. */
int allfold_executor_wait(struct allfold_executor *executor);

/* Returns whether the last run was given up, so that it may have left messages behind. */
bool allfold_executor_was_given_up(const struct allfold_executor *executor);

#endif
