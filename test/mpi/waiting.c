/* A program whose ranks come late by known times; it prints how long each rank waited for the last.
 * Usage: waiting LATE DELAY CALLS CALL [SIZE]
 *
 * LATE: a rank; "turns": each in turn; "node:2": the last two ranks; "none". DELAY: in
 * microseconds. CALL: allreduce, bcast (the last rank is its root), reduce, barrier, scan,
 * alltoall, or some. The last one calls all but a scan in turn on two communicators.
 *
 * The kernel is asked for the time itself: a clock that drifts for Allfold does not drift here. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int p, rank;

static double now_s(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void delay(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* Does this rank come late to that call? */
static int is_late(const char *who, int call)
{
    if (strcmp(who, "none") == 0)
        return 0;
    if (strcmp(who, "turns") == 0)
        return call % p == rank;
    if (strncmp(who, "node:", 5) == 0)
        return rank >= p - atoi(who + 5);
    return rank == atoi(who);
}

static void make_call(const char *name, int number, double *in, double *out, int count,
                      MPI_Comm comm)
{
    static const char *const some[] = {"allreduce", "bcast", "barrier", "reduce"};
    if (strcmp(name, "some") == 0)
        name = some[number % 4];
    if (strcmp(name, "bcast") == 0)
        MPI_Bcast(out, count, MPI_DOUBLE, p - 1, comm);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    else if (strcmp(name, "barrier") == 0)
        MPI_Barrier(comm);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE, out, count / p, MPI_DOUBLE, comm);
    else if (strcmp(name, "scan") == 0)
        MPI_Scan(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    else
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}

/* How long this rank waited in each call for the last one, or for the root of a broadcast. */
static double waited_s(const char *name, const double *begins, double *last, int calls)
{
    double sum = 0;
    memcpy(last, begins, (size_t)calls * sizeof *last);
    if (strcmp(name, "bcast") == 0)
        PMPI_Bcast(last, calls, MPI_DOUBLE, p - 1, MPI_COMM_WORLD);
    else
        PMPI_Allreduce(begins, last, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < calls; i++)
        sum += last[i] > begins[i] ? last[i] - begins[i] : 0;
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const double delay_s = 1e-6 * atof(argv[2]);
    const int calls = atoi(argv[3]), count = argc > 5 ? atoi(argv[5]) : 1;
    double *in = calloc((size_t)count, sizeof *in), *out = calloc((size_t)count, sizeof *out);
    double *begins = calloc((size_t)calls, sizeof *begins),
           *last = calloc((size_t)calls, sizeof *last);
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_WORLD};
    if (in == NULL || out == NULL || begins == NULL || last == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(argv[4], "some") == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    const double begin_s = now_s();
    for (int i = 0; i < calls; i++) {
        if (is_late(argv[1], i))
            delay(delay_s);
        begins[i] = now_s();
        make_call(argv[4], i, in, out, count, comms[i / 8 % 2]);
    }
    const double took_s = now_s() - begin_s, mine_s = waited_s(argv[4], begins, last, calls);
    double all_s = 0;
    PMPI_Reduce(&mine_s, &all_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("waited: %.9f all: %.9f took: %.9f\n", mine_s, all_s, took_s);
    if (comms[1] != MPI_COMM_WORLD)
        MPI_Comm_free(&comms[1]);
    free(in);
    free(out);
    free(begins);
    free(last);
    MPI_Finalize();
    return 0;
}
