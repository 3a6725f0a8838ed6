/* When this rank was late, and how rank 0 gets it of all ranks (see gathering.h). */
#include "mpi/report/gathering.h"

#include <pthread.h>
#include <string.h>

#include "mpi/job/job.h"
#include "mpi/progress/progress.h"
#include "events/latecomers.h"
#include "util/memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_lateness of_this_rank;

struct allfold_lateness *allfold_lateness_open(void)
{
    pthread_mutex_lock(&mutex);
    return &of_this_rank;
}

void allfold_lateness_close(void)
{
    pthread_mutex_unlock(&mutex);
}

bool allfold_lateness_watch(void)
{
    struct allfold_lateness *lateness = allfold_lateness_open();
    if (lateness->seen == NULL)
        lateness->seen = allfold_latecomers_make(allfold_job()->size);
    const bool is_watched = lateness->seen != NULL;
    allfold_lateness_close();
    return is_watched;
}

void allfold_lateness_forget(void)
{
    struct allfold_lateness *lateness = allfold_lateness_open();
    allfold_free(lateness->seen);
    lateness->seen = NULL;
    allfold_lateness_close();
}

/* Up to as many ranks as the map has rows, each has its own; of more, nodes have them. */
bool allfold_lateness_is_by_node(void)
{
    const struct allfold_job *job = allfold_job();
    return job->size > ALLFOLD_LATE_ROWS && job->nodes != NULL && job->nodes->count > 1;
}

int allfold_lateness_row(int rank)
{
    const struct allfold_job *job = allfold_job();
    return allfold_lateness_is_by_node()
               ? allfold_late_row_of(job->nodes->node_of[rank], job->nodes->count)
               : allfold_late_row_of(rank, job->size);
}

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

bool allfold_lateness_gather(MPI_Comm comm, struct allfold_lateness *own,
                             struct allfold_late_map *map, struct allfold_worst *worst)
{
    static float late[ALLFOLD_LATE_ROWS][ALLFOLD_LATE_BINS]; /* this rank's, in its row */
    *map = (struct allfold_late_map){.rows = 0};
    worst->count = 0;
    if (PMPI_Allreduce(&own->bins.bin_s, &map->bin_s, 1, MPI_DOUBLE, MPI_MAX, comm) != MPI_SUCCESS)
        return false;
    allfold_late_bins_widen(&own->bins, map->bin_s);
    memset(late, 0, sizeof late);
    allfold_late_bins_shares(&own->bins, late[allfold_lateness_row(allfold_job()->rank)]);
    if (PMPI_Reduce(late, map->late, ALLFOLD_LATE_ROWS * ALLFOLD_LATE_BINS, MPI_FLOAT, MPI_MAX, 0,
                    comm) != MPI_SUCCESS ||
        !gather_worst(comm, &own->worst, worst))
        return false;
    allfold_worst_sort(worst);
    return true;
}
