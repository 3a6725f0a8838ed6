/* The rows of all ranks (see row_means.h). */
#include "mpi/report/row_means.h"

#include <stdio.h>
#include <string.h>

#include "mpi/transport/point_to_point.h"
#include "util/memory.h"

/* A row as ranks send it. */
struct sent_row {
    char phase[64], site[ALLFOLD_SITE_BYTES], algorithm[ALLFOLD_REPORT_NAME_BYTES],
        source[128]; /* "": none */
    int32_t collective, mode, p, has_phase;
    uint64_t least_bytes, most_bytes;
    struct allfold_row_sums sums;
};

struct allfold_row_list {
    struct sent_row *rows;
    uint32_t count, capacity, own;
};

static const char *const modes[] = {NULL, allfold_mode_nonblocking, allfold_mode_persistent};

static void fill_text(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from == NULL ? "" : from);
}

static void fill(struct sent_row *to, const struct allfold_report_row *from)
{
    const struct allfold_figures *figures = &from->figures;
    memset(to, 0, sizeof *to); /* rows are compared whole */
    fill_text(to->phase, sizeof to->phase, from->phase);
    fill_text(to->site, sizeof to->site, from->site);
    fill_text(to->algorithm, sizeof to->algorithm, from->algorithm);
    fill_text(to->source, sizeof to->source, from->source);
    to->has_phase = from->phase != NULL;
    to->collective = (int32_t)from->collective;
    while (modes[to->mode] != from->mode)
        to->mode++;
    to->p = from->p;
    to->least_bytes = from->least_bytes;
    to->most_bytes = from->most_bytes;
    to->sums = (struct allfold_row_sums){.ranks = 1,
                                         .calls = figures->calls,
                                         .bytes = from->moved_bytes,
                                         .seconds = figures->seconds,
                                         .waiting_s = figures->waiting_s,
                                         .moving_s = figures->moving_s,
                                         .flight_s = figures->flight_s,
                                         .awaited_s = figures->awaited_s,
                                         .starts = figures->starts};
}

struct allfold_row_list *allfold_row_list_make(const struct allfold_report_row *rows,
                                               uint32_t count)
{
    struct allfold_row_list *list = allfold_allocate_zeroed(sizeof *list);
    if (list == NULL)
        return NULL;
    list->rows = allfold_allocate((count + 1) * sizeof *list->rows);
    if (list->rows == NULL) {
        allfold_free(list);
        return NULL;
    }
    list->capacity = count + 1;
    list->count = list->own = count;
    for (uint32_t i = 0; i < count; i++)
        fill(&list->rows[i], &rows[i]);
    return list;
}

static bool is_alike(const struct sent_row *a, const struct sent_row *b)
{
    return a->collective == b->collective && a->mode == b->mode && a->p == b->p &&
           a->has_phase == b->has_phase &&
           allfold_report_size_class(a->least_bytes) == allfold_report_size_class(b->least_bytes) &&
           strcmp(a->phase, b->phase) == 0 && strcmp(a->site, b->site) == 0 &&
           strcmp(a->algorithm, b->algorithm) == 0 && strcmp(a->source, b->source) == 0;
}

static void add_sums(struct sent_row *into, const struct sent_row *more)
{
    struct allfold_row_sums *sums = &into->sums;
    into->least_bytes =
        more->least_bytes < into->least_bytes ? more->least_bytes : into->least_bytes;
    into->most_bytes = more->most_bytes > into->most_bytes ? more->most_bytes : into->most_bytes;
    sums->ranks += more->sums.ranks;
    sums->calls += more->sums.calls;
    sums->bytes += more->sums.bytes;
    sums->seconds += more->sums.seconds;
    sums->waiting_s += more->sums.waiting_s;
    sums->moving_s += more->sums.moving_s;
    sums->flight_s += more->sums.flight_s;
    sums->awaited_s += more->sums.awaited_s;
    allfold_report_add_starts(&sums->starts, &more->sums.starts);
}

/* Without memory a row of other ranks alone is left out. */
static void merge(struct allfold_row_list *list, const struct sent_row *row)
{
    uint32_t i = 0;
    while (i < list->count && !is_alike(&list->rows[i], row))
        i++;
    if (i < list->count) {
        add_sums(&list->rows[i], row);
        return;
    }
    void *moved = allfold_make_room(list->rows, list->count, &list->capacity, sizeof *list->rows);
    if (moved == NULL)
        return;
    list->rows = moved;
    list->rows[list->count++] = *row;
}

static void receive(struct allfold_row_list *list, int from, MPI_Comm comm)
{
    const int tag = allfold_clock_tag();
    struct sent_row row;
    uint32_t count = 0;
    PMPI_Recv(&count, sizeof count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
    for (uint32_t i = 0; i < count; i++) {
        PMPI_Recv(&row, sizeof row, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
        if (list != NULL)
            merge(list, &row);
    }
}

static void send(const struct allfold_row_list *list, int to, MPI_Comm comm)
{
    const int tag = allfold_clock_tag();
    const uint32_t count = list == NULL ? 0 : list->count;
    PMPI_Send(&count, sizeof count, MPI_BYTE, to, tag, comm);
    for (uint32_t i = 0; i < count; i++)
        PMPI_Send(&list->rows[i], sizeof *list->rows, MPI_BYTE, to, tag, comm);
}

void allfold_row_list_gather(struct allfold_row_list *list, MPI_Comm comm)
{
    int rank, p;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    int bit = 1;
    for (; bit < p && (rank & bit) == 0; bit *= 2)
        if (rank + bit < p)
            receive(list, rank + bit, comm);
    if (rank > 0)
        send(list, rank - bit, comm);
}

uint32_t allfold_row_list_count(const struct allfold_row_list *list)
{
    return list->count;
}

void allfold_row_list_take(const struct allfold_row_list *list, uint32_t number,
                           struct allfold_report_row *row)
{
    const struct sent_row *from = &list->rows[number];
    if (number >= list->own) {
        *row = (struct allfold_report_row){.phase = from->has_phase ? from->phase : NULL,
                                           .site = *from->site == '\0' ? NULL : from->site,
                                           .collective = (enum allfold_collective)from->collective,
                                           .mode = modes[from->mode],
                                           .p = from->p,
                                           .source = from->source};
        memcpy(row->algorithm, from->algorithm, sizeof row->algorithm);
    }
    row->least_bytes = from->least_bytes;
    row->most_bytes = from->most_bytes;
    row->all_ranks = from->sums;
}

void allfold_row_list_free(struct allfold_row_list *list)
{
    if (list == NULL)
        return;
    allfold_free(list->rows);
    allfold_free(list);
}
