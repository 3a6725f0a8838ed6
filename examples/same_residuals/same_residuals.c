/* Conjugate gradients whose residuals are bitwise identical on any number of ranks.
 *
 *     mpirun -n 5 ./same_residuals [--plain] [N] [STEPS]
 *
 * The system is a diffusion problem with jumping coefficients on N x N points. Rows of points are
 * distributed in blocks. The product of the matrix and a vector adds five terms in a fixed order,
 * whichever rank owns the point. So only the dot products could depend on the number of ranks, and
 * these are exact sums of exact products. With --plain they are ordinary sums and MPI_Allreduce;
 * the residuals then differ. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"

struct grid {
    size_t n;           /* points a side */
    size_t first, rows; /* this rank's */
    int below, above;   /* ranks that own the rows beside, or MPI_PROC_NULL */
    bool is_plain;
};

/* A vector has a row of the neighbors' at either end. */
static double *make_vector(const struct grid *g)
{
    double *x = calloc((g->rows + 2) * g->n, sizeof *x);
    if (x == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return x + g->n;
}

static void free_vector(const struct grid *g, double *x)
{
    free(x - g->n);
}

static void exchange_ends(const struct grid *g, double *x)
{
    const int n = (int)g->n;
    double *last = x + (g->rows - 1) * g->n;
    MPI_Sendrecv(x, n, MPI_DOUBLE, g->below, 0, last + n, n, MPI_DOUBLE, g->above, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, n, MPI_DOUBLE, g->above, 1, x - n, n, MPI_DOUBLE, g->below, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Conductivity jumps a thousandfold from square to square. */
static double conductivity(size_t row, size_t column)
{
    return (row / 7 + column / 5) % 2 == 0 ? 1.0 : 1000.0;
}

static void multiply(const struct grid *g, double *x, double *result)
{
    exchange_ends(g, x);
    for (size_t i = 0; i < g->rows; i++)
        for (size_t j = 0; j < g->n; j++) {
            const double *at = x + i * g->n + j;
            const double west = j > 0 ? at[-1] : 0, east = j + 1 < g->n ? at[1] : 0;
            const double k = conductivity(g->first + i, j);
            result[i * g->n + j] = (4 + k) * at[0] - west - east - at[-(ptrdiff_t)g->n] - at[g->n];
        }
}

static double dot(const struct grid *g, const double *x, const double *y)
{
    const size_t n = g->rows * g->n;
    if (g->is_plain) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i] * y[i];
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return sum;
    }
    struct allfold_accumulator sum = {0};
    allfold_accumulate_dot(&sum, x, y, n);
    allfold_accumulator_allreduce(&sum, &sum, 1, MPI_COMM_WORLD);
    return allfold_accumulator_round(&sum);
}

static void solve(const struct grid *g, int steps, bool prints)
{
    const size_t n = g->rows * g->n;
    double *x = make_vector(g), *r = make_vector(g), *d = make_vector(g), *ad = make_vector(g);
    for (size_t i = 0; i < n; i++)
        d[i] = r[i] = sin(1e-3 * (double)(g->first * g->n + i));
    double rr = dot(g, r, r);
    for (int step = 0; step < steps && rr > 0; step++) {
        if (prints)
            printf("%4d %.17g %a\n", step, sqrt(rr), rr);
        multiply(g, d, ad);
        const double alpha = rr / dot(g, d, ad);
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * d[i];
            r[i] -= alpha * ad[i];
        }
        const double next = dot(g, r, r), beta = next / rr;
        for (size_t i = 0; i < n; i++)
            d[i] = r[i] + beta * d[i];
        rr = next;
    }
    free_vector(g, x);
    free_vector(g, r);
    free_vector(g, d);
    free_vector(g, ad);
}

int main(int count, char **words)
{
    int rank, size, word = 1;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct grid g = {.n = 64};
    if (word < count && strcmp(words[word], "--plain") == 0)
        g.is_plain = word++;
    if (word < count)
        g.n = strtoul(words[word++], NULL, 10);
    const int steps = word < count ? atoi(words[word]) : 80;
    if (g.n < (size_t)size) {
        if (rank == 0)
            fprintf(stderr, "same_residuals: %zu rows of points for %d ranks; give each rank one\n",
                    g.n, size);
        MPI_Finalize();
        return 2;
    }
    g.first = g.n * (size_t)rank / (size_t)size;
    g.rows = g.n * ((size_t)rank + 1) / (size_t)size - g.first;
    g.below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    g.above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    solve(&g, steps, rank == 0);
    MPI_Finalize();
    return 0;
}
