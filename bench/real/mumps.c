/*
 * mumps.c: solves the 3-D Poisson problem on N x N x N points by MUMPS, a direct solver. Rank 0 has
 * the matrix; MUMPS distributes, factorizes and solves. Prints the error of the solution, which is
 * known. It does not use Allfold itself. Usage: mumps N SOLVES
 */
#include <dmumps_c.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOB_INIT = -1, JOB_END = -2, JOB_ANALYZE_AND_FACTORIZE = 4, JOB_SOLVE = 3 };
enum { USE_COMM_WORLD = -987654, SYMMETRIC_POSITIVE_DEFINITE = 1 };

struct matrix {
    MUMPS_INT *row, *column; /* of the lower triangle, from 1 */
    double *value;
    MUMPS_INT8 entries;
};

static void add(struct matrix *a, int row, int column, double value)
{
    a->row[a->entries] = row + 1;
    a->column[a->entries] = column + 1;
    a->value[a->entries++] = value;
}

static int build(struct matrix *a, int n)
{
    size_t most = 4 * (size_t)n * (size_t)n * (size_t)n;
    a->row = malloc(most * sizeof *a->row);
    a->column = malloc(most * sizeof *a->column);
    a->value = malloc(most * sizeof *a->value);
    if (a->row == NULL || a->column == NULL || a->value == NULL)
        return 1;
    for (int i = 0, r = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++, r++) {
                add(a, r, r, 6.0);
                if (i > 0)
                    add(a, r, r - n * n, -1.0);
                if (j > 0)
                    add(a, r, r - n, -1.0);
                if (k > 0)
                    add(a, r, r - 1, -1.0);
            }
    return 0;
}

static double known(int row)
{
    return 1.0 + row % 7;
}

/* The right-hand side of which the solution is known */
static void multiply(const struct matrix *a, int rows, double *b)
{
    for (int r = 0; r < rows; r++)
        b[r] = 0.0;
    for (MUMPS_INT8 e = 0; e < a->entries; e++) {
        int r = a->row[e] - 1, c = a->column[e] - 1;
        b[r] += a->value[e] * known(c);
        if (r != c)
            b[c] += a->value[e] * known(r);
    }
}

static int run(DMUMPS_STRUC_C *solver, int job)
{
    solver->job = job;
    dmumps_c(solver);
    if (solver->infog[0] >= 0)
        return 0;
    fprintf(stderr, "mumps: job %d failed, INFOG(1)=%d INFOG(2)=%d; see MUMPS's guide\n", job,
            (int)solver->infog[0], (int)solver->infog[1]);
    return 1;
}

static int solve(int rank, int n, int solves)
{
    struct matrix a = {0};
    int rows = n * n * n;
    double error = 0.0, norm = 0.0;
    DMUMPS_STRUC_C solver = {.par = 1, .sym = SYMMETRIC_POSITIVE_DEFINITE};
    solver.comm_fortran = USE_COMM_WORLD;
    if (run(&solver, JOB_INIT) != 0)
        return 1;
    for (int i = 0; i < 4; i++)
        solver.icntl[i] = i < 3 ? -1 : 0; /* ICNTL(1) to (4): print nothing */
    double *b = malloc((size_t)rows * sizeof *b);
    if (b == NULL || (rank == 0 && build(&a, n) != 0)) {
        fprintf(stderr, "mumps: no memory for %d rows; give a smaller N\n", rows);
        return 1;
    }
    solver.n = rows, solver.nnz = a.entries;
    solver.irn = a.row, solver.jcn = a.column, solver.a = a.value, solver.rhs = b;
    if (run(&solver, JOB_ANALYZE_AND_FACTORIZE) != 0)
        return 1;
    for (int s = 0; s < solves; s++) {
        if (rank == 0)
            multiply(&a, rows, b);
        if (run(&solver, JOB_SOLVE) != 0)
            return 1;
    }
    for (int r = 0; rank == 0 && r < rows; r++) {
        error = fmax(error, fabs(b[r] - known(r)));
        norm += b[r] * b[r];
    }
    if (rank == 0)
        printf("rows %d\nnorm %.9e\nresult: %s\n", rows, sqrt(norm),
               error < 1e-8 ? "passed" : "failed");
    free(a.row), free(a.column), free(a.value), free(b);
    return run(&solver, JOB_END) != 0 || error >= 1e-8;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int n = argc > 1 ? atoi(argv[1]) : 0, solves = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 2 || n > 200 || solves < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: mumps N SOLVES, with N from 2 to 200 and SOLVES above 0\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (solve(rank, n, solves) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1); /* other ranks may still be in the solver */
    MPI_Finalize();
    return 0;
}
