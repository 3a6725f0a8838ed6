/* Measures persistent allreduces of doubles: plans over the fabric, plans over MPI messages, and
 * the native call, in alternating blocks of calls. Run it on ranks that share no memory, for
 * example on emulated nodes (bench/cluster).
 *
 * Prints for each size and contender the microseconds per call of the slowest rank, and the ratio
 * of the time of the plan over MPI to this time: more than 1 is faster than over MPI. Both are
 * medians of the blocks, with quartiles. Also prints the processor time of all ranks per call, and
 * the writes of rank 0 per call.
 *
 * With --calls N CONTENDER the program only makes N calls, for strace and similar tools. The
 * difference between runs of 2 N and of N calls is the cost of N calls.
 *
 * Usage: bench_fabric_MPI [--csv] [SECONDS [BYTES...]]; SECONDS for each size.
 *        bench_fabric_MPI --calls N mpi|fabric|native BYTES */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "allfold.h"
#include "mpi/communicator/communicator.h"

enum { MOST_ROUNDS = 400, LEAST_ROUNDS = 11, MOST_CALLS = 2000 };

#ifdef OPEN_MPI
#define MPI_NAME "openmpi"
#else
#define MPI_NAME "mpich"
#endif

static double *in, *out;
static int count, rank, p;
static struct allfold_plan *over_fabric, *over_mpi;

static void run_plan(struct allfold_plan *plan)
{
    allfold_start(plan);
    allfold_wait(plan, ALLFOLD_BLOCK);
}

static void run_over_fabric(void)
{
    run_plan(over_fabric);
}

static void run_over_mpi(void)
{
    run_plan(over_mpi);
}

static void run_native(void)
{
    PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(void);
} contenders[] = {
    {"over MPI", run_over_mpi}, {"over the fabric", run_over_fabric}, {"native", run_native}};
enum { OVER_MPI, OVER_FABRIC, NATIVE, CONTENDERS };

static double us[CONTENDERS][MOST_ROUNDS], cpu_us[CONTENDERS][MOST_ROUNDS];

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Microseconds a call: of the slowest rank, and of all processors. */
static void time_block(int contender, int calls, double *time_us, double *all_us)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double before_s = cpu_s(), begin_s = PMPI_Wtime();
    for (int i = 0; i < calls; i++)
        contenders[contender].run();
    *time_us = 1e6 * (PMPI_Wtime() - begin_s) / calls;
    *all_us = 1e6 * (cpu_s() - before_s) / calls;
    PMPI_Allreduce(MPI_IN_PLACE, time_us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(MPI_IN_PLACE, all_us, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void check_sum(int contender)
{
    for (int i = 0; i < count; i++)
        if (out[i] != p * (p + 1) / 2) {
            fprintf(stderr, "rank %d, %s: element %d is %g\n", rank, contenders[contender].name, i,
                    out[i]);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    memset(out, 0, (size_t)count * sizeof *out);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct quartiles {
    double first, median, third;
};

static struct quartiles of(const double *values, int rounds)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, (size_t)rounds * sizeof *values);
    qsort(sorted, (size_t)rounds, sizeof *sorted, compare);
    return (struct quartiles){sorted[rounds / 4], sorted[rounds / 2], sorted[rounds * 3 / 4]};
}

static void print(int rounds, bool is_csv, int nodes)
{
    double ratios[MOST_ROUNDS];
    for (int c = 0; c < CONTENDERS && rank == 0; c++) {
        for (int i = 0; i < rounds; i++)
            ratios[i] = us[OVER_MPI][i] / us[c][i];
        const struct quartiles ratio = of(ratios, rounds), time = of(us[c], rounds);
        const size_t bytes = (size_t)count * sizeof(double);
        if (is_csv)
            printf("%s,%d,%d,%s,%zu,\"%s\",%.2f,%.3f,%.3f,%.3f,%.2f,%d\n", MPI_NAME, p, nodes,
                   allfold_fabric_name(allfold_job()->fabric), bytes, contenders[c].name,
                   time.median, ratio.median, ratio.first, ratio.third,
                   of(cpu_us[c], rounds).median, rounds);
        else
            printf("%8zu %-16s %10.1f us  x %.2f (%.2f to %.2f)  processors %10.1f us\n", bytes,
                   contenders[c].name, time.median, ratio.median, ratio.first, ratio.third,
                   of(cpu_us[c], rounds).median);
    }
}

/* What rank 0 wrote over the fabric in these calls. */
static void print_writes(const struct allfold_fabric_figures *before, double calls, bool is_csv)
{
    const struct allfold_fabric_figures now = allfold_fabric_figures(allfold_job()->fabric);
    if (rank == 0)
        fprintf(
            is_csv ? stderr : stdout,
            "%8zu a call: %.2f slots, %.2f places in these, %.2f long, %.2f credits, %.0f bytes "
            "copied, %.2f registered\n",
            (size_t)count * sizeof(double), (double)(now.slot_writes - before->slot_writes) / calls,
            (double)(now.places - before->places) / calls,
            (double)(now.place_writes - before->place_writes) / calls,
            (double)(now.credit_writes - before->credit_writes) / calls,
            (double)(now.copied_bytes - before->copied_bytes) / calls,
            (double)(now.registrations - before->registrations) / calls);
}

static void open_plans(size_t bytes, MPI_Comm fabric_comm, MPI_Comm mpi_comm)
{
    count = bytes < sizeof(double) ? 1 : (int)(bytes / sizeof(double));
    in = malloc((size_t)count * sizeof *in);
    out = calloc((size_t)count, sizeof *out);
    if (in == NULL || out == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int i = 0; i < count; i++)
        in[i] = rank + 1;
    allfold_allreduce_init(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, fabric_comm, &over_fabric);
    allfold_allreduce_init(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, mpi_comm, &over_mpi);
}

static void close_plans(void)
{
    allfold_plan_free(&over_fabric);
    allfold_plan_free(&over_mpi);
    free(in);
    free(out);
}

static void measure(size_t bytes, double seconds, bool is_csv, MPI_Comm fabric_comm,
                    MPI_Comm mpi_comm)
{
    const double block_s = 10e-3; /* next to which the ranks' start at different times is little */
    open_plans(bytes, fabric_comm, mpi_comm);
    double each_us = 0, unused_us;
    for (int c = 0; c < CONTENDERS; c++) {
        time_block(c, 2, &us[c][0], &unused_us);
        check_sum(c);
        time_block(c, 4, &us[c][0], &unused_us);
        each_us = us[c][0] > each_us ? us[c][0] : each_us;
    }
    int calls = (int)(1e6 * block_s / each_us);
    calls = calls < 2 ? 2 : calls > MOST_CALLS ? MOST_CALLS : calls;
    int rounds = (int)(1e6 * seconds / (CONTENDERS * calls * each_us));
    rounds = rounds < LEAST_ROUNDS ? LEAST_ROUNDS : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    const struct allfold_fabric_figures before = allfold_fabric_figures(allfold_job()->fabric);
    for (int i = 0; i < rounds; i++)
        for (int c = 0; c < CONTENDERS; c++)
            time_block(c, calls, &us[c][i], &cpu_us[c][i]);
    print(rounds, is_csv, allfold_job()->nodes->count);
    print_writes(&before, (double)rounds * calls, is_csv);
    close_plans();
}

static void only_call(int calls, const char *name, size_t bytes, MPI_Comm fabric_comm,
                      MPI_Comm mpi_comm)
{
    double time_us, all_us;
    const int c = strcmp(name, "mpi") == 0      ? OVER_MPI
                  : strcmp(name, "fabric") == 0 ? OVER_FABRIC
                                                : NATIVE;
    open_plans(bytes, fabric_comm, mpi_comm);
    time_block(c, calls, &time_us, &all_us);
    check_sum(c);
    close_plans();
}

/* Plans of the communicator go over MPI. Before its first plan. */
static void leave_fabric(MPI_Comm comm)
{
    struct allfold_communicator *state = allfold_communicator_of(comm);
    if (state == NULL || !allfold_communicator_make_private(state))
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    state->carrier.stream = NULL;
}

int main(int argc, char **argv)
{
    static const size_t preset[] = {8, 2048, 64 << 10, 1 << 20};
    const bool is_csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const int first = 1 + is_csv;
    const double seconds = first < argc ? atof(argv[first]) : 2;
    MPI_Comm fabric_comm, mpi_comm;
    setenv("ALLFOLD_TRANSPORT", "fabric", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_dup(MPI_COMM_WORLD, &fabric_comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi_comm);
    leave_fabric(mpi_comm);
    if (allfold_job()->fabric == NULL) {
        if (rank == 0)
            fprintf(stderr, "there is no fabric: %s\n", allfold_job()->no_fabric);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    if (rank == 0 && is_csv)
        printf("mpi,p,nodes,provider,bytes,contender,us,ratio,ratio_25,ratio_75,cpu_us,rounds\n");
    const bool only_calls = argc == 5 && strcmp(argv[1], "--calls") == 0;
    if (only_calls)
        only_call(atoi(argv[2]), argv[3], (size_t)atol(argv[4]), fabric_comm, mpi_comm);
    else if (first + 1 >= argc)
        for (size_t i = 0; i < sizeof preset / sizeof *preset; i++)
            measure(preset[i], seconds, is_csv, fabric_comm, mpi_comm);
    for (int i = first + 1; i < argc && !only_calls; i++)
        measure((size_t)atol(argv[i]), seconds, is_csv, fabric_comm, mpi_comm);
    MPI_Comm_free(&mpi_comm);
    MPI_Comm_free(&fabric_comm);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
