/* Preconditioned conjugate gradients: Saad, "Iterative Methods for Sparse Linear Systems", 2nd
 * edition, algorithm 9.1. All ranks take the same branches, because all get the same sums. */
#include "cg.h"

#include <stdlib.h>

void sum_all(double *values, int count, double *seconds)
{
    double start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *seconds += MPI_Wtime() - start;
}

void multiply(const struct matrix *matrix, const struct halo *halo, double *vector, double *result)
{
    halo_exchange(halo, vector);
    for (int i = 0; i < matrix->count; i++) {
        double sum = 0.0;
        for (size_t j = matrix->row_start[i]; j < matrix->row_start[i + 1]; j++)
            sum += matrix->value[j] * vector[matrix->column[j]];
        result[i] = sum;
    }
}

/* The preconditioner: one over the diagonal, or just one. */
static double *make_inverse(const struct matrix *matrix, bool jacobi)
{
    double *inverse = allocate((size_t)matrix->count, sizeof *inverse);
    for (int i = 0; i < matrix->count; i++) {
        inverse[i] = 1.0;
        for (size_t j = matrix->row_start[i]; jacobi && j < matrix->row_start[i + 1]; j++) {
            if (matrix->column[j] == i)
                inverse[i] = 1.0 / matrix->value[j];
        }
    }
    return inverse;
}

/* The letters are Saad's. */
struct state {
    int n;
    double *inverse;
    double *r;
    double *p;
    double *q;         /* A p */
    double product[2]; /* r'z with z = inverse r, and r'r; over all ranks */
};

static void update_products(struct state *s, double *seconds)
{
    s->product[0] = 0.0;
    s->product[1] = 0.0;
    for (int i = 0; i < s->n; i++) {
        s->product[0] += s->r[i] * s->inverse[i] * s->r[i];
        s->product[1] += s->r[i] * s->r[i];
    }
    sum_all(s->product, 2, seconds);
}

static void begin(struct state *s, const double *b, double *x, double *seconds)
{
    for (int i = 0; i < s->n; i++) {
        x[i] = 0.0;
        s->r[i] = b[i];
        s->p[i] = s->inverse[i] * b[i];
    }
    update_products(s, seconds);
}

/* One iteration; false if the matrix turns out not to be positive definite. */
static bool advance(struct state *s, const struct matrix *matrix, const struct halo *halo,
                    double *x, double *seconds)
{
    multiply(matrix, halo, s->p, s->q);
    double curvature = 0.0; /* p'Ap */
    for (int i = 0; i < s->n; i++)
        curvature += s->p[i] * s->q[i];
    sum_all(&curvature, 1, seconds);
    if (!(curvature > 0.0))
        return false;
    double previous = s->product[0];
    double alpha = previous / curvature;
    for (int i = 0; i < s->n; i++) {
        x[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->q[i];
    }
    update_products(s, seconds);
    double beta = s->product[0] / previous;
    for (int i = 0; i < s->n; i++)
        s->p[i] = s->inverse[i] * s->r[i] + beta * s->p[i];
    return true;
}

struct outcome solve(const struct matrix *matrix, const struct halo *halo,
                     const struct options *options, const double *b, double *x)
{
    size_t n = (size_t)matrix->count;
    struct state state = {.n = matrix->count,
                          .inverse = make_inverse(matrix, options->jacobi),
                          .r = allocate(n, sizeof(double)),
                          .p = allocate(n + (size_t)halo->ghosts, sizeof(double)),
                          .q = allocate(n, sizeof(double))};
    struct outcome outcome = {0};
    double started = MPI_Wtime();
    begin(&state, b, x, &outcome.allreduce_seconds);
    double goal = options->tolerance * options->tolerance * state.product[1];
    while (state.product[1] > goal && outcome.iterations < options->iterations) {
        outcome.indefinite = !advance(&state, matrix, halo, x, &outcome.allreduce_seconds);
        if (outcome.indefinite)
            break;
        outcome.iterations++;
    }
    outcome.converged = state.product[1] <= goal;
    outcome.seconds = MPI_Wtime() - started;
    free(state.inverse);
    free(state.r);
    free(state.p);
    free(state.q);
    return outcome;
}
