/* What it costs to start a plan again and wait for it, beside the blocking call, the native call
 * and the native persistent call. All are allreduces of doubles, in blocks of calls that alternate.
 * Prints microseconds a call (median of the blocks, on rank 0) and ratios to the plan's, with
 * quartiles.
 *
 * Usage: bench_plans_MPI [ELEMENTS [BLOCKS [CALLS]]] */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif
#include <stdio.h>
#include <stdlib.h>

#include "allfold.h"

enum { MOST = 4096, MOST_BLOCKS = 1001 };

static double in[MOST], out[MOST];
static int count = 1;
static struct allfold_plan *plan;
static MPI_Request request;

static void run_plan(void)
{
    allfold_start(plan);
    allfold_wait(plan, ALLFOLD_BLOCK);
}

static void run_blocking(void)
{
    allfold_allreduce(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run_native(void)
{
    PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run_native_persistent(void)
{
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} contenders[] = {{"plan", run_plan},
                  {"blocking", run_blocking},
                  {"native", run_native},
                  {"native persistent", run_native_persistent}};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

static double us[CONTENDERS][MOST_BLOCKS], ratio[MOST_BLOCKS];

static double time_us(void (*run)(void), int calls)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = PMPI_Wtime();
    for (int i = 0; i < calls; i++)
        run();
    return 1e6 * (PMPI_Wtime() - begin_s) / calls;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int argument(int argc, char **argv, int index, int preset, int most)
{
    const int value = index < argc ? atoi(argv[index]) : preset;
    return value < 1 ? 1 : value > most ? most : value;
}

static void print(int blocks)
{
    printf("%-18s %10s %10s %10s %10s\n", "", "us a call", "ratio", "25 %", "75 %");
    for (int c = 0; c < CONTENDERS; c++) {
        for (int b = 0; b < blocks; b++)
            ratio[b] = us[c][b] / us[0][b];
        qsort(ratio, (size_t)blocks, sizeof *ratio, compare);
        const double low = ratio[blocks / 4], middle = ratio[blocks / 2],
                     high = ratio[blocks * 3 / 4];
        for (int b = 0; b < blocks; b++)
            ratio[b] = us[c][b];
        qsort(ratio, (size_t)blocks, sizeof *ratio, compare);
        printf("%-18s %10.3f %10.2f %10.2f %10.2f\n", contenders[c].name, ratio[blocks / 2], middle,
               low, high);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = argument(argc, argv, 1, 1, MOST);
    const int blocks = argument(argc, argv, 2, 101, MOST_BLOCKS);
    const int calls = argument(argc, argv, 3, 1000, 1000000);
    if (allfold_allreduce_init(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                               &plan) != MPI_SUCCESS ||
        MPI_Allreduce_init(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int b = -1; b < blocks; b++) /* the first one warms up */
        for (int c = 0; c < CONTENDERS; c++)
            us[c][b < 0 ? 0 : b] = time_us(contenders[c].run, calls);
    if (rank == 0)
        print(blocks);
    allfold_plan_free(&plan);
    MPI_Request_free(&request);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
