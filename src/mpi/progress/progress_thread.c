/* The progress thread (see progress_thread.h).
 *
 * It ends no requests of the program's (nonblocking.h) and frees nothing: it only goes round the
 * plans in flight, under their lock, as any other thread may. */
#include "mpi/progress/progress_thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <time.h>

#include "mpi/progress/progress.h"
#include "mpi/process/runtime.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool is_tried, is_made, must_stop;

/* Sleeps until there is work; false when it is to end. */
static bool await_work(void)
{
    pthread_mutex_lock(&mutex);
    while (!must_stop && !allfold_is_plan_in_flight())
        pthread_cond_wait(&work, &mutex);
    const bool goes_on = !must_stop;
    pthread_mutex_unlock(&mutex);
    return goes_on;
}

/* At first as fast as others do their part, then now and then, as the program needs the core. */
static void rest(unsigned times)
{
    enum { AT_ONCE = 256, NAP_NS = 20000 };
    const struct timespec nap = {.tv_nsec = NAP_NS};
    if (times < AT_ONCE)
        sched_yield();
    else
        nanosleep(&nap, NULL);
}

static void *work_on(void *unused)
{
    enum { ROUNDS_UNTIL_ANSWERS = 16 };
    (void)unused;
    prctl(PR_SET_TIMERSLACK, 1); /* naps as short as they are meant */
    while (await_work())
        for (unsigned times = 0; allfold_is_plan_in_flight(); times++) {
            allfold_progress();
            if (times % ROUNDS_UNTIL_ANSWERS == 0) {
                allfold_progress_answer(NULL);
                if (!await_work())
                    return NULL;
            }
            rest(times);
        }
    return NULL;
}

/* Signals are for the program's threads. */
static void make(void)
{
    sigset_t all, before;
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) {
        allfold_say("ALLFOLD_PROGRESS=thread: there is none, as MPI did not grant the program "
                    "MPI_THREAD_MULTIPLE (MPI_Init_thread); plans move on in calls");
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_made = pthread_create(&thread, NULL, work_on, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!is_made)
        allfold_warn("ALLFOLD_PROGRESS=thread: no thread could be made; plans move on in calls");
}

void allfold_progress_thread_wake(void)
{
    if (!allfold_settings()->progress_thread)
        return;
    pthread_mutex_lock(&mutex);
    if (!is_tried)
        make();
    is_tried = true;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&mutex);
}

void allfold_progress_thread_stop(void)
{
    pthread_mutex_lock(&mutex);
    const bool is_there = is_made;
    must_stop = true;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&mutex);
    if (is_there)
        pthread_join(thread, NULL);
    is_made = false;
}
