/* The distributed matrix: generated on each rank, or distributed by rank 0. */
#include "cg.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "cg: out of memory: %zu x %zu bytes; use more nodes or a smaller matrix\n",
                count, size);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return memory;
}

int row_of_rank(int rows, int rank, int size)
{
    return (int)((int64_t)rows * rank / size);
}

static void take_block(struct matrix *matrix, int rows)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    matrix->rows = rows;
    matrix->first = row_of_rank(rows, rank, size);
    matrix->count = row_of_rank(rows, rank + 1, size) - matrix->first;
    matrix->row_start = allocate((size_t)matrix->count + 1, sizeof *matrix->row_start);
}

static size_t poisson_row(struct matrix *matrix, int n, int row, size_t at)
{
    int step[3] = {1, n, n * n};
    int place[3] = {row % n, row / n % n, row / n / n};
    matrix->column[at] = row;
    matrix->value[at++] = 6.0;
    for (int axis = 0; axis < 3; axis++) {
        if (place[axis] > 0) {
            matrix->column[at] = row - step[axis];
            matrix->value[at++] = -1.0;
        }
        if (place[axis] < n - 1) {
            matrix->column[at] = row + step[axis];
            matrix->value[at++] = -1.0;
        }
    }
    return at;
}

void matrix_poisson(struct matrix *matrix, int n)
{
    take_block(matrix, n * n * n);
    size_t room = 7 * (size_t)matrix->count;
    matrix->column = allocate(room, sizeof *matrix->column);
    matrix->value = allocate(room, sizeof *matrix->value);
    for (int i = 0; i < matrix->count; i++)
        matrix->row_start[i + 1] = poisson_row(matrix, n, matrix->first + i, matrix->row_start[i]);
}

/* What each rank gets of the rows (by_row) or of the entries; only rank 0 can tell the latter. */
static void shares(const struct matrix *whole, int size, bool by_row, int *counts, int *starts)
{
    for (int rank = 0; rank < size; rank++) {
        int first = row_of_rank(whole->rows, rank, size);
        int last = row_of_rank(whole->rows, rank + 1, size);
        starts[rank] = by_row ? first : (int)whole->row_start[first];
        counts[rank] = (by_row ? last : (int)whole->row_start[last]) - starts[rank];
    }
}

static void scatter_row_starts(const struct matrix *whole, int rank, int *counts, int *starts,
                               struct matrix *mine)
{
    int *lengths = NULL;
    int *own = allocate((size_t)mine->count, sizeof *own);
    if (rank == 0) {
        lengths = allocate((size_t)whole->rows, sizeof *lengths);
        for (int row = 0; row < whole->rows; row++)
            lengths[row] = (int)(whole->row_start[row + 1] - whole->row_start[row]);
    }
    MPI_Scatterv(lengths, counts, starts, MPI_INT, own, mine->count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < mine->count; i++)
        mine->row_start[i + 1] = mine->row_start[i] + (size_t)own[i];
    free(lengths);
    free(own);
}

void matrix_scatter(const struct matrix *whole, struct matrix *mine)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rows = whole->rows;
    MPI_Bcast(&rows, 1, MPI_INT, 0, MPI_COMM_WORLD);
    take_block(mine, rows);
    int *counts = allocate((size_t)size, sizeof *counts);
    int *starts = allocate((size_t)size, sizeof *starts);
    if (rank == 0)
        shares(whole, size, true, counts, starts);
    scatter_row_starts(whole, rank, counts, starts, mine);
    if (rank == 0)
        shares(whole, size, false, counts, starts);
    int entries = (int)mine->row_start[mine->count];
    mine->column = allocate((size_t)entries, sizeof *mine->column);
    mine->value = allocate((size_t)entries, sizeof *mine->value);
    MPI_Scatterv(whole->column, counts, starts, MPI_INT, mine->column, entries, MPI_INT, 0,
                 MPI_COMM_WORLD);
    MPI_Scatterv(whole->value, counts, starts, MPI_DOUBLE, mine->value, entries, MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
    free(counts);
    free(starts);
}

void matrix_free(struct matrix *matrix)
{
    free(matrix->row_start);
    free(matrix->column);
    free(matrix->value);
    *matrix = (struct matrix){0};
}
