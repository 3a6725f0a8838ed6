/* The executor: runs one rank's schedule over a transport. The only one: blocking, nonblocking and
 * persistent use, real and virtual ranks all go through it.
 *
 * A step starts as soon as all that it waits for is done. A rank's messages are counted in program
 * order, sent and received ones alike. Only those less than a window ahead of the oldest unfinished
 * one may be in flight, so the oldest one always can be. This bound never makes a deadlock of a
 * program that has none when it waits for each `window` messages in turn.
 *
 * An executor serves one collective at a time and any number one after the other; only creating it
 * allocates. One thread at a time. */
#ifndef ALLFOLD_EXECUTE_EXECUTOR_H
#define ALLFOLD_EXECUTE_EXECUTOR_H

#include <stdbool.h>

#include "execute/elements.h"
#include "execute/buffer_progress.h"
#include "transport/transport.h"
#include "schedule/schedule.h"

struct allfold_binding {
    const void *in; /* not looked at where the schedule does not use it; likewise `out` */
    void *out;
    void *scratch; /* as many bytes as allfold_executor_place says, aligned to 64 */
    const struct allfold_elements *elements;
    struct allfold_transport *transport;
    int lost; /* not 0: this rank has no data and maybe no room for any, and fails with that; the
               * transport must send poison */
    struct allfold_feed *feed; /* of this run, made ready; NULL: all data are there, and stay */
};

struct allfold_executor;

/* An executor for a schedule, which must outlive it; NULL without memory. */
struct allfold_executor *allfold_executor_create(const struct allfold_schedule *schedule,
                                                 uint32_t window);
void allfold_executor_free(struct allfold_executor *executor);

/* Bytes of memory that the executor itself takes. */
size_t allfold_executor_bytes(const struct allfold_schedule *schedule, uint32_t window);

/* An executor in memory of the caller's, so many bytes, aligned to 64; not to be freed. */
struct allfold_executor *
allfold_executor_create_in(void *memory, const struct allfold_schedule *schedule, uint32_t window);

/* Bytes of scratch that a run over such elements needs, which are not sparse. */
size_t allfold_executor_scratch_bytes(const struct allfold_schedule *schedule,
                                      const struct allfold_elements *elements);

/* The same for the executor's schedule, with room for what is sent shorter than it is where the
 * elements may be sparse. Quick where the elements are like the last run's. */
size_t allfold_executor_place(struct allfold_executor *executor,
                              const struct allfold_elements *elements);

/* Starts a run; what `binding` points to must stay until the run is done. Local: does not wait.
 * Also restarts, once the last run is done. Returns 0, or the error of a step (see below). */
int allfold_executor_start(struct allfold_executor *executor,
                           const struct allfold_binding *binding);

/* Goes on as far as possible without waiting; *done says whether the run has ended. */
int allfold_executor_test(struct allfold_executor *executor, bool *done);

/* Says of every message that the run in hand receives, whether it has arrived, and from whom. Says
 * nothing of a run whose messages are all short and go through memory (see straight_run.h). */
void allfold_executor_tell_received(const struct allfold_executor *executor,
                                    void (*tell)(void *context, int peer, bool has_come),
                                    void *context);

/* Goes on to the end. Both return 0 or the code of the step that failed first, and the executor may
 * be started again. After a step that fails the run goes on without data, where the transport sends
 * poison. Ranks that need these data then fail, too. No rank waits for what does not come, and all
 * that is sent is received. Without poison the run ends at once and gives up what is in flight. */
int allfold_executor_wait(struct allfold_executor *executor);

/* Was the last run given up, so that messages of it may have been left behind? */
bool allfold_executor_was_given_up(const struct allfold_executor *executor);

#endif
