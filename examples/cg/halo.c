/* The communication plan of the matrix-vector product. Each rank lists the columns of other ranks
 * that it needs, sorted, and hence grouped by owner. The owners receive first the lengths of these
 * lists and then the lists. Ghosts are stored after the own entries in the order of the list, so
 * that they are received in place. */
#include "cg.h"

#include <stdlib.h>

enum { TAG_LIST = 1, TAG_ENTRIES = 2 };

static int by_value(const void *left, const void *right)
{
    int a = *(const int *)left;
    int b = *(const int *)right;
    return (a > b) - (a < b);
}

static bool is_own(const struct matrix *matrix, int column)
{
    return column >= matrix->first && column - matrix->first < matrix->count;
}

/* The columns that other ranks have, sorted, each once. */
static int *list_ghosts(const struct matrix *matrix, int *count)
{
    size_t entries = matrix->row_start[matrix->count];
    size_t found = 0;
    for (size_t i = 0; i < entries; i++)
        found += !is_own(matrix, matrix->column[i]);
    int *list = allocate(found, sizeof *list);
    found = 0;
    for (size_t i = 0; i < entries; i++) {
        if (!is_own(matrix, matrix->column[i]))
            list[found++] = matrix->column[i];
    }
    qsort(list, found, sizeof *list, by_value);
    int kept = 0;
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    }
    *count = kept;
    return list;
}

static void renumber(struct matrix *matrix, const int *ghosts, int count)
{
    size_t entries = matrix->row_start[matrix->count];
    for (size_t i = 0; i < entries; i++) {
        int *column = &matrix->column[i];
        if (is_own(matrix, *column)) {
            *column -= matrix->first;
            continue;
        }
        const int *found = bsearch(column, ghosts, (size_t)count, sizeof *ghosts, by_value);
        *column = matrix->count + (int)(found - ghosts);
    }
}

/* The ranks with a count above 0, and where in a common list their parts are. */
static struct peer *list_peers(const int *counts, int size, int *peers)
{
    struct peer *list = allocate((size_t)size, sizeof *list);
    int start = 0;
    *peers = 0;
    for (int rank = 0; rank < size; rank++) {
        if (counts[rank] == 0)
            continue;
        list[(*peers)++] = (struct peer){rank, start, counts[rank]};
        start += counts[rank];
    }
    return list;
}

/* Tells the owners which of their entries are wanted here, and learns what others want. */
static void swap_lists(struct halo *halo, const int *ghosts, int first)
{
    MPI_Request *request = halo->requests;
    int total = 0;
    for (int i = 0; i < halo->sends; i++)
        total += halo->send[i].count;
    halo->send_index = allocate((size_t)total, sizeof *halo->send_index);
    halo->send_buffer = allocate((size_t)total, sizeof *halo->send_buffer);
    for (int i = 0; i < halo->sends; i++) {
        struct peer peer = halo->send[i];
        MPI_Irecv(halo->send_index + peer.start, peer.count, MPI_INT, peer.rank, TAG_LIST,
                  MPI_COMM_WORLD, request++);
    }
    for (int i = 0; i < halo->receives; i++) {
        struct peer peer = halo->receive[i];
        MPI_Isend(ghosts + peer.start, peer.count, MPI_INT, peer.rank, TAG_LIST, MPI_COMM_WORLD,
                  request++);
    }
    MPI_Waitall(halo->sends + halo->receives, halo->requests, halo->statuses);
    for (int i = 0; i < total; i++)
        halo->send_index[i] -= first;
}

void halo_make(struct halo *halo, struct matrix *matrix)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *halo = (struct halo){.own = matrix->count};
    int *ghosts = list_ghosts(matrix, &halo->ghosts);
    int *wanted = allocate((size_t)size, sizeof *wanted);
    int *offered = allocate((size_t)size, sizeof *offered);
    int owner = 0;
    for (int i = 0; i < halo->ghosts; i++) {
        while (row_of_rank(matrix->rows, owner + 1, size) <= ghosts[i])
            owner++;
        wanted[owner]++;
    }
    MPI_Alltoall(wanted, 1, MPI_INT, offered, 1, MPI_INT, MPI_COMM_WORLD);
    halo->receive = list_peers(wanted, size, &halo->receives);
    halo->send = list_peers(offered, size, &halo->sends);
    size_t messages = (size_t)halo->receives + (size_t)halo->sends;
    halo->requests = allocate(messages, sizeof *halo->requests);
    halo->statuses = allocate(messages, sizeof *halo->statuses);
    swap_lists(halo, ghosts, matrix->first);
    renumber(matrix, ghosts, halo->ghosts);
    free(ghosts);
    free(wanted);
    free(offered);
}

void halo_exchange(const struct halo *halo, double *vector)
{
    MPI_Request *request = halo->requests;
    double *ghosts = vector + halo->own;
    for (int i = 0; i < halo->receives; i++) {
        struct peer peer = halo->receive[i];
        MPI_Irecv(ghosts + peer.start, peer.count, MPI_DOUBLE, peer.rank, TAG_ENTRIES,
                  MPI_COMM_WORLD, request++);
    }
    for (int i = 0; i < halo->sends; i++) {
        struct peer peer = halo->send[i];
        for (int j = peer.start; j < peer.start + peer.count; j++)
            halo->send_buffer[j] = vector[halo->send_index[j]];
        MPI_Isend(halo->send_buffer + peer.start, peer.count, MPI_DOUBLE, peer.rank, TAG_ENTRIES,
                  MPI_COMM_WORLD, request++);
    }
    MPI_Waitall(halo->receives + halo->sends, halo->requests, halo->statuses);
}

void halo_free(struct halo *halo)
{
    free(halo->receive);
    free(halo->send);
    free(halo->send_index);
    free(halo->send_buffer);
    free(halo->requests);
    free(halo->statuses);
    *halo = (struct halo){0};
}
