/* What `allfold top` reads (see live.h). */
#include "mpi/report/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "mpi/job/job.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "events/log.h"
#include "events/report_format.h"
#include "util/hash.h"
#include "util/memory.h"

static const double REFRESH_S = 0.95; /* so that who looks each second sees new figures */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_open_page opened;
static struct allfold_moment begun;
static struct allfold_sums *rows_before; /* of each row of the report */
static uint32_t rows_before_count, rows_before_capacity;
static struct allfold_sums own_before;
/* who came last before the last time, of each rank of the job; NULL: another rank shows it */
static struct allfold_latecomer *late_before;
static double chance_before_s; /* behind which chance would have put a rank */

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
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    struct utsname system;
    head->pid = getpid();
    head->rank = job->rank;
    head->p = job->size;
    head->nodes = job->nodes == NULL ? 0 : job->nodes->count;
    head->begin_s = job->begin_s;
    PMPI_Get_library_version(version, &length);
    allfold_report_name_mpi(version, head->mpi, sizeof head->mpi);
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

static bool watch(void)
{
    const bool is_watched = allfold_log_watch(allfold_log_lock());
    allfold_log_unlock();
    return is_watched;
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
    begun = allfold_moment();
    if (!allfold_page_open(&opened, directory, &head)) {
        complain(directory);
        return;
    }
    if (is_first_on_node(job) && watch())
        late_before = allfold_allocate_zeroed((size_t)job->size * sizeof *late_before);
    allfold_page_shown = opened.page;
    allfold_page_begin_write(opened.page);
    opened.page->figures.refreshed_s = begun.now_s;
    allfold_page_end_write(opened.page);
}

/* --- filling it --- */

/* Is the row busier than the other one? */
static bool is_busier(const struct allfold_page_sums *a, const struct allfold_page_sums *b)
{
    const double a_s = a->recent.seconds + a->recent.flight_s,
                 b_s = b->recent.seconds + b->recent.flight_s;
    return a_s != b_s ? a_s > b_s : a->all.seconds > b->all.seconds;
}

/* The slot for a row: the next one, or that of the least busy row where all are taken. */
static struct allfold_page_row *slot_for(struct allfold_page_figures *figures,
                                         const struct allfold_page_sums *sums)
{
    if (figures->row_count < ALLFOLD_PAGE_ROWS)
        return &figures->rows[figures->row_count++];
    struct allfold_page_row *least = &figures->rows[0];
    for (int i = 1; i < ALLFOLD_PAGE_ROWS; i++)
        if (is_busier(&least->sums, &figures->rows[i].sums))
            least = &figures->rows[i];
    figures->left_out++;
    return is_busier(sums, &least->sums) ? least : NULL;
}

static void fill_row(struct allfold_page_row *slot, const struct allfold_report_row *row)
{
    *slot = (struct allfold_page_row){
        .p = row->p, .least_bytes = row->least_bytes, .most_bytes = row->most_bytes};
    allfold_report_name_call(row, slot->call);
    snprintf(slot->algorithm, sizeof slot->algorithm, "%s", row->algorithm);
    snprintf(slot->source, sizeof slot->source, "%s", row->source);
    snprintf(slot->phase, sizeof slot->phase, "%s", row->phase == NULL ? "" : row->phase);
}

static void add_row(struct allfold_page_figures *figures, uint32_t number,
                    const struct allfold_report_row *row)
{
    struct allfold_sums none = {.calls = 0}, *before = &none;
    struct allfold_page_sums sums;
    void *moved =
        allfold_make_room(rows_before, number, &rows_before_capacity, sizeof *rows_before);
    if (moved != NULL) {
        rows_before = moved;
        before = &rows_before[number];
        if (number >= rows_before_count)
            *before = none;
        rows_before_count = number >= rows_before_count ? number + 1 : rows_before_count;
    }
    allfold_page_add_up(&sums, before, &row->sums);
    *before = row->sums;
    struct allfold_page_row *slot = slot_for(figures, &sums);
    if (slot == NULL)
        return;
    fill_row(slot, row);
    slot->sums = sums;
}

static bool is_later(const struct allfold_page_sums *a, const struct allfold_page_sums *b)
{
    return a->recent.behind_s != b->recent.behind_s ? a->recent.behind_s > b->recent.behind_s
                                                    : a->all.behind_s > b->all.behind_s;
}

/* Puts a rank among those that are later than it, and drops the least late one. */
static void insert_late(struct allfold_page_figures *figures, const struct allfold_page_late *one)
{
    uint32_t at = figures->late_count;
    while (at > 0 && is_later(&one->sums, &figures->late[at - 1].sums))
        at--;
    if (at == ALLFOLD_PAGE_LATE)
        return;
    if (figures->late_count < ALLFOLD_PAGE_LATE)
        figures->late_count++;
    for (uint32_t i = figures->late_count - 1; i > at; i--)
        figures->late[i] = figures->late[i - 1];
    figures->late[at] = *one;
}

static void add_late(struct allfold_page_figures *figures, int rank,
                     const struct allfold_latecomer *now, double chance_s)
{
    struct allfold_latecomer *last_time = &late_before[rank];
    struct allfold_page_late one = {.rank = rank};
    const struct allfold_sums before = {.last = (double)last_time->last,
                                        .behind_s = last_time->behind_s,
                                        .chance_s = chance_before_s,
                                        .squares = last_time->squares},
                              all = {.last = (double)now->last,
                                     .behind_s = now->behind_s,
                                     .chance_s = chance_s,
                                     .squares = now->squares};
    if (now->last == 0)
        return;
    allfold_page_add_up(&one.sums, &before, &all);
    *last_time = *now;
    insert_late(figures, &one);
}

static void fill_late(struct allfold_page_figures *figures, const struct allfold_latecomers *seen)
{
    if (late_before == NULL || seen == NULL)
        return;
    for (int r = 0; r < seen->p; r++)
        add_late(figures, r, &seen->of[r], seen->chance_s);
    chance_before_s = seen->chance_s;
}

/* Under the mutex. */
static void fill(double now_s)
{
    struct allfold_page *page = opened.page;
    struct allfold_page_figures *figures = &page->figures;
    allfold_page_begin_write(page);
    figures->interval_s = now_s - figures->refreshed_s;
    figures->refreshed_s = now_s;
    figures->line = allfold_tick_line(begun, allfold_moment());
    figures->row_count = figures->left_out = figures->late_count = 0;
    const struct allfold_log *log = allfold_log_lock();
    for (uint32_t i = 0; i < log->row_count; i++)
        add_row(figures, i, &log->rows[i]);
    allfold_page_add_up(&figures->own, &own_before, &log->own.sums);
    own_before = log->own.sums;
    fill_late(figures, log->seen);
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

uint32_t allfold_live_window(uint32_t count, double seconds)
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
    allfold_free(late_before);
    allfold_free(rows_before);
    late_before = NULL;
    rows_before = NULL;
    rows_before_count = rows_before_capacity = 0;
    pthread_mutex_unlock(&mutex);
}
