/* The report (see report.h). */
#include "mpi/report/report.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "mpi/communicator/communicator.h"
#include "mpi/device/staging.h"
#include "mpi/process/runtime.h"
#include "mpi/report/report_format.h"
#include "util/memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_report_row *rows;
static uint32_t row_count, row_capacity;
static struct allfold_report_head head;

/* Sizes are in one class from just above a power of two to the next. */
static int size_class(size_t bytes)
{
    return bytes <= 1 ? (int)bytes : 65 - __builtin_clzll(bytes - 1);
}

static bool is_alike(const struct allfold_report_row *a, const struct allfold_report_row *b)
{
    return a->collective == b->collective && a->p == b->p &&
           size_class(a->least_bytes) == size_class(b->least_bytes) &&
           strcmp(a->algorithm, b->algorithm) == 0 && strcmp(a->source, b->source) == 0;
}

void allfold_report_add(const struct allfold_report_row *row)
{
    if (allfold_settings()->report == NULL || row->figures.calls == 0)
        return;
    pthread_mutex_lock(&mutex);
    uint32_t i = 0;
    while (i < row_count && !is_alike(&rows[i], row))
        i++;
    void *moved = rows;
    if (i == row_count)
        moved = allfold_make_room(rows, row_count, &row_capacity, sizeof *rows);
    if (moved != NULL) {
        rows = moved;
        if (i == row_count)
            rows[row_count++] = *row;
        else
            allfold_report_merge(&rows[i], row);
    }
    pthread_mutex_unlock(&mutex);
}

void allfold_report_native(enum allfold_collective collective, int p, size_t bytes,
                           const char *reason, double seconds)
{
    const struct allfold_report_row row = {
        .collective = collective,
        .p = p,
        .least_bytes = bytes,
        .most_bytes = bytes,
        .algorithm = "native",
        .source = reason,
        .moved_bytes = (double)bytes,
        .figures = {.calls = 1, .seconds = seconds},
    };
    allfold_report_add(&row);
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
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
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
    head.compares = allfold_settings()->common.report_compare != 0;
    head.copies =
        head.nodes == 1 && job->unshared_reason == NULL && allfold_one_copy_is_off() != NULL;
    const struct allfold_staged_bytes staged = allfold_staged_bytes();
    head.staged_to_host = staged.to_host;
    head.staged_to_device = staged.to_device;
    head.staged_pageable = staged.pageable;
}

static void write_to(const char *path)
{
    FILE *file = fopen(path, "w");
    char message[ALLFOLD_MESSAGE_BYTES];
    if (file != NULL) {
        allfold_report_print(&head, rows, row_count, allfold_report_format_of(path), file);
        if (fclose(file) == 0)
            return;
    }
    snprintf(message, sizeof message, "the report cannot be written to %s (%s); here it is", path,
             strerror(errno));
    allfold_warn(message);
    allfold_report_print(&head, rows, row_count, ALLFOLD_REPORT_TABLE, stderr);
}

void allfold_report_write(void)
{
    const char *path = allfold_settings()->report;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_mutex_lock(&mutex);
    if (path != NULL && rank == 0) {
        fill_head();
        allfold_report_sort(rows, row_count);
        if (*path == '\0')
            allfold_report_print(&head, rows, row_count, ALLFOLD_REPORT_TABLE, stderr);
        else
            write_to(path);
    }
    allfold_free(rows);
    rows = NULL;
    row_count = row_capacity = 0;
    pthread_mutex_unlock(&mutex);
}
