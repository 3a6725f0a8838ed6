/* Progress: every call of the library advances what this process has in flight.
 *
 * What is in flight is an activity: a plan, for one. A rank that waits for one activity, or in a
 * blocking call, advances the others. Otherwise ranks that wait in different orders would wait for
 * each other for ever. One round advances each activity once, as far as that goes without waiting.
 * Nothing here knows what the activities are.
 *
 * Any thread may call any of these functions. Where MPI_THREAD_MULTIPLE was granted, one mutex
 * guards the activities of all threads, so any thread advances any activity. With
 * ALLFOLD_NONBLOCKING=thread one thread only advances activities. It lives from the first activity
 * to MPI_Finalize, and sleeps while nothing is in flight. */
#ifndef ALLFOLD_MPI_PROGRESS_PROGRESS_H
#define ALLFOLD_MPI_PROGRESS_PROGRESS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "execute/executor.h"

struct allfold_activity;

/* What the activities of one kind do. All functions are called under the mutex. */
struct allfold_activity_kind {
    /* Goes as far as it can without waiting; an activity that is over then removes itself. */
    void (*advance)(struct allfold_activity *activity);
    /* What a waiting rank does for the activity now and then; NULL: nothing. */
    void (*rest)(struct allfold_activity *activity);
};

/* Part of whatever is in flight, zeroed while it is not. */
struct allfold_activity {
    const struct allfold_activity_kind *kind;
    struct allfold_activity *next, **link; /* link: NULL while it is not in flight */
};

/* Takes the mutex, where there are threads that need one. */
void allfold_progress_lock(void);
void allfold_progress_unlock(void);

/* An activity begins, or is over. Under the mutex. */
void allfold_activity_add(struct allfold_activity *activity);
void allfold_activity_remove(struct allfold_activity *activity);

extern atomic_uint allfold_activity_count;

/* Is any activity of this process in flight? Costs a load. */
static inline bool allfold_has_activities(void)
{
    return atomic_load_explicit(&allfold_activity_count, memory_order_relaxed) > 0;
}

/* Is this the only activity, and no thread can begin another one meanwhile? Then nothing else needs
 * to advance while this thread waits for it. */
bool allfold_is_only_activity(const struct allfold_activity *activity);

/* May several threads be in MPI's functions, and so in ours, at once? */
bool allfold_has_threads(void);

/* One round over all activities. */
void allfold_progress(void);

/* The program waits for something in flight, until it ends to wait. Threads that wait at once count
 * as one. */
void allfold_await_begin(void);
void allfold_await_end(void);

/* How long it has waited so far, in seconds. */
double allfold_awaited_s(void);

/* What a rank that waits does now and then besides, whatever is in flight. */
struct allfold_idle_hook {
    void (*look)(void);
    /* Must the calling thread look from time to time, so that it may not wait inside of MPI? */
    bool (*must_look)(void);
    struct allfold_idle_hook *next;
};

/* Adds a hook, which stays for the life of the process. */
void allfold_idle_hook_add(struct allfold_idle_hook *hook);

/* Rests for all activities, and calls the hooks. */
void allfold_idle(void);

/* For a caller that has polled so many times in vain. After its number of times each, yields the
 * core, lets MPI make progress, and calls the hooks. `comm` may be MPI_COMM_NULL. */
void allfold_rest(unsigned times, MPI_Comm comm);

/* Whether allfold_rest yields the core soon: ranks share cores, or look at a fabric, where each
 * look costs a system call or keeps the provider's thread from the core. */
void allfold_rest_soon(bool soon);

/* As allfold_executor_wait, with activities beside it. */
int allfold_wait_executor(struct allfold_executor *executor, MPI_Comm comm);

/* Waits for an MPI request, with activities beside it. */
int allfold_wait_request(MPI_Request *request);

/* Finds the least of each of so many numbers that the ranks of `comm` give. Advances activities
 * meanwhile: ranks that are late may still need this one for a plan. */
int allfold_find_least(MPI_Comm comm, int64_t *least, int count);

/* Returns when all ranks of `comm` have arrived. *all_are_ready says before whether this rank is
 * ready, and afterwards whether all are; after a failure they are not. Call this before any
 * function of MPI in which ranks wait for each other: nothing of ours advances there. */
int allfold_synchronize(MPI_Comm comm, bool *all_are_ready);

/* Ends the progress thread; before MPI is finalized. */
void allfold_progress_thread_stop(void);

#endif
