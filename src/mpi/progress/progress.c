/* The list of activities, the round over it, waiting, and the progress thread (see progress.h).
 *
 * Invariant: an activity is in the list if and only if its link is not NULL, and
 * `allfold_activity_count` is the length of the list. If there are several threads, both change
 * only under the mutex. The progress thread completes no requests of the program and frees nothing:
 * it only calls allfold_progress, like any other thread. */
#include "mpi/progress/progress.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "events/live_page.h"
#include "mpi/process/runtime.h"

atomic_uint allfold_activity_count;

/* --- how long the program waits --- */

static _Atomic double awaited_s, awaits_since_s;
static atomic_int awaiting;

void allfold_await_begin(void)
{
    const double now_s = allfold_now_s();
    if (awaiting++ == 0)
        awaits_since_s = now_s;
}

void allfold_await_end(void)
{
    const double now_s = allfold_now_s();
    if (--awaiting == 0)
        awaited_s = awaited_s + (now_s - awaits_since_s);
}

double allfold_awaited_s(void)
{
    const double since_s = awaits_since_s;
    return awaited_s + (awaiting > 0 ? allfold_now_s() - since_s : 0);
}

static struct allfold_activity *in_flight;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_idle_hook *_Atomic hooks;

static void wake_thread(void);

/* --- threads --- */

bool allfold_has_threads(void)
{
    enum { UNKNOWN, ONE, MANY };
    static atomic_int known = UNKNOWN;
    int is = atomic_load_explicit(&known, memory_order_relaxed);
    if (is == UNKNOWN) {
        int level = MPI_THREAD_MULTIPLE;
        PMPI_Query_thread(&level);
        is = level == MPI_THREAD_MULTIPLE ? MANY : ONE;
        atomic_store_explicit(&known, is, memory_order_relaxed);
    }
    return is == MANY;
}

void allfold_progress_lock(void)
{
    if (allfold_has_threads())
        pthread_mutex_lock(&mutex);
}

void allfold_progress_unlock(void)
{
    if (allfold_has_threads())
        pthread_mutex_unlock(&mutex);
}

/* --- activities --- */

#ifndef NDEBUG
static bool is_consistent(void)
{
    unsigned count = 0;
    struct allfold_activity **link = &in_flight;
    for (; *link != NULL; link = &(*link)->next, count++)
        if ((*link)->link != link)
            return false;
    return count == allfold_activity_count;
}
#endif

void allfold_activity_add(struct allfold_activity *activity)
{
    assert(activity->link == NULL && activity->kind != NULL);
    activity->next = in_flight;
    activity->link = &in_flight;
    if (in_flight != NULL)
        in_flight->link = &activity->next;
    in_flight = activity;
    if (allfold_activity_count++ == 0)
        wake_thread();
    assert(is_consistent());
}

void allfold_activity_remove(struct allfold_activity *activity)
{
    assert(activity->link != NULL);
    *activity->link = activity->next;
    if (activity->next != NULL)
        activity->next->link = activity->link;
    activity->link = NULL;
    allfold_activity_count--;
    assert(is_consistent());
}

bool allfold_is_only_activity(const struct allfold_activity *activity)
{
    return !allfold_has_threads() && in_flight == activity && activity->next == NULL;
}

void allfold_progress(void)
{
    struct allfold_activity *next;
    allfold_progress_lock();
    for (struct allfold_activity *activity = in_flight; activity != NULL; activity = next) {
        next = activity->next;
        activity->kind->advance(activity);
    }
    allfold_progress_unlock();
}

/* --- waiting --- */

void allfold_idle_hook_add(struct allfold_idle_hook *hook)
{
    assert(hook->look != NULL && hook->must_look != NULL);
    hook->next = atomic_load(&hooks);
    while (!atomic_compare_exchange_weak(&hooks, &hook->next, hook))
        continue;
}

void allfold_idle(void)
{
    allfold_progress_lock();
    for (struct allfold_activity *activity = in_flight; activity != NULL; activity = activity->next)
        if (activity->kind->rest != NULL)
            activity->kind->rest(activity);
    allfold_progress_unlock();
    for (const struct allfold_idle_hook *hook = atomic_load(&hooks); hook != NULL;
         hook = hook->next)
        hook->look();
}

static bool must_look(void)
{
    for (const struct allfold_idle_hook *hook = atomic_load(&hooks); hook != NULL;
         hook = hook->next)
        if (hook->must_look())
            return true;
    return false;
}

static atomic_bool rests_soon;

void allfold_rest_soon(bool soon)
{
    rests_soon = soon;
}

void allfold_rest(unsigned times, MPI_Comm comm)
{
    enum { AT_ONCE = 64, AT_ONCE_IF_SOON = 4, YIELDS_UNTIL_MPI = 16 };
    const bool soon = atomic_load_explicit(&rests_soon, memory_order_relaxed);
    int found;
    if (times < (soon ? AT_ONCE_IF_SOON : AT_ONCE))
        return;
    if (times % YIELDS_UNTIL_MPI == 0) {
        allfold_page_time_call();
        if (comm != MPI_COMM_NULL)
            PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
        allfold_idle();
    }
    sched_yield();
}

int allfold_wait_executor(struct allfold_executor *executor, MPI_Comm comm)
{
    for (unsigned times = 0;; times++) {
        bool is_done;
        const int error = allfold_executor_test(executor, &is_done);
        if (error != MPI_SUCCESS || is_done)
            return error;
        allfold_progress();
        allfold_rest(times, comm);
    }
}

/* An error that leaves a request in flight is not its end: who gave up would leave the other ranks
 * waiting. */
int allfold_wait_request(MPI_Request *request)
{
    enum { MOST_FAULTS = 8 };
    const bool may_block = !allfold_has_threads() && !allfold_has_activities() && !must_look();
    int faults = 0, error = MPI_SUCCESS;
    for (unsigned times = 0; faults < MOST_FAULTS; times++) {
        int is_done = may_block;
        error = may_block ? PMPI_Wait(request, MPI_STATUS_IGNORE)
                          : PMPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS && *request != MPI_REQUEST_NULL)
            faults++;
        else if (error != MPI_SUCCESS || is_done)
            return error;
        if (may_block)
            continue;
        allfold_progress();
        allfold_rest(times, MPI_COMM_NULL);
    }
    return error;
}

int allfold_find_least(MPI_Comm comm, int64_t *least, int count)
{
    MPI_Request request;
    const int error =
        PMPI_Iallreduce(MPI_IN_PLACE, least, count, MPI_INT64_T, MPI_MIN, comm, &request);
    return error == MPI_SUCCESS ? allfold_wait_request(&request) : error;
}

int allfold_synchronize(MPI_Comm comm, bool *all_are_ready)
{
    int64_t ready = *all_are_ready;
    const int error = allfold_find_least(comm, &ready, 1);
    *all_are_ready = error == MPI_SUCCESS && ready;
    return error;
}

/* --- the progress thread --- */

static pthread_mutex_t thread_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool is_tried, is_made, must_stop;

/* Sleeps until there is work. Returns false when the thread must end. */
static bool await_work(void)
{
    pthread_mutex_lock(&thread_mutex);
    while (!must_stop && !allfold_has_activities())
        pthread_cond_wait(&work, &thread_mutex);
    const bool goes_on = !must_stop;
    pthread_mutex_unlock(&thread_mutex);
    return goes_on;
}

/* At first as fast as others do their part, then now and then, as the program needs the core. */
static void nap(unsigned times)
{
    enum { AT_ONCE = 256, NAP_NS = 20000 };
    const struct timespec time = {.tv_nsec = NAP_NS};
    if (times < AT_ONCE)
        sched_yield();
    else
        nanosleep(&time, NULL);
}

static void *work_on(void *unused)
{
    enum { ROUNDS_UNTIL_IDLE = 16 };
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1); /* naps as short as they are meant */
    while (await_work())
        for (unsigned times = 0; allfold_has_activities(); times++) {
            allfold_progress();
            if (times % ROUNDS_UNTIL_IDLE == 0) {
                allfold_idle();
                if (!await_work())
                    return NULL;
            }
            nap(times);
        }
    return NULL;
}

/* Signals are for the program's threads. */
static void make_thread(void)
{
    sigset_t all, before;
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) {
        allfold_say("ALLFOLD_NONBLOCKING=thread: there is none, as MPI did not grant the program "
                    "MPI_THREAD_MULTIPLE (MPI_Init_thread); plans make progress in calls");
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_made = pthread_create(&thread, NULL, work_on, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!is_made)
        allfold_warn("ALLFOLD_NONBLOCKING=thread: no thread could be made; plans make progress in "
                     "calls");
}

/* Makes the thread, or wakes it, if the settings want one. */
static void wake_thread(void)
{
    if (!allfold_settings()->progress_thread)
        return;
    pthread_mutex_lock(&thread_mutex);
    if (!is_tried)
        make_thread();
    is_tried = true;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&thread_mutex);
}

void allfold_progress_thread_stop(void)
{
    pthread_mutex_lock(&thread_mutex);
    const bool is_there = is_made;
    must_stop = true;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&thread_mutex);
    if (is_there)
        pthread_join(thread, NULL);
    is_made = false;
}
