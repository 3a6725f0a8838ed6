/* Measures calls that differ from the previous one: first calls on a communicator, on a short-lived
 * communicator, or with a new count. The program does not use Allfold itself; bench/first runs it
 * natively and under Allfold alternately.
 *
 * Usage: bench_first [--threads] MEASURE. --threads requests MPI_THREAD_MULTIPLE. Rank 0 prints
 * lines "NAME VALUE UNIT". Times are those of the slowest rank.
 *
 *    world         the first allreduce of 8 bytes on MPI_COMM_WORLD, and the slowest of 200 more
 *    fresh         the first ten allreduces on a new duplicate, split and created communicator
 *    short_lived   10,000 communicators created, used (once; 4 times) and freed: time, memory,
 * files alive [COUNT] COUNT duplicates that exist at the same time, each used: time, virtual memory
 *    new_counts    allreduces of 1 to 4,000 doubles, each count once: time per call
 *    start         MPI_Init, from the last rank's call to the last rank's return, for ranks of one
 *                  machine, and as the mean over the ranks; then one allreduce */
#include <mpi.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank;

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

/* The time of the slowest rank since begin_s, in microseconds. */
static double slowest_us(double begin_s)
{
    double us = 1e6 * (MPI_Wtime() - begin_s), most_us = 0;
    MPI_Reduce(&us, &most_us, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return most_us;
}

static void tell(const char *name, double value, const char *unit)
{
    if (rank == 0)
        printf("%s %.3f %s\n", name, value, unit);
}

static void allreduce(MPI_Comm comm, int count)
{
    static double in[4000], out[4000];
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}

/* Brings ranks together without a collective of MPI_COMM_WORLD: that is what is measured. */
static void come_together(void)
{
    int p, token = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < 2; i++) {
        if (rank > 0)
            MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, (rank + 1) % p, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_INT, p - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void measure_world(void)
{
    enum { LATER = 200 };
    double us[1 + LATER], most_us[1 + LATER];
    come_together();
    for (int i = 0; i <= LATER; i++) {
        const double begin_s = MPI_Wtime();
        allreduce(MPI_COMM_WORLD, 1);
        us[i] = 1e6 * (MPI_Wtime() - begin_s);
    }
    MPI_Reduce(us, most_us, 1 + LATER, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    double sum_us = 0, worst_us = 0;
    for (int i = 1; i <= LATER; i++) {
        sum_us += most_us[i];
        worst_us = most_us[i] > worst_us ? most_us[i] : worst_us;
    }
    tell("first", most_us[0], "us");
    tell("calls_2_to_5", (most_us[1] + most_us[2] + most_us[3] + most_us[4]) / 4, "us");
    tell("later_mean", sum_us / LATER, "us");
    tell("later_worst", worst_us, "us");
}

static void make(int kind, MPI_Comm *comm)
{
    MPI_Group group;
    if (kind == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
    } else if (kind == 1) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, comm);
    } else {
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Comm_create(MPI_COMM_WORLD, group, comm);
        MPI_Group_free(&group);
    }
}

static void measure_fresh(void)
{
    static const char *const names[] = {"dup_ten", "split_ten", "create_ten"};
    enum { TIMES = 200, CALLS = 10 };
    for (int i = 0; i < 100; i++)
        allreduce(MPI_COMM_WORLD, 1);
    for (int kind = 0; kind < 3; kind++) {
        double sum_us = 0;
        for (int i = 0; i < TIMES; i++) {
            MPI_Comm comm;
            make(kind, &comm);
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin_s = MPI_Wtime();
            for (int call = 0; call < CALLS; call++)
                allreduce(comm, 1);
            sum_us += 1e6 * (MPI_Wtime() - begin_s);
            MPI_Comm_free(&comm);
        }
        double all_us = 0;
        MPI_Reduce(&sum_us, &all_us, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        tell(names[kind], all_us / TIMES, "us");
    }
}

/* The figure of that name in /proc/self/status, in KiB. */
static double status_kib(const char *name)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtod(line + strlen(name) + 1, NULL);
    if (file != NULL)
        fclose(file);
    return kib;
}

static int count_files(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory != NULL && readdir(directory) != NULL)
        count++;
    if (directory != NULL)
        closedir(directory);
    return count;
}

static void measure_short_lived(void)
{
    enum { TIMES = 10000 };
    static const int uses[] = {1, 4};
    for (int i = 0; i < 100; i++)
        allreduce(MPI_COMM_WORLD, 1);
    for (int u = 0; u < 2; u++) {
        char name[40];
        const double memory_kib = status_kib("VmRSS:");
        const int files = count_files();
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin_s = MPI_Wtime();
        for (int i = 0; i < TIMES; i++) {
            MPI_Comm comm;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            for (int call = 0; call < uses[u]; call++)
                allreduce(comm, 1);
            MPI_Comm_free(&comm);
        }
        snprintf(name, sizeof name, "short_lived_%d_uses", uses[u]);
        tell(name, 1e-6 * slowest_us(begin_s), "s");
        snprintf(name, sizeof name, "short_lived_%d_memory", uses[u]);
        tell(name, (status_kib("VmRSS:") - memory_kib) / 1024, "MiB");
        snprintf(name, sizeof name, "short_lived_%d_files", uses[u]);
        tell(name, count_files() - files, "files");
    }
}

static void measure_alive(int count)
{
    MPI_Comm *comms = malloc((size_t)count * sizeof(MPI_Comm));
    if (comms == NULL)
        return;
    allreduce(MPI_COMM_WORLD, 1);
    const double memory_kib = status_kib("VmSize:");
    double begin_s = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        allreduce(comms[i], 1);
    }
    tell("alive_made", 1e-6 * slowest_us(begin_s), "s");
    begin_s = MPI_Wtime();
    for (int i = 0; i < count; i++)
        allreduce(comms[i], 1);
    tell("alive_used", 1e-6 * slowest_us(begin_s), "s");
    tell("alive_virtual", (status_kib("VmSize:") - memory_kib) / 1024, "MiB");
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&comms[i]);
    free(comms);
}

static void measure_new_counts(void)
{
    enum { MOST = 4000, CALLS = 400 };
    for (int i = 0; i < 100; i++)
        allreduce(MPI_COMM_WORLD, 1);
    for (int round = 0; round < 2; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin_s = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) /* 7919 is prime: counts in no order */
            allreduce(MPI_COMM_WORLD, 1 + i * 7919 % MOST);
        tell(round == 0 ? "new_count" : "known_count", slowest_us(begin_s) / CALLS, "us");
    }
}

struct start {
    double begin_us, end_us;
};

static struct start initialize(bool has_threads)
{
    struct start start = {.begin_us = now_us()};
    int granted = MPI_THREAD_SINGLE;
    if (!has_threads)
        MPI_Init(NULL, NULL);
    else if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &granted) == MPI_SUCCESS &&
             granted < MPI_THREAD_MULTIPLE)
        fprintf(stderr, "bench_first: MPI_THREAD_MULTIPLE was not granted\n");
    start.end_us = now_us();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return start;
}

static void measure_start(const struct start *start)
{
    const double took_us = start->end_us - start->begin_us;
    double last_begin_us = 0, last_end_us = 0, sum_us = 0;
    int p;
    allreduce(MPI_COMM_WORLD, 1);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Reduce(&start->begin_us, &last_begin_us, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&start->end_us, &last_end_us, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took_us, &sum_us, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    tell("init", 1e-3 * (last_end_us - last_begin_us), "ms");
    tell("init_mean", 1e-3 * sum_us / p, "ms");
}

int main(int argc, char **argv)
{
    const bool has_threads = argc > 1 && strcmp(argv[1], "--threads") == 0;
    argc -= has_threads;
    argv += has_threads;
    const char *measure = argc > 1 ? argv[1] : "start";
    const struct start start = initialize(has_threads);
    if (strcmp(measure, "world") == 0)
        measure_world();
    else if (strcmp(measure, "fresh") == 0)
        measure_fresh();
    else if (strcmp(measure, "short_lived") == 0)
        measure_short_lived();
    else if (strcmp(measure, "alive") == 0)
        measure_alive(argc > 2 ? atoi(argv[2]) : 2000);
    else if (strcmp(measure, "new_counts") == 0)
        measure_new_counts();
    else
        measure_start(&start);
    MPI_Finalize();
    return 0;
}
