/* Measures how much of an allreduce is overlapped by computation between its start and its wait.
 * The contenders are Allfold's plans and the native MPI_Iallreduce, without progress calls in
 * between or tested every 100 us, in alternating rounds. With ALLFOLD_NONBLOCKING=thread, Allfold's
 * thread advances the plans.
 *
 * The computation is a fixed amount of work that takes about as long as the allreduce alone, so
 * time that progress takes from the computation counts. Hidden = (allreduce + work - both) / the
 * shorter one of the two. 1 is complete overlap, 0 none; below 0, both together take longer than
 * one after the other.
 *
 * Usage: bench_overlap_MPI [--csv] [BYTES [ROUNDS]]; times are those of the slowest rank. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"

enum { MOST_ROUNDS = 201, PIECES_UNTIL_TEST = 10 };
static const double PIECE_S = 10e-6;

#ifdef OPEN_MPI
#define MPI_NAME "openmpi"
#else
#define MPI_NAME "mpich"
#endif

static double *in, *out;
static int count, rank, p;
static struct allfold_plan *plan;
static MPI_Request request;
static bool plan_is_done; /* then there is nothing more to come for */

static void start_plan(void)
{
    allfold_start(plan);
    plan_is_done = false;
}

static void test_plan(void)
{
    plan_is_done = plan_is_done || allfold_wait(plan, ALLFOLD_TEST) == MPI_SUCCESS;
}

static void wait_for_plan(void)
{
    if (!plan_is_done)
        allfold_wait(plan, ALLFOLD_BLOCK);
}

static void start_native(void)
{
    PMPI_Iallreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
}

static void test_native(void)
{
    int is_done;
    PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
}

static void wait_for_native(void)
{
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct contender {
    const char *name;
    void (*start)(void);
    void (*test)(void); /* NULL: it is left alone */
    void (*wait)(void);
} contenders[] = {{"Allfold", start_plan, NULL, wait_for_plan},
                  {"Allfold, tested", start_plan, test_plan, wait_for_plan},
                  {"MPI_Iallreduce", start_native, NULL, wait_for_native},
                  {"MPI_Iallreduce, tested", start_native, test_native, wait_for_native}};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

static double alone_s[CONTENDERS][MOST_ROUNDS], both_s[CONTENDERS][MOST_ROUNDS],
    hidden[CONTENDERS][MOST_ROUNDS], work_s[MOST_ROUNDS];

static long turns;           /* of a piece of work of 10 us */
static volatile double sink; /* read and written, so that no turn is left out */

static void work(long so_many)
{
    double x = sink;
    for (long i = 0; i < so_many; i++)
        x = x * 0.999999 + 1e-6;
    sink = x;
}

static void measure_work(void)
{
    const long many = 2000000;
    double best_s = 1;
    for (int i = 0; i < 20; i++) {
        const double begin_s = PMPI_Wtime();
        work(many);
        const double time_s = PMPI_Wtime() - begin_s;
        best_s = time_s < best_s ? time_s : best_s;
    }
    turns = (long)(PIECE_S / best_s * (double)many);
    PMPI_Allreduce(MPI_IN_PLACE, &turns, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
}

/* A run with so many pieces of work between start and wait: seconds of the slowest rank. */
static double run(const struct contender *c, long pieces)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = PMPI_Wtime();
    if (c != NULL)
        c->start();
    for (long i = 1; i <= pieces; i++) {
        work(turns);
        if (i % PIECES_UNTIL_TEST == 0 && c != NULL && c->test != NULL)
            c->test();
    }
    if (c != NULL)
        c->wait();
    double time_s = PMPI_Wtime() - begin_s;
    PMPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return time_s;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int rounds)
{
    const double first_s = run(&contenders[0], 0);
    const long pieces = 1 + (long)((first_s + run(&contenders[0], 0)) / 2 / PIECE_S);
    for (int i = 0; i < rounds; i++) {
        work_s[i] = run(NULL, pieces);
        for (int c = 0; c < CONTENDERS; c++) {
            alone_s[c][i] = run(&contenders[c], 0);
            both_s[c][i] = run(&contenders[c], pieces);
            const double shorter_s = alone_s[c][i] < work_s[i] ? alone_s[c][i] : work_s[i];
            hidden[c][i] = (alone_s[c][i] + work_s[i] - both_s[c][i]) / shorter_s;
        }
    }
}

static void check_sum(void)
{
    for (int i = 0; i < count; i++)
        if (out[i] != p * (p + 1) / 2) {
            fprintf(stderr, "rank %d: element %d is %g\n", rank, i, out[i]);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
}

static bool has_progress_thread(void)
{
    const char *text = getenv("ALLFOLD_NONBLOCKING");
    return text != NULL && strstr(text, "thread") != NULL;
}

static void print(int rounds, bool is_csv)
{
    const char *progress = has_progress_thread() ? "thread" : "calls";
    if (rank > 0)
        return;
    qsort(work_s, (size_t)rounds, sizeof *work_s, compare);
    if (is_csv)
        printf("mpi,p,bytes,progress,contender,alone_us,work_us,both_us,hidden,hidden_25,"
               "hidden_75\n");
    for (int c = 0; c < CONTENDERS; c++) {
        qsort(alone_s[c], (size_t)rounds, sizeof(double), compare);
        qsort(both_s[c], (size_t)rounds, sizeof(double), compare);
        qsort(hidden[c], (size_t)rounds, sizeof(double), compare);
        printf(is_csv
                   ? "%s,%d,%zu,%s,\"%s\",%.0f,%.0f,%.0f,%.3f,%.3f,%.3f\n"
                   : "%s, %d ranks, %zu bytes, progress by %s: %-22s alone %7.0f us, work %7.0f, "
                     "both %7.0f; hidden %5.2f (%.2f to %.2f)\n",
               MPI_NAME, p, (size_t)count * sizeof(double), progress, contenders[c].name,
               1e6 * alone_s[c][rounds / 2], 1e6 * work_s[rounds / 2], 1e6 * both_s[c][rounds / 2],
               hidden[c][rounds / 2], hidden[c][rounds / 4], hidden[c][rounds * 3 / 4]);
    }
}

int main(int argc, char **argv)
{
    const bool is_csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const long bytes = argc > 1 + is_csv ? atol(argv[1 + is_csv]) : 1 << 20;
    int level, rounds = argc > 2 + is_csv ? atoi(argv[2 + is_csv]) : 21;
    count = bytes < (long)sizeof(double) ? 1 : (int)(bytes / (long)sizeof(double));
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    const bool has_thread = has_progress_thread();
    MPI_Init_thread(&argc, &argv, has_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    in = malloc((size_t)count * sizeof *in);
    out = malloc((size_t)count * sizeof *out);
    if (in == NULL || out == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int i = 0; i < count; i++)
        in[i] = rank + 1;
    allfold_allreduce_init(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &plan);
    measure_work();
    measure(rounds);
    check_sum();
    print(rounds, is_csv);
    allfold_plan_free(&plan);
    free(in);
    free(out);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
