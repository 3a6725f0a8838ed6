/* Measures the overhead that a report, a watch or a trace adds to a call: allreduces of 8 bytes in
 * blocks that are alternately recorded and not recorded. Both kinds of blocks thus have the same
 * process, the same memory and the same speed of the other rank, which two runs do not.
 *
 * Usage: ALLFOLD_REPORT=/dev/null bench_report [BLOCKS [CALLS]]. Instead of the report, or in
 * addition to it, ALLFOLD_WATCH and ALLFOLD_TRACE set what is recorded.
 *
 * Blocks are whole windows of recorded calls, so each includes the cost of its exchanges. Prints
 * the medians of both kinds, and the median and quartiles of the difference between a recorded
 * block and the mean of the two adjacent blocks, in nanoseconds per call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/communicator/communicator.h"
#include "mpi/report/call_times.h"

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double quantile(const double *sorted, int count, double share)
{
    return sorted[(int)(share * (count - 1) + 0.5)];
}

static void make_calls(int calls)
{
    double in = 1, out;
    for (int i = 0; i < calls; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static double timed_ns(int calls)
{
    const double begin_s = MPI_Wtime();
    make_calls(calls);
    return 1e9 * (MPI_Wtime() - begin_s) / calls;
}

/* Blocks in turn: plain, noted, plain, ... */
static void measure(struct allfold_communicator *world, int pairs, int calls, double *plain_ns,
                    double *noted_ns)
{
    for (int i = 0; i < pairs; i++) {
        world->is_noted = false;
        plain_ns[i] = timed_ns(calls);
        world->is_noted = true;
        noted_ns[i] = timed_ns(calls);
    }
    world->is_noted = false;
    plain_ns[pairs] = timed_ns(calls);
    world->is_noted = true;
}

static void print(int pairs, double *plain_ns, double *noted_ns, double *more_ns)
{
    for (int i = 0; i < pairs; i++)
        more_ns[i] = noted_ns[i] - (plain_ns[i] + plain_ns[i + 1]) / 2;
    qsort(plain_ns, (size_t)pairs + 1, sizeof *plain_ns, compare);
    qsort(noted_ns, (size_t)pairs, sizeof *noted_ns, compare);
    qsort(more_ns, (size_t)pairs, sizeof *more_ns, compare);
    printf("plain %.1f ns, noted %.1f ns; more: median %.1f ns, quartiles %.1f and %.1f ns\n",
           quantile(plain_ns, pairs + 1, 0.5), quantile(noted_ns, pairs, 0.5),
           quantile(more_ns, pairs, 0.5), quantile(more_ns, pairs, 0.25),
           quantile(more_ns, pairs, 0.75));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int pairs = argc > 1 ? atoi(argv[1]) : 401;
    const int calls = ALLFOLD_NOTES * ((argc > 2 ? atoi(argv[2]) : 5120) / ALLFOLD_NOTES);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pairs < 1 || calls < 1) {
        fprintf(stderr, "bench_report: expected blocks, 1 or more, and calls, %d or more\n",
                ALLFOLD_NOTES);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double *ns = calloc(3 * (size_t)pairs + 1, sizeof *ns);
    make_calls(4 * ALLFOLD_NOTES + 1); /* the first windows are shorter */
    struct allfold_communicator *world = allfold_communicator_known(MPI_COMM_WORLD);
    if (ns == NULL || world == NULL || !world->is_noted) {
        fprintf(stderr, "bench_report: expected ALLFOLD_REPORT, ALLFOLD_WATCH or ALLFOLD_TRACE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    measure(world, pairs, calls, ns, ns + pairs + 1);
    if (rank == 0)
        print(pairs, ns, ns + pairs + 1, ns + 2 * pairs + 1);
    free(ns);
    MPI_Finalize();
    return 0;
}
