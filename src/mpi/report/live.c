/* Writes the page for `allfold top` (see live.h). */
#include "mpi/report/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "events/log.h"
#include "mpi/job/job.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "util/hash.h"

static const double REFRESH_S = 0.95; /* so that who looks each second sees new figures */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_open_page opened;

/* --- making the page --- */

/* The same number on all ranks, which no other job has. */
static uint64_t agree_on_job(const struct allfold_job *job)
{
    uint64_t number = allfold_hash_of_nothing;
    struct utsname system;
    const uint64_t now_ns = allfold_monotonic_ns();
    const long pid = getpid();
    if (uname(&system) == 0)
        number = allfold_hash(number, system.nodename, strlen(system.nodename));
    number = allfold_hash(number, &pid, sizeof pid);
    number = allfold_hash(number, &now_ns, sizeof now_ns);
    PMPI_Bcast(&number, 1, MPI_UINT64_T, 0, job->comm);
    return number;
}

static void fill_head(const struct allfold_job *job, struct allfold_page_head *head)
{
    struct utsname system;
    head->pid = getpid();
    head->rank = job->rank;
    head->p = job->size;
    head->nodes = job->nodes == NULL ? 0 : job->nodes->count;
    head->begin_s = job->begin_s;
    head->opened = allfold_moment();
    allfold_name_mpi(head->mpi, sizeof head->mpi);
    snprintf(head->program, sizeof head->program, "%s", program_invocation_short_name);
    snprintf(head->allfold, sizeof head->allfold, "%s", ALLFOLD_VERSION);
    if (uname(&system) == 0)
        snprintf(head->host, sizeof head->host, "%.63s", system.nodename);
}

/* Is this the first rank of its node? One rank of a node is enough to show which ranks are late. */
static bool is_first_on_node(const struct allfold_job *job)
{
    return job->nodes == NULL
               ? job->rank == 0
               : allfold_rank_on(job->nodes, job->nodes->node_of[job->rank], 0) == job->rank;
}

static void complain(const char *directory)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message,
             "there is no page for `allfold top` in %s (%s); name another directory by "
             "ALLFOLD_WATCH",
             directory, strerror(errno));
    allfold_complain(message);
}

void allfold_live_open(void)
{
    const struct allfold_job *job = allfold_job();
    if (job->native_reason != NULL || job->agreed.settings->watch == NULL ||
        allfold_page_shown != NULL)
        return;
    const char *named = job->agreed.settings->watch;
    const char *directory = *named == '\0' ? allfold_page_directory : named;
    struct allfold_page_head head = {.job = agree_on_job(job)};
    fill_head(job, &head);
    if (!allfold_page_open(&opened, directory, &head)) {
        complain(directory);
        return;
    }
    if (is_first_on_node(job)) {
        struct allfold_log *log = allfold_log_lock();
        log->shows_late = allfold_log_watch(log);
        allfold_log_unlock();
    }
    allfold_page_shown = opened.page;
    allfold_page_begin_write(opened.page);
    opened.page->figures.refreshed_s = head.opened.now_s;
    allfold_page_end_write(opened.page);
}

/* --- filling it --- */

/* Under the mutex. */
static void fill(double now_s)
{
    struct allfold_page *page = opened.page;
    struct allfold_page_figures *figures = &page->figures;
    allfold_page_begin_write(page);
    figures->interval_s = now_s - figures->refreshed_s;
    figures->refreshed_s = now_s;
    allfold_page_fill(figures, allfold_log_lock());
    allfold_log_unlock();
    allfold_page_end_write(page);
}

void allfold_live_refresh(void)
{
    if (allfold_page_shown == NULL)
        return;
    const double now_s = allfold_now_s();
    pthread_mutex_lock(&mutex);
    if (opened.page != NULL && now_s - opened.page->figures.refreshed_s >= REFRESH_S)
        fill(now_s);
    pthread_mutex_unlock(&mutex);
}

uint32_t allfold_live_exchange_interval(uint32_t count, double seconds)
{
    const double often_s = REFRESH_S / 4; /* or the next exchange would come long after it is due */
    const double most = 1e9, calls = seconds > 0 ? (double)count * often_s / seconds : most;
    return calls < 1 ? 1 : (uint32_t)(calls < most ? calls : most);
}

void allfold_live_close(void)
{
    pthread_mutex_lock(&mutex);
    allfold_page_shown = NULL;
    allfold_page_close(&opened);
    pthread_mutex_unlock(&mutex);
}
