/* Conjugate gradients on a distributed sparse matrix: what the files of this program share.
 *
 * Rows are dealt to the ranks of MPI_COMM_WORLD in contiguous blocks (row_of_rank); a vector is
 * dealt like the rows. A vector that the matrix is applied to has room for ghosts behind its own
 * entries. Ghosts are the entries of other ranks that this rank's rows touch. */
#ifndef CG_H
#define CG_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "../options.h"

struct options {
    int poisson;      /* grid points in each direction; 0: read a file */
    int iterations;   /* at most */
    double tolerance; /* of the residual, relative to the right-hand side */
    bool jacobi;
    const char *path; /* of the Matrix Market file; only rank 0 has it */
};

/* This rank's rows in compressed form. Columns are those of the whole matrix until halo_make()
 * turns them into places in the local vector: own entries first, ghosts behind. */
struct matrix {
    int rows;          /* of the whole matrix */
    int first;         /* this rank's first row */
    int count;         /* this rank's rows */
    size_t *row_start; /* count + 1 */
    int *column;
    double *value;
};

/* A neighbor and its part of a list of entries. */
struct peer {
    int rank;
    int start;
    int count;
};

/* Who sends which entries of a vector to whom, worked out once. */
struct halo {
    int own;    /* entries of this rank */
    int ghosts; /* entries of others, kept behind the own ones */
    int receives;
    int sends;
    struct peer *receive; /* start counts from the first ghost */
    struct peer *send;    /* start counts from the first of send_index */
    int *send_index;      /* own entries to send, neighbor by neighbor */
    double *send_buffer;
    MPI_Request *requests; /* receives + sends */
    MPI_Status *statuses;
};

struct outcome {
    int iterations;
    bool converged;
    bool indefinite; /* a direction with p'Ap <= 0 was met */
    double seconds;
    double allreduce_seconds;
};

/* Rank 0 only. Prints help or what is wrong. */
enum parsed options_parse(int argc, char **argv, struct options *options);

/* Zeroed memory; ends all ranks when there is none. */
void *allocate(size_t count, size_t size);

/* The first row of a rank; that of rank `size` is the number of rows. */
int row_of_rank(int rows, int rank, int size);

/* The 7-point stencil on n x n x n points, zero outside: 6 on the diagonal, -1 to neighbors. */
void matrix_poisson(struct matrix *matrix, int n);

/* Collective: deals the whole matrix, which only rank 0 has, to all. */
void matrix_scatter(const struct matrix *whole, struct matrix *mine);

void matrix_free(struct matrix *matrix);

/* Rank 0 only: reads and validates a file; false after having printed what is wrong with it. */
bool market_read(const char *path, struct matrix *whole);

/* Collective. Renumbers the matrix's columns, see there. */
void halo_make(struct halo *halo, struct matrix *matrix);

/* Collective among neighbors: fills the ghosts of a vector. */
void halo_exchange(const struct halo *halo, double *vector);

void halo_free(struct halo *halo);

/* Collective: result = A vector; fills the vector's ghosts on the way. */
void multiply(const struct matrix *matrix, const struct halo *halo, double *vector, double *result);

/* Collective: adds up values over the ranks in place, and the time it took to *seconds. */
void sum_all(double *values, int count, double *seconds);

/* Collective: solves A x = b from x = 0. x has room for ghosts, b is without. */
struct outcome solve(const struct matrix *matrix, const struct halo *halo,
                     const struct options *options, const double *b, double *x);

#endif
