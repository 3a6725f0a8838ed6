/* The report (see report.h). */
#include "mpi/report/report.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "mpi/communicator/communicator.h"
#include "mpi/device/staging.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/gathering.h"
#include "events/latecomers.h"
#include "events/report_format.h"
#include "mpi/report/row_means.h"
#include "util/memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_report_row *rows;
static uint32_t row_count, row_capacity;
static struct allfold_report_head head;
static struct allfold_report_rank own;
static uint64_t switches_before; /* MPI_Init */
static _Atomic double saved_s;   /* when the file was last written, on this rank's clock */

/* How often this process lost its core to another one; a core that it gives up itself is none. */
static uint64_t count_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

static bool is_alike(const struct allfold_report_row *a, const struct allfold_report_row *b)
{
    return a->collective == b->collective && a->p == b->p &&
           allfold_report_size_class(a->least_bytes) == allfold_report_size_class(b->least_bytes) &&
           a->phase == b->phase && a->site == b->site && a->mode == b->mode &&
           strcmp(a->algorithm, b->algorithm) == 0 && strcmp(a->source, b->source) == 0;
}

/* The number of the row that is alike, which is made where there is none. Under the mutex. */
static uint32_t find_row(const struct allfold_report_row *row)
{
    uint32_t i = 0;
    while (i < row_count && !is_alike(&rows[i], row))
        i++;
    if (i < row_count) {
        allfold_report_merge(&rows[i], row);
        return i;
    }
    void *moved = allfold_make_room(rows, row_count, &row_capacity, sizeof *rows);
    if (moved == NULL)
        return ALLFOLD_NO_ROW;
    rows = moved;
    rows[row_count] = *row;
    return row_count++;
}

/* --- phases --- */

const char *allfold_report_phase_now;

static const char *find_phase(const char *name)
{
    enum { MOST_PHASES = 64, NAME_BYTES = 32 };
    static char names[MOST_PHASES][NAME_BYTES]; /* in the order of their first use */
    static int count;
    char plain[NAME_BYTES];
    int i = 0;
    snprintf(plain, sizeof plain, "%s", name);
    allfold_report_make_plain(plain);
    while (i < count && strcmp(names[i], plain) != 0)
        i++;
    if (i == MOST_PHASES)
        return names[MOST_PHASES - 1];
    if (i == count)
        snprintf(names[count++], NAME_BYTES, "%s", i < MOST_PHASES - 1 ? plain : "other");
    return names[i];
}

void allfold_report_enter(const char *name)
{
    if (!allfold_settings_gather(allfold_settings()))
        return;
    pthread_mutex_lock(&mutex);
    allfold_report_phase_now = name == NULL || *name == '\0' ? NULL : find_phase(name);
    pthread_mutex_unlock(&mutex);
}

static atomic_bool is_silent;

bool allfold_report_records(void)
{
    return !atomic_load_explicit(&is_silent, memory_order_relaxed);
}

void allfold_report_enter_level(int level)
{
    char name[16] = "";
    atomic_store(&is_silent, level == 0);
    if (level == 0)
        return;
    if (level >= 2)
        snprintf(name, sizeof name, "%d", level);
    allfold_report_enter(name);
}

void allfold_report_add(const struct allfold_report_row *row)
{
    if (!allfold_settings_gather(allfold_settings()) ||
        row->figures.calls + row->figures.samples + row->figures.bits_compared == 0)
        return;
    pthread_mutex_lock(&mutex);
    find_row(row);
    pthread_mutex_unlock(&mutex);
}

uint32_t allfold_report_find_row(const struct allfold_report_row *row)
{
    if (!allfold_report_records())
        return ALLFOLD_NO_ROW;
    pthread_mutex_lock(&mutex);
    const uint32_t found = find_row(row);
    pthread_mutex_unlock(&mutex);
    return found;
}

void allfold_report_add_sum(uint32_t row, const struct allfold_report_sum *sum)
{
    if (row == ALLFOLD_NO_ROW)
        return;
    pthread_mutex_lock(&mutex);
    assert(row < row_count);
    struct allfold_figures *figures = &rows[row].figures;
    rows[row].moved_bytes += sum->bytes;
    figures->calls += sum->calls;
    figures->seconds += sum->seconds;
    figures->waiting_s += sum->waiting_s;
    figures->moving_s += sum->moving_s;
    figures->flight_s += sum->flight_s;
    figures->awaited_s += sum->awaited_s;
    figures->op_calls += sum->op_calls;
    figures->op_bytes += sum->op_bytes;
    if (sum->starts.calls > 0)
        allfold_report_add_starts(&figures->starts, &sum->starts);
    pthread_mutex_unlock(&mutex);
}

void allfold_report_add_own(const struct allfold_report_rank *more)
{
    pthread_mutex_lock(&mutex);
    own.calls += more->calls;
    own.split += more->split;
    own.seconds += more->seconds;
    own.waiting_s += more->waiting_s;
    own.moving_s += more->moving_s;
    own.flight_s += more->flight_s;
    own.awaited_s += more->awaited_s;
    allfold_report_add_starts(&own.starts, &more->starts);
    own.last += more->last;
    own.behind_s += more->behind_s;
    own.chance_s += more->chance_s;
    own.squares += more->squares;
    own.error_s = more->error_s > own.error_s ? more->error_s : own.error_s;
    pthread_mutex_unlock(&mutex);
}

void allfold_report_visit(void (*visit)(uint32_t number, const struct allfold_report_row *row,
                                        void *context),
                          void *context)
{
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < row_count; i++)
        visit(i, &rows[i], context);
    pthread_mutex_unlock(&mutex);
}

struct allfold_report_rank allfold_report_own(void)
{
    pthread_mutex_lock(&mutex);
    const struct allfold_report_rank copy = own;
    pthread_mutex_unlock(&mutex);
    return copy;
}

struct allfold_report_row allfold_report_native_row(enum allfold_collective collective, int p,
                                                    size_t bytes, const char *reason,
                                                    const char *site)
{
    return (struct allfold_report_row){.phase = allfold_report_phase_now,
                                       .site = site,
                                       .collective = collective,
                                       .p = p,
                                       .least_bytes = bytes,
                                       .most_bytes = bytes,
                                       .algorithm = "native",
                                       .source = reason};
}

void allfold_report_native(enum allfold_collective collective, int p, size_t bytes,
                           const char *reason, double seconds)
{
    if (!allfold_report_records())
        return;
    struct allfold_report_row row =
        allfold_report_native_row(collective, p, bytes, reason, allfold_call_site());
    const struct allfold_report_rank one = {.calls = 1, .seconds = seconds};
    row.moved_bytes = (double)bytes;
    row.figures.calls = 1;
    row.figures.seconds = seconds;
    allfold_report_add(&row);
    allfold_report_add_own(&one);
}

void allfold_report_found(const struct allfold_report_finding *finding)
{
    pthread_mutex_lock(&mutex);
    allfold_report_add_finding(&head.found, finding);
    pthread_mutex_unlock(&mutex);
}

void allfold_report_guard(const struct allfold_report_guard *guard)
{
    pthread_mutex_lock(&mutex);
    head.found.guard = *guard;
    pthread_mutex_unlock(&mutex);
}

static void fill_head(void)
{
    allfold_call_sites_name();
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    head.run_s = allfold_now_s() - allfold_job()->begin_s;
    PMPI_Comm_size(MPI_COMM_WORLD, &head.p);
    PMPI_Get_library_version(version, &length);
    allfold_report_name_mpi(version, head.mpi, sizeof head.mpi);
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(head.machine, sizeof head.machine, "%.60s (%.20s)", name.nodename, name.machine);
    const struct allfold_job *job = allfold_job();
    if (job->nodes != NULL) {
        head.nodes = job->nodes->count;
        head.most_per_node = job->nodes->most;
        head.least_per_node = allfold_node_size(job->nodes, 0);
        for (int n = 1; n < job->nodes->count; n++)
            if (allfold_node_size(job->nodes, n) < head.least_per_node)
                head.least_per_node = allfold_node_size(job->nodes, n);
    }
    if (job->where.depth > 0)
        head.switches = job->where.groups[0]->count;
    if (job->fabric != NULL)
        snprintf(head.fabric, sizeof head.fabric, "%s", allfold_fabric_name(job->fabric));
    head.compares = allfold_settings()->common.report_compare != 0;
    head.copies = head.nodes == 1 && job->unshared_reason == NULL &&
                  allfold_one_copy_is_off(&job->node) != NULL;
    const struct allfold_staged_bytes staged = allfold_staged_bytes();
    head.staged_to_host = staged.to_host;
    head.staged_to_device = staged.to_device;
    head.staged_pageable = staged.pageable;
}

/* Is it this rank that writes the report? */
static bool is_writer(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0 && allfold_settings()->report != NULL;
}

static void complain(const char *path, const char *then)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message, "the report cannot be written to %s (%s)%s", path,
             strerror(errno), then);
    allfold_warn(message);
}

/* The path of a file that may be written more than once; NULL: there is none, as where the report
 * goes to a pipe. */
static const char *file_path(bool *is_there)
{
    const char *path = allfold_settings()->report;
    struct stat found;
    *is_there = path != NULL && *path != '\0' && stat(path, &found) == 0;
    return path == NULL || *path == '\0' || (*is_there && !S_ISREG(found.st_mode)) ? NULL : path;
}

/* The file is left as it is: a program that is killed at once has written none. */
void allfold_report_begin(void)
{
    bool was_there;
    const char *path = file_path(&was_there);
    saved_s = allfold_now_s();
    switches_before = count_switches();
    if (path == NULL || !is_writer())
        return;
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        complain(path, "; it will be on stderr");
        return;
    }
    fclose(file);
    if (!was_there)
        unlink(path);
    if (allfold_job()->native_reason == NULL)
        allfold_lateness_watch();
}

/* --- what all ranks waited --- */

static void name_node(char *name, size_t name_bytes)
{
    struct utsname system;
    if (uname(&system) == 0)
        snprintf(name, name_bytes, "%.*s", (int)name_bytes - 1, system.nodename);
    allfold_report_make_plain(name);
}

/* `all` is NULL where only this rank's node has a name here. */
static void name_rows(const struct allfold_job *job, const struct allfold_report_rank *all)
{
    struct allfold_late_map *map = &head.late;
    map->is_by_node = allfold_lateness_is_by_node();
    const int items = map->is_by_node ? job->nodes->count : job->size;
    for (int i = 0; i < items; i++) {
        const int rank = map->is_by_node ? allfold_rank_on(job->nodes, i, 0) : i;
        allfold_late_map_name(map, i, items, all == NULL ? "" : all[rank].node);
    }
}

/* A call's row of this rank's report is in a phase. Under the mutex. */
static void name_phases(struct allfold_worst *worst)
{
    for (uint32_t i = 0; i < worst->count; i++) {
        struct allfold_worst_call *call = &worst->calls[i];
        const char *phase = call->row < row_count ? rows[call->row].phase : NULL;
        snprintf(call->phase, sizeof call->phase, "%s", phase == NULL ? "" : phase);
    }
}

/* Rank 0 gets when ranks were late. */
static void gather_lateness(const struct allfold_job *job, const struct allfold_report_rank *all)
{
    struct allfold_lateness *lateness = allfold_lateness_open();
    name_phases(&lateness->worst);
    const bool is_gathered = allfold_lateness_gather(job->comm, lateness, &head.late, &head.worst);
    allfold_lateness_close();
    if (is_gathered && job->rank == 0)
        name_rows(job, all);
}

static void fill_cores(void)
{
    const struct allfold_job *job = allfold_job();
    own.switches = count_switches() - switches_before;
    own.shares_cores = job->node.shares_cores || job->nodes->is_crowded;
}

/* Rank 0 gets the sums of the rows of all ranks. Of a row that it lacks without memory nothing is
 * known. Under the mutex. */
static struct allfold_row_list *gather_rows(MPI_Comm comm)
{
    allfold_call_sites_name();
    struct allfold_row_list *list = allfold_row_list_make(rows, row_count);
    allfold_row_list_gather(list, comm);
    const uint32_t count =
        list == NULL || allfold_job()->rank > 0 ? 0 : allfold_row_list_count(list);
    for (uint32_t i = 0; i < count; i++) {
        void *moved =
            i < row_count ? rows : allfold_make_room(rows, row_count, &row_capacity, sizeof *rows);
        if (moved == NULL)
            break;
        rows = moved;
        row_count = i < row_count ? row_count : i + 1;
        allfold_row_list_take(list, i, &rows[i]);
        if (rows[i].phase != NULL)
            rows[i].phase = find_phase(rows[i].phase); /* one pointer for each name */
    }
    return list;
}

/* Rank 0 gets what each rank did. All ranks take part, or none. */
static struct allfold_row_list *gather_ranks(void)
{
    const struct allfold_job *job = allfold_job();
    struct allfold_row_list *list = NULL;
    if (job->native_reason != NULL || job->agreed.settings->report == NULL)
        return NULL;
    const bool gathers = job->rank == 0;
    struct allfold_report_rank *all =
        gathers ? allfold_allocate((size_t)job->size * sizeof *all) : NULL;
    bool fits = !gathers || all != NULL;
    name_node(own.node, sizeof own.node);
    fill_cores();
    if (allfold_synchronize(job->comm, &fits) == MPI_SUCCESS && fits &&
        PMPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, job->comm) ==
            MPI_SUCCESS) {
        for (int r = 0; r < job->size && gathers; r++)
            allfold_report_add_rank(&head.summary, r, &all[r]);
        gather_lateness(job, all);
        list = gather_rows(job->comm);
    }
    allfold_free(all);
    return list;
}

/* What rank 0 knows by itself: its own waiting, and who came last to its calls. */
static void fill_seen(void)
{
    const struct allfold_job *job = allfold_job();
    struct allfold_lateness *lateness = allfold_lateness_open();
    struct allfold_latecomers *seen = lateness->seen;
    struct allfold_report_summary *summary = &head.summary;
    if (seen != NULL && own.split > 0) {
        fill_cores();
        allfold_report_add_sums(summary, &own);
        summary->behind_s = 0;
        for (int r = 0; r < job->size; r++) {
            const struct allfold_report_rank one = {.split = own.split,
                                                    .last = seen->of[r].last,
                                                    .behind_s = seen->of[r].behind_s,
                                                    .chance_s = seen->chance_s,
                                                    .squares = seen->of[r].squares};
            summary->behind_s += one.behind_s;
            allfold_report_add_latest(summary, r, &one);
        }
        allfold_latecomers_map(seen, &head.late);
        head.worst = seen->worst;
        name_phases(&head.worst);
        allfold_worst_sort(&head.worst);
    }
    allfold_lateness_close();
    if (head.late.bin_s > 0)
        name_rows(job, NULL);
}

/* Nothing that only an incomplete report says is left. */
static void forget_seen(void)
{
    head.summary = (struct allfold_report_summary){.ranks = 0};
    head.late.rows = 0;
    head.worst.count = 0;
}

/* --- writing --- */

/* True where all of it is in the file. */
static bool write_to(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    allfold_report_print(&head, rows, row_count, allfold_report_format_of(path), file);
    return fclose(file) == 0;
}

/* Each time twice as long after the start as the last time, so it costs next to nothing. */
void allfold_report_save(void)
{
    const double first_s = 1, longest_s = 60;
    const double begin_s = allfold_job()->begin_s, now_s = allfold_now_s();
    double wait_s = saved_s - begin_s;
    bool is_there;
    wait_s = wait_s < first_s ? first_s : wait_s > longest_s ? longest_s : wait_s;
    if (now_s - saved_s < wait_s)
        return;
    saved_s = now_s;
    const char *path = file_path(&is_there);
    if (path == NULL || !is_writer())
        return;
    pthread_mutex_lock(&mutex);
    fill_head();
    fill_seen();
    head.is_incomplete = true;
    write_to(path);
    head.is_incomplete = false;
    forget_seen();
    pthread_mutex_unlock(&mutex);
}

void allfold_report_write(void)
{
    const char *path = allfold_settings()->report;
    pthread_mutex_lock(&mutex);
    struct allfold_row_list *of_all = gather_ranks();
    if (is_writer()) {
        fill_head();
        head.no_lines = allfold_call_sites_add_lines();
        allfold_report_sort(rows, row_count);
        const bool is_written = *path != '\0' && write_to(path);
        if (*path != '\0' && !is_written)
            complain(path, "; here it is");
        if (is_written)
            fprintf(stderr, "allfold: the report is in %s\n", path);
        head.is_brief = true;
        if (!is_written)
            allfold_report_print(&head, rows, row_count, ALLFOLD_REPORT_TABLE, stderr);
    }
    allfold_row_list_free(of_all);
    allfold_free(rows);
    rows = NULL;
    row_count = row_capacity = 0;
    pthread_mutex_unlock(&mutex);
}
