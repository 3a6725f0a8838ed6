/* The example cg: solves A x = b by conjugate gradients with distributed rows, for a known x, and
 * checks the solution. Only rank 0 reads options and files and prints. Its decisions are broadcast,
 * so that all ranks end in the same way. */
#include "cg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct result {
    struct outcome outcome; /* with the longest times of all ranks */
    double entries;         /* non-zeros of the whole matrix */
    double residual;        /* ||b - A x|| / ||b|| */
    double error;           /* the largest of an entry of x */
    double norm;            /* ||x|| */
};

static double known_solution(int row)
{
    return 1.0 + row % 7 / 10.0;
}

/* Collective: false if there is nothing to solve. */
static bool make_matrix(const struct options *options, struct matrix *matrix, int rank)
{
    if (options->poisson > 0) {
        matrix_poisson(matrix, options->poisson);
        return true;
    }
    struct matrix whole = {0};
    int good = 0;
    if (rank == 0)
        good = market_read(options->path, &whole);
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good)
        matrix_scatter(&whole, matrix);
    matrix_free(&whole);
    return good;
}

/* Collective: measures the solution against b and the known one. */
static void measure(const struct matrix *matrix, const struct halo *halo, const double *b,
                    double *x, double *ax, struct result *result)
{
    double sums[4] = {0.0, 0.0, 0.0, (double)matrix->row_start[matrix->count]};
    double largest[3] = {0.0, result->outcome.seconds, result->outcome.allreduce_seconds};
    double unused = 0.0;
    multiply(matrix, halo, x, ax);
    for (int i = 0; i < matrix->count; i++) {
        double error = fabs(x[i] - known_solution(matrix->first + i));
        sums[0] += (b[i] - ax[i]) * (b[i] - ax[i]);
        sums[1] += b[i] * b[i];
        sums[2] += x[i] * x[i];
        if (!(error <= largest[0])) /* a NaN counts as largest */
            largest[0] = error;
    }
    sum_all(sums, 4, &unused);
    MPI_Allreduce(MPI_IN_PLACE, largest, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    result->residual = sums[1] > 0.0 ? sqrt(sums[0] / sums[1]) : sqrt(sums[0]);
    result->norm = sqrt(sums[2]);
    result->entries = sums[3];
    result->error = largest[0];
    result->outcome.seconds = largest[1];
    result->outcome.allreduce_seconds = largest[2];
}

static struct result run(const struct options *options, struct matrix *matrix)
{
    struct halo halo;
    struct result result = {0};
    halo_make(&halo, matrix);
    size_t own = (size_t)matrix->count;
    double *x = allocate(own + (size_t)halo.ghosts, sizeof *x);
    double *b = allocate(own, sizeof *b);
    double *ax = allocate(own, sizeof *ax);
    for (int i = 0; i < matrix->count; i++)
        x[i] = known_solution(matrix->first + i);
    multiply(matrix, &halo, x, b);
    result.outcome = solve(matrix, &halo, options, b, x);
    measure(matrix, &halo, b, x, ax, &result);
    free(x);
    free(b);
    free(ax);
    halo_free(&halo);
    return result;
}

static void print_result(const struct options *options, int rows, const struct result *result)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (options->poisson > 0)
        printf("matrix: poisson %d x %d x %d\n", options->poisson, options->poisson,
               options->poisson);
    else
        printf("matrix: %s\n", options->path);
    printf("rows: %d\n", rows);
    printf("non-zeros: %.0f\n", result->entries);
    printf("ranks: %d\n", size);
    printf("preconditioner: %s\n", options->jacobi ? "jacobi" : "none");
    printf("iterations: %d\n", result->outcome.iterations);
    printf("relative residual: %.3e\n", result->residual);
    printf("max error: %.3e\n", result->error);
    printf("seconds total: %.6f\n", result->outcome.seconds);
    printf("seconds in allreduce: %.6f\n", result->outcome.allreduce_seconds);
    printf("checksum: %.11e\n", result->norm);
}

/* Prints on rank 0 what is wrong with the result; false if something is. */
static bool judge(const struct options *options, const struct result *result, int rank)
{
    const struct outcome *outcome = &result->outcome;
    double residual_limit = 10.0 * options->tolerance;
    double error_limit = sqrt(options->tolerance);
    bool good =
        outcome->converged && result->residual <= residual_limit && result->error <= error_limit;
    if (rank != 0)
        return good;
    printf("result: %s\n", good ? "passed" : "failed");
    fflush(stdout);
    if (outcome->indefinite)
        fprintf(stderr, "cg: a direction p with p'Ap <= 0 was met: "
                        "the matrix is not positive definite\n");
    else if (!outcome->converged)
        fprintf(stderr,
                "cg: not converged after %d iterations; raise --iterations or "
                "--tolerance, or try --jacobi\n",
                outcome->iterations);
    else if (!(result->residual <= residual_limit))
        fprintf(stderr, "cg: the relative residual is %.3e, expected at most %.3e\n",
                result->residual, residual_limit);
    else if (!(result->error <= error_limit))
        fprintf(stderr,
                "cg: an entry is off by %.3e, expected at most %.3e; an ill-conditioned "
                "matrix needs a smaller --tolerance\n",
                result->error, error_limit);
    return good;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    int parsed = PARSED_RUN;
    bool good = false;
    struct options options = {0};
    struct matrix matrix = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        parsed = (int)options_parse(argc, argv, &options);
    MPI_Bcast(&parsed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (parsed != PARSED_RUN) {
        good = parsed == PARSED_HELP;
        goto out;
    }
    MPI_Bcast(&options, (int)sizeof options, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!make_matrix(&options, &matrix, rank))
        goto out;
    struct result result = run(&options, &matrix);
    if (rank == 0)
        print_result(&options, matrix.rows, &result);
    good = judge(&options, &result, rank);
out:
    matrix_free(&matrix);
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
