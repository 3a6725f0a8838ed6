/* The report: rows of this rank, gathering, and writing (see report.h). */
#include "mpi/report/report.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "events/report_format.h"
#include "mpi/communicator/communicator.h"
#include "mpi/device/staging.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/gathering.h"
#include "mpi/report/live.h"
#include "util/memory.h"
#include "util/replace_file.h"

static struct allfold_report_head head; /* under the log's lock */
static uint64_t switches_before;        /* MPI_Init */
static _Atomic double saved_s;          /* when the file was last written, on this rank's clock */

/* How often this process lost its core to another one; a core that it gives up itself is none. */
static uint64_t count_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void allfold_report_enter(const char *name)
{
    if (allfold_settings_gather(allfold_settings()))
        allfold_log_enter(name);
}

void allfold_report_enter_level(int level)
{
    char name[16] = "";
    allfold_log_record(level != 0);
    if (level == 0)
        return;
    if (level >= 2)
        snprintf(name, sizeof name, "%d", level);
    allfold_report_enter(name);
}

void allfold_report_add(const struct allfold_report_row *row)
{
    if (allfold_settings_gather(allfold_settings()))
        allfold_log_row(row);
}

/* --- calls that are passed through --- */

uint32_t allfold_report_passed_row(enum allfold_collective collective, const char *mode, int p,
                                   size_t bytes, const char *reason, const char *site)
{
    static _Thread_local struct {
        enum allfold_collective collective;
        int p;
        size_t bytes;
        const char *mode, *reason, *phase, *site;
        uint32_t row; /* from 1; 0: there is none */
    } last;
    if (last.row > 0 && last.p == p && last.collective == collective && last.bytes == bytes &&
        last.mode == mode && last.reason == reason && last.phase == allfold_report_phase_now &&
        last.site == site)
        return last.row - 1;
    struct allfold_report_row row = allfold_report_native_row(collective, p, bytes, reason, site);
    row.mode = mode;
    last.collective = collective;
    last.p = p;
    last.bytes = bytes;
    last.mode = mode;
    last.reason = reason;
    last.phase = row.phase;
    last.site = site;
    last.row = allfold_report_find_row(&row) + 1; /* none: there may be one later */
    return last.row - 1;
}

/* Writes what was gathered so far, if that is due: other calls may not come for long. */
static void show(double now_s)
{
    const double interval_s = 0.1;
    static _Atomic double shown_s;
    if (now_s - shown_s < interval_s)
        return;
    shown_s = now_s;
    allfold_report_save();
    allfold_live_refresh();
}

void allfold_report_passed(enum allfold_collective collective, const char *mode, int p,
                           size_t bytes, const char *reason, double begin_s, double end_s)
{
    if (!allfold_report_records())
        return;
    const struct allfold_event event = {
        .begin = allfold_log_ns_of(begin_s),
        .end = allfold_log_ns_of(end_s),
        .bytes = bytes,
        .row = allfold_report_passed_row(collective, mode, p, bytes, reason, allfold_call_site()),
        .calls = 1,
        .collective = collective,
        .kind = mode == NULL ? ALLFOLD_CALL_BLOCKED : ALLFOLD_CALL_STARTED};
    allfold_log_end(&event, 1, NULL, NULL);
    show(end_s);
}

/* --- the head --- */

static void fill_head(const struct allfold_log *log)
{
    allfold_call_sites_name();
    head.found = log->found;
    head.run_s = allfold_now_s() - allfold_job()->begin_s;
    PMPI_Comm_size(MPI_COMM_WORLD, &head.p);
    allfold_name_mpi(head.mpi, sizeof head.mpi);
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(head.machine, sizeof head.machine, "%.60s (%.20s)", name.nodename, name.machine);
    const struct allfold_job *job = allfold_job();
    if (job->nodes != NULL) {
        head.nodes = job->nodes->count;
        head.most_per_node = job->nodes->most;
        head.least_per_node = job->nodes->least;
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

/* Returns the path of a file that may be written more than once; NULL if there is none, such as
 * when the report goes to a pipe. */
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
    if (allfold_job()->native_reason == NULL) {
        allfold_log_watch(allfold_log_lock());
        allfold_log_unlock();
    }
}

/* --- what all ranks waited --- */

static void name_node(char *name, size_t name_bytes)
{
    struct utsname system;
    if (uname(&system) == 0)
        snprintf(name, name_bytes, "%.*s", (int)name_bytes - 1, system.nodename);
    allfold_report_make_plain(name);
}

/* If `all` is NULL, only this rank's node has a name here. */
static void name_rows(const struct allfold_log *log, const struct allfold_report_rank *all)
{
    struct allfold_late_map *map = &head.late;
    map->is_by_node = allfold_log_is_by_node(log);
    const int items = map->is_by_node ? log->nodes->count : log->size;
    for (int i = 0; i < items; i++) {
        const int rank = map->is_by_node ? allfold_rank_on(log->nodes, i, 0) : i;
        allfold_late_map_name(map, i, items, all == NULL ? "" : all[rank].node);
    }
}

/* A call's row of this rank's report is in a phase. */
static void name_phases(const struct allfold_log *log, struct allfold_worst *worst)
{
    for (uint32_t i = 0; i < worst->count; i++) {
        struct allfold_worst_call *call = &worst->calls[i];
        const char *phase = call->row < log->row_count ? log->rows[call->row].phase : NULL;
        snprintf(call->phase, sizeof call->phase, "%s", phase == NULL ? "" : phase);
    }
}

static void fill_cores(struct allfold_report_rank *own)
{
    const struct allfold_job *job = allfold_job();
    own->switches = count_switches() - switches_before;
    own->shares_cores = job->node.shares_cores || job->nodes->is_crowded;
}

/* Rank 0 gets what each rank did. All ranks take part, or none. */
static void gather_ranks(struct allfold_log *log)
{
    const struct allfold_job *job = allfold_job();
    if (job->native_reason != NULL || job->agreed.settings->report == NULL)
        return;
    const bool gathers = job->rank == 0;
    struct allfold_report_rank *all =
        gathers ? allfold_allocate((size_t)job->size * sizeof *all) : NULL;
    bool fits = !gathers || all != NULL;
    name_node(log->own.node, sizeof log->own.node);
    fill_cores(&log->own);
    if (allfold_synchronize(job->comm, &fits) == MPI_SUCCESS && fits &&
        PMPI_Gather(&log->own, sizeof log->own, MPI_BYTE, all, sizeof log->own, MPI_BYTE, 0,
                    job->comm) == MPI_SUCCESS) {
        for (int r = 0; r < job->size && gathers; r++)
            allfold_report_add_rank(&head.summary, r, &all[r]);
        name_phases(log, &log->worst);
        if (allfold_lateness_gather(job->comm, log, &head.late, &head.worst) && gathers)
            name_rows(log, all);
        allfold_call_sites_name();
        allfold_rows_gather(log, job->comm);
    }
    allfold_free(all);
}

/* What rank 0 knows by itself: its own waiting, and who came last to its calls. */
static void fill_seen(struct allfold_log *log)
{
    struct allfold_latecomers *seen = log->seen;
    struct allfold_report_summary *summary = &head.summary;
    if (seen == NULL || log->own.sums.split <= 0)
        return;
    fill_cores(&log->own);
    allfold_report_add_sums(summary, &log->own);
    summary->sums.behind_s = 0;
    for (int r = 0; r < log->size; r++) {
        const struct allfold_report_rank one = {.sums = {.split = log->own.sums.split,
                                                         .last = (double)seen->of[r].last,
                                                         .behind_s = seen->of[r].behind_s,
                                                         .chance_s = seen->chance_s,
                                                         .squares = seen->of[r].squares}};
        summary->sums.behind_s += one.sums.behind_s;
        allfold_report_add_latest(summary, r, &one);
    }
    allfold_latecomers_map(seen, &head.late);
    head.worst = seen->worst;
    name_phases(log, &head.worst);
    allfold_worst_sort(&head.worst);
    if (head.late.bin_s > 0)
        name_rows(log, NULL);
}

/* Clears what only an incomplete report prints. */
static void forget_seen(void)
{
    head.summary = (struct allfold_report_summary){.ranks = 0};
    head.late.rows = 0;
    head.worst.count = 0;
}

/* --- writing --- */

/* What is written, and in which format. */
struct content {
    const struct allfold_log *log;
    enum allfold_report_format format;
};

static enum allfold_error put(FILE *file, const void *what)
{
    const struct content *content = what;
    allfold_report_print(&head, content->log->rows, content->log->row_count, content->format, file);
    return ALLFOLD_OK;
}

/* Returns false with errno if the file could not be written completely; then it is unchanged. */
static bool write_to(const char *path, const struct allfold_log *log)
{
    const struct content content = {log, allfold_report_format_of(path)};
    char message[ALLFOLD_MESSAGE_BYTES];
    return allfold_replace_file(path, put, &content, message, sizeof message) == ALLFOLD_OK;
}

bool allfold_report_is_due(double begin_s, double written_s, double now_s)
{
    const double first_s = 1, longest_s = 60, ran_s = written_s - begin_s;
    return now_s - written_s >= (ran_s < first_s ? first_s : ran_s > longest_s ? longest_s : ran_s);
}

void allfold_report_save(void)
{
    const double now_s = allfold_now_s();
    bool is_there;
    if (!allfold_report_is_due(allfold_job()->begin_s, saved_s, now_s))
        return;
    saved_s = now_s;
    const char *path = file_path(&is_there);
    if (path == NULL || !is_writer())
        return;
    struct allfold_log *log = allfold_log_lock();
    fill_head(log);
    fill_seen(log);
    head.is_incomplete = true;
    write_to(path, log);
    head.is_incomplete = false;
    forget_seen();
    allfold_log_unlock();
}

void allfold_report_write(void)
{
    const char *path = allfold_settings()->report;
    struct allfold_log *log = allfold_log_lock();
    gather_ranks(log);
    if (is_writer()) {
        fill_head(log);
        head.no_lines = allfold_call_sites_add_lines();
        allfold_report_sort(log->rows, log->row_count);
        const bool is_written = *path != '\0' && write_to(path, log);
        if (*path != '\0' && !is_written)
            complain(path, "; here it is");
        if (is_written)
            fprintf(stderr, "allfold: the report is in %s\n", path);
        head.is_brief = true;
        if (!is_written)
            allfold_report_print(&head, log->rows, log->row_count, ALLFOLD_REPORT_TABLE, stderr);
    }
    allfold_log_unlock();
}

void allfold_report_forget(void)
{
    allfold_log_free(allfold_log_lock());
    allfold_log_unlock();
}
