/* Gathers lateness and rows of all ranks on rank 0 (see gathering.h). */
#include "mpi/report/gathering.h"

#include <stdio.h>
#include <string.h>

#include "mpi/progress/progress.h"
#include "mpi/transport/point_to_point.h"

/* --- lateness --- */

static void merge(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct allfold_worst *others = in;
    struct allfold_worst *into = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        allfold_worst_merge(&into[i], &others[i]);
}

static bool gather_worst(MPI_Comm comm, const struct allfold_worst *own, struct allfold_worst *all)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    bool is_made = PMPI_Type_contiguous(sizeof *own, MPI_BYTE, &type) == MPI_SUCCESS &&
                   PMPI_Type_commit(&type) == MPI_SUCCESS &&
                   PMPI_Op_create(merge, 1, &op) == MPI_SUCCESS;
    bool is_gathered = allfold_synchronize(comm, &is_made) == MPI_SUCCESS && is_made &&
                       PMPI_Reduce(own, all, 1, type, op, 0, comm) == MPI_SUCCESS;
    if (op != MPI_OP_NULL)
        PMPI_Op_free(&op);
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_free(&type);
    return is_gathered;
}

bool allfold_lateness_gather(MPI_Comm comm, struct allfold_log *log, struct allfold_late_map *map,
                             struct allfold_worst *worst)
{
    static float late[ALLFOLD_LATE_ROWS][ALLFOLD_LATE_BINS]; /* this rank's, in its row */
    *map = (struct allfold_late_map){.rows = 0};
    worst->count = 0;
    if (PMPI_Allreduce(&log->late.bin_s, &map->bin_s, 1, MPI_DOUBLE, MPI_MAX, comm) != MPI_SUCCESS)
        return false;
    allfold_late_bins_widen(&log->late, map->bin_s);
    memset(late, 0, sizeof late);
    allfold_late_bins_shares(&log->late, late[allfold_log_late_row(log, log->rank)]);
    if (PMPI_Reduce(late, map->late, ALLFOLD_LATE_ROWS * ALLFOLD_LATE_BINS, MPI_FLOAT, MPI_MAX, 0,
                    comm) != MPI_SUCCESS ||
        !gather_worst(comm, &log->worst, worst))
        return false;
    allfold_worst_sort(worst);
    return true;
}

/* --- rows --- */

/* A row as ranks send it: of the texts that it points to, copies. */
struct sent_row {
    char phase[64], site[ALLFOLD_SITE_BYTES], source[128]; /* "": none */
    int32_t mode;
    struct allfold_report_row row;
};

static const char *const modes[] = {NULL, allfold_mode_nonblocking, allfold_mode_persistent};

static void fill_text(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from == NULL ? "" : from);
}

static void send_rows(const struct allfold_log *log, int to, MPI_Comm comm)
{
    const int tag = allfold_clock_tag();
    PMPI_Send(&log->row_count, sizeof log->row_count, MPI_BYTE, to, tag, comm);
    for (uint32_t i = 0; i < log->row_count; i++) {
        struct sent_row sent = {.row = log->rows[i]};
        while (modes[sent.mode] != sent.row.mode)
            sent.mode++;
        fill_text(sent.phase, sizeof sent.phase, sent.row.phase);
        fill_text(sent.site, sizeof sent.site, sent.row.site);
        fill_text(sent.source, sizeof sent.source, sent.row.source);
        PMPI_Send(&sent, sizeof sent, MPI_BYTE, to, tag, comm);
    }
}

static void receive_rows(struct allfold_log *log, int from, MPI_Comm comm)
{
    const int tag = allfold_clock_tag();
    struct sent_row sent;
    uint32_t count = 0;
    PMPI_Recv(&count, sizeof count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
    for (uint32_t i = 0; i < count; i++) {
        PMPI_Recv(&sent, sizeof sent, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
        sent.row.mode = modes[sent.mode];
        sent.row.phase = *sent.phase == '\0' ? NULL : sent.phase;
        sent.row.site = *sent.site == '\0' ? NULL : sent.site;
        sent.row.source = sent.source;
        allfold_log_merge_row(log, &sent.row);
    }
}

void allfold_rows_gather(struct allfold_log *log, MPI_Comm comm)
{
    int rank, p, bit = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    for (uint32_t i = 0; i < log->row_count; i++) {
        log->rows[i].ranks = 1;
        log->rows[i].all_ranks = log->rows[i].sums;
    }
    for (; bit < p && (rank & bit) == 0; bit *= 2)
        if (rank + bit < p)
            receive_rows(log, rank + bit, comm);
    if (rank > 0)
        send_rows(log, rank - bit, comm);
}
