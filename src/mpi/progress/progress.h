/* Progress: the list of activities in flight, and the round that advances them.
 *
 * An activity is something of this process that is in flight, such as a plan. A rank that waits for
 * one activity, or in a blocking call, advances all others; otherwise ranks that wait for
 * activities in different orders would deadlock. One round advances each activity once, as far as
 * possible without waiting. This file does not know what the activities do.
 *
 * All functions are thread-safe. If MPI_THREAD_MULTIPLE was granted, one mutex guards the
 * activities of all threads, so any thread advances any activity. With ALLFOLD_NONBLOCKING=thread a
 * separate thread advances activities. It lives from the first activity to MPI_Finalize, and sleeps
 * while nothing is in flight. */
#ifndef ALLFOLD_MPI_PROGRESS_PROGRESS_H
#define ALLFOLD_MPI_PROGRESS_PROGRESS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "execute/executor.h"

struct allfold_activity;

/* Functions of one kind of activity. They are called with the mutex held. */
struct allfold_activity_kind {
    /* Advances the activity as far as possible without waiting. An activity that is complete
     * removes itself. */
    void (*advance)(struct allfold_activity *activity);
    /* Called from time to time while a rank waits; NULL: nothing to do. */
    void (*rest)(struct allfold_activity *activity);
};

/* Embedded in the object that is in flight; zeroed while it is not in flight. */
struct allfold_activity {
    const struct allfold_activity_kind *kind;
    struct allfold_activity *next, **link; /* link: NULL while the activity is not in flight */
};

/* Take and release the mutex; nothing happens if the process has one thread only. */
void allfold_progress_lock(void);
void allfold_progress_unlock(void);

/* Add an activity that begins, and remove one that is complete. The caller holds the mutex. */
void allfold_activity_add(struct allfold_activity *activity);
void allfold_activity_remove(struct allfold_activity *activity);

extern atomic_uint allfold_activity_count;

/* Returns whether any activity of this process is in flight. Costs one load. */
static inline bool allfold_has_activities(void)
{
    return atomic_load_explicit(&allfold_activity_count, memory_order_relaxed) > 0;
}

/* Returns whether this is the only activity and no other thread can begin another one. Then nothing
 * else needs to advance while this thread waits for it. */
bool allfold_is_only_activity(const struct allfold_activity *activity);

/* Returns whether several threads may be in MPI functions, and so in this library, at the same
 * time. */
bool allfold_has_threads(void);

/* Advances each activity once. */
void allfold_progress(void);

/* Begin and end a time during which the program waits for something in flight. Threads that wait at
 * the same time are counted as one. */
void allfold_await_begin(void);
void allfold_await_end(void);

/* Returns the seconds for which the program has waited so far. */
double allfold_awaited_s(void);

/* A function that waiting ranks call from time to time, whatever is in flight. */
struct allfold_idle_hook {
    void (*look)(void);
    /* Returns whether the calling thread must call `look` from time to time, so that it may not
     * block in an MPI function. */
    bool (*must_look)(void);
    struct allfold_idle_hook *next;
};

/* Adds a hook, which stays for the life of the process. */
void allfold_idle_hook_add(struct allfold_idle_hook *hook);

/* Calls the `rest` functions of all activities, and the hooks. */
void allfold_idle(void);

/* Rests after `times` polls in vain, where `times` counts from 0. The first polls do nothing; then
 * each yields the core, and every 16th also lets MPI make progress and calls the hooks. `comm` may
 * be MPI_COMM_NULL. */
void allfold_rest(unsigned times, MPI_Comm comm);

/* Sets whether allfold_rest yields the core early: if ranks share cores, or poll a fabric, where
 * each poll costs a system call or keeps the provider's thread from the core. */
void allfold_rest_soon(bool soon);

/* Like allfold_executor_wait; advances activities meanwhile. */
int allfold_wait_executor(struct allfold_executor *executor, MPI_Comm comm);

/* Waits for an MPI request; advances activities meanwhile. */
int allfold_wait_request(MPI_Request *request);

/* Replaces each of the `count` numbers by its minimum over the ranks of `comm`. Advances activities
 * meanwhile, because late ranks may still need this rank for a plan. Returns an MPI error code.
 * Collective over `comm`. */
int allfold_find_least(MPI_Comm comm, int64_t *least, int count);

/* Returns when all ranks of `comm` have arrived. On entry *all_are_ready says whether this rank is
 * ready; on return it says whether all are, and is false after a failure. Must be called before
 * every MPI function in which ranks wait for each other, because Allfold's activities do not
 * advance there. Collective over `comm`. */
int allfold_synchronize(MPI_Comm comm, bool *all_are_ready);

/* Ends the progress thread. Must be called before MPI_Finalize. */
void allfold_progress_thread_stop(void);

#endif
