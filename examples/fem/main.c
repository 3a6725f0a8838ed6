/* The example fem: adaptive finite elements in 2-D, with assembly by reductions of sparse vectors.
 *
 * In each step every rank assembles its own triangles, and MPI_Reduce adds the vectors on rank 0.
 * Rank 0 checks the sums, decides which triangles must be refined, and broadcasts the decision. A
 * rank owns a band of the initial mesh and all refinements of it. Its vectors are therefore mostly
 * zeros, with more other values on ranks near the front. The setting is that of Hofmann and
 * Ruenger, "MPI Reduction Operations for Sparse Floating-point Data", EuroPVM/MPI 2008. */
#include "fem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHECKED_NODES = 200000 }; /* in larger meshes entries are compared on demand only */

struct totals {
    double seconds; /* in MPI_Reduce */
    double squares; /* of all entries in all steps; rank 0 only */
    int compared;   /* steps in which the entries were; rank 0 only */
};

/* Collective: sums the vectors up on rank 0; the seconds of the slowest rank. */
static double reduce(const struct mesh *mesh, int rank, double *const part[], double *const sum[])
{
    MPI_Barrier(MPI_COMM_WORLD); /* so that uneven assembly does not count */
    double started = MPI_Wtime();
    for (int which = 0; which < VECTORS; which++)
        MPI_Reduce(part[which], rank == 0 ? sum[which] : NULL, mesh->nodes, MPI_DOUBLE, MPI_SUM, 0,
                   MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - started;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* Collective: the share of non-zeros in a vector in percent: least, mean and most of all ranks. */
static void measure_density(const double *vector, int length, int size, double percent[3])
{
    int nonzeros = 0;
    for (int i = 0; i < length; i++)
        nonzeros += vector[i] != 0.0;
    double own = 100.0 * nonzeros / length;
    MPI_Allreduce(&own, &percent[0], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &percent[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &percent[2], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    percent[1] /= size;
}

/* Rank 0 only. */
static bool check(const struct options *options, int step, const struct mesh *mesh, double radius,
                  double *const sum[], struct totals *totals)
{
    bool good = check_totals(step, mesh, radius, sum);
    if (options->check_all || mesh->nodes <= CHECKED_NODES) {
        good = check_entries(step, mesh, radius, sum) && good;
        totals->compared++;
    }
    for (int which = 0; which < VECTORS; which++) {
        for (int i = 0; i < mesh->nodes; i++)
            totals->squares += sum[which][i] * sum[which][i];
    }
    return good;
}

/* Collective: rank 0 decides on the sums which triangles to cut, or to stop; all do so. */
static bool adapt(const struct options *options, struct mesh *mesh, int rank, bool good,
                  double *const sum[])
{
    int go_on = good;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!go_on)
        return false;
    unsigned char *marks = allocate(mesh->triangles, 1);
    if (rank == 0)
        mark(mesh, finest_area(options->base), sum, marks);
    MPI_Bcast(marks, mesh->triangles, MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
    mesh_refine(mesh, marks);
    free(marks);
    return true;
}

/* Collective: one step; false on all ranks if a check failed. */
static bool advance(const struct options *options, int step, struct mesh *mesh,
                    struct totals *totals)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double radius = 0.15 + 0.5 * step / options->steps;
    double *part[VECTORS] = {allocate(mesh->nodes, sizeof(double)),
                             allocate(mesh->nodes, sizeof(double))};
    double *sum[VECTORS] = {NULL, NULL};
    double percent[3];
    bool good = true;
    for (int which = 0; which < VECTORS && rank == 0; which++)
        sum[which] = allocate(mesh->nodes, sizeof(double));
    assemble(mesh, rank, radius, part);
    double seconds = reduce(mesh, rank, part, sum);
    totals->seconds += seconds;
    measure_density(part[LOAD], mesh->nodes, size, percent);
    if (rank == 0) {
        printf("%5d %10d %10d %8.2f %8.2f %8.2f %12.6f %10.1f\n", step, mesh->triangles,
               mesh->nodes, percent[0], percent[1], percent[2], seconds,
               1e-6 * VECTORS * mesh->nodes * (double)sizeof(double) / seconds);
        good = check(options, step, mesh, radius, sum, totals);
    }
    good = adapt(options, mesh, rank, good, sum);
    for (int which = 0; which < VECTORS; which++) {
        free(part[which]);
        free(sum[which]);
    }
    return good;
}

static bool run(const struct options *options)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct mesh mesh;
    struct totals totals = {0};
    bool good = true;
    mesh_make(&mesh, options->base, size);
    if (rank == 0)
        printf("ranks: %d\n"
               "                           non-zeros per rank (%%)      seconds       MB/s\n"
               " step  triangles      nodes      min     mean      max    in reduce    at root\n",
               size);
    for (int step = 1; step <= options->steps && good; step++)
        good = advance(options, step, &mesh, &totals);
    if (rank == 0)
        printf("steps with all entries compared: %d of %d\n"
               "seconds in reduce: %.6f\n"
               "checksum: %.11e\n"
               "result: %s\n",
               totals.compared, options->steps, totals.seconds, sqrt(totals.squares),
               good ? "passed" : "failed");
    mesh_free(&mesh);
    return good;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    int parsed = PARSED_RUN;
    struct options options = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        parsed = (int)options_parse(argc, argv, &options);
    MPI_Bcast(&parsed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    bool good = parsed == PARSED_HELP;
    if (parsed == PARSED_RUN) {
        MPI_Bcast(&options, (int)sizeof options, MPI_BYTE, 0, MPI_COMM_WORLD);
        good = run(&options);
    }
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
