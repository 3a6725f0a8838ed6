/* The declarations of the example cg: conjugate gradients on a distributed sparse matrix.
 *
 * Rows are distributed over the ranks of MPI_COMM_WORLD in contiguous blocks (row_of_rank), and
 * vectors are distributed like the rows. A vector that is multiplied by the matrix has memory for
 * ghosts after its own entries. Ghosts are the entries of other ranks that this rank's rows use. */
#ifndef CG_H
#define CG_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "../options.h"

struct options {
    int poisson;      /* grid points in each direction; 0: read a file */
    int iterations;   /* maximum number */
    double tolerance; /* of the residual, relative to the right-hand side */
    bool jacobi;
    const char *path; /* of the Matrix Market file; only on rank 0 */
};

/* This rank's rows in CSR format. Columns are those of the whole matrix until halo_make() converts
 * them to indices of the local vector: own entries first, then ghosts. */
struct matrix {
    int rows;          /* of the whole matrix */
    int first;         /* this rank's first row */
    int count;         /* this rank's rows */
    size_t *row_start; /* count + 1 offsets into column and value */
    int *column;
    double *value;
};

/* A neighbor rank and its range of a list of entries. */
struct peer {
    int rank;
    int start;
    int count;
};

/* The communication plan of halo_exchange(). */
struct halo {
    int own;              /* entries of this rank */
    int ghosts;           /* entries of other ranks, after the own entries */
    int receives;         /* number of neighbors to receive from */
    int sends;            /* number of neighbors to send to */
    struct peer *receive; /* `start` is relative to the first ghost */
    struct peer *send;    /* `start` is an index of send_index */
    int *send_index;      /* own entries to send, neighbor by neighbor */
    double *send_buffer;
    MPI_Request *requests; /* receives + sends */
    MPI_Status *statuses;
};

struct outcome {
    int iterations;
    bool converged;
    bool indefinite; /* a direction p with p'Ap <= 0 was found */
    double seconds;
    double allreduce_seconds;
};

/* Parses the command line; prints help if requested, or an error. Rank 0 only. */
enum parsed options_parse(int argc, char **argv, struct options *options);

/* Allocates zeroed memory. Aborts all ranks if out of memory. */
void *allocate(size_t count, size_t size);

/* Returns the first row of a rank; for rank `size`, the number of rows. */
int row_of_rank(int rows, int rank, int size);

/* Makes this rank's rows of the 7-point stencil on n x n x n points with zero boundary values: 6 on
 * the diagonal, -1 for neighbors. */
void matrix_poisson(struct matrix *matrix, int n);

/* Distributes the matrix `whole`, which only rank 0 has, over all ranks. Collective. */
void matrix_scatter(const struct matrix *whole, struct matrix *mine);

void matrix_free(struct matrix *matrix);

/* Reads and validates a Matrix Market file. Prints an error and returns false if it is invalid.
 * Rank 0 only. */
bool market_read(const char *path, struct matrix *whole);

/* Makes the communication plan and renumbers the columns of the matrix (see struct matrix).
 * Collective. */
void halo_make(struct halo *halo, struct matrix *matrix);

/* Fills the ghosts of a vector. Collective. */
void halo_exchange(const struct halo *halo, double *vector);

void halo_free(struct halo *halo);

/* Computes result = A vector, after filling the ghosts of `vector`. Collective. */
void multiply(const struct matrix *matrix, const struct halo *halo, double *vector, double *result);

/* Sums the values over all ranks, in place, and adds the time of the allreduce to *seconds.
 * Collective. */
void sum_all(double *values, int count, double *seconds);

/* Solves A x = b, starting from x = 0. x has memory for ghosts; b does not. Collective. */
struct outcome solve(const struct matrix *matrix, const struct halo *halo,
                     const struct options *options, const double *b, double *x);

#endif
