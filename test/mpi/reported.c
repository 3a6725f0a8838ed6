/* A program for the report to say what it does. Usage: reported WHAT CALLS DELAY LATE
 *
 * WHAT: "nonblocking" or "persistent" allreduces, which are started, left for DELAY microseconds
 * and waited for. Rank 1 starts each LATE microseconds later. Or "phases": allreduces in
 * three parts. Or "sites": calls in two functions, in one of two lines. Or "alternating":
 * nonblocking allreduces, in turn in place and not. Or "first": the first calls on communicators
 * of a program with threads. Or "persistent_all": three persistent allreduces, started together. Or
 * "alone": calls on communicators of one rank. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Without Allfold there is none, and the program runs all the same. */
extern void allfold_region(const char *name) __attribute__((weak));

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif

static void enter(const char *name)
{
    if (allfold_region != NULL)
        allfold_region(name);
}

static void delay(double us)
{
    const struct timespec time = {.tv_nsec = (long)(1e3 * us)};
    nanosleep(&time, NULL);
}

static double in[4] = {1, 2, 3, 4}, out[4];

static void reduce_often(int calls)
{
    for (int i = 0; i < calls; i++)
        MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void overlap(int persists, int calls, double delay_us, double late_us)
{
    MPI_Request request;
    reduce_often(1);
    if (persists)
        ALLREDUCE_INIT(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < calls; i++) {
        delay(late_us);
        if (persists)
            MPI_Start(&request);
        else
            MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        delay(delay_us);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (persists)
        MPI_Request_free(&request);
}

static void do_phases(int calls)
{
    reduce_often(calls);
    for (int again = 0; again < 2; again++) {
        enter("assemble");
        reduce_often(2 * calls);
        enter("so\"lve");
        reduce_often(3 * calls);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Pcontrol(7);
    reduce_often(5 * calls);
    MPI_Pcontrol(1);
    reduce_often(calls);
    enter("assemble");
    enter("");
    reduce_often(calls);
}

/* Calls are not the last thing that they do: then the compiler would have them jump. */
static __attribute__((noinline)) int call_here(int calls)
{
    for (int i = 0; i < calls; i++)
        MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * calls; i++)
        MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return calls;
}

static __attribute__((noinline)) int call_there(int calls)
{
    MPI_Request request;
    for (int i = 0; i < calls; i++) {
        MPI_Bcast(in, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return calls;
}

static void alternate(int calls)
{
    MPI_Request request;
    for (int i = 0; i < calls; i++) {
        MPI_Iallreduce(i % 2 ? MPI_IN_PLACE : in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void start_all(int calls)
{
    enum { COUNT = 3 };
    static double results[COUNT][4];
    MPI_Request requests[COUNT];
    MPI_Status statuses[COUNT];
    for (int r = 0; r < COUNT; r++)
        ALLREDUCE_INIT(in, results[r], 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[r]);
    for (int i = 0; i < calls; i++) {
        MPI_Startall(COUNT, requests);
        MPI_Waitall(COUNT, requests, statuses);
    }
    for (int r = 0; r < COUNT; r++)
        MPI_Request_free(&requests[r]);
}

/* Blocking and nonblocking calls on MPI_COMM_SELF and on another communicator, which is freed. */
static void reduce_alone(int calls)
{
    MPI_Comm comms[2] = {MPI_COMM_SELF, MPI_COMM_NULL};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comms[1]);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < calls; i++) {
            MPI_Request request;
            MPI_Allreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, comms[c]);
            MPI_Barrier(comms[c]);
            MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, comms[c], &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    MPI_Comm_free(&comms[1]);
}

/* A short call, a long one, and one of nothing, which rank 0 describes in another way. */
static void make_first_calls(int calls)
{
    enum { LONG = 1000 };
    int rank, p;
    MPI_Comm comms[3];
    MPI_Datatype nothing;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    double *room = calloc((size_t)p * LONG + LONG, sizeof *room);
    int *counts = calloc(2 * (size_t)p, sizeof *counts), *places = counts + p;
    MPI_Type_contiguous(0, MPI_DOUBLE, &nothing);
    MPI_Type_commit(&nothing);
    for (int r = 0; r < p; r++) {
        counts[r] = LONG;
        places[r] = r * LONG;
    }
    for (int i = 0; i < calls; i++) {
        for (int c = 0; c < 3; c++)
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
        MPI_Allgather(in, 4, MPI_DOUBLE, room, 4, MPI_DOUBLE, comms[0]);
        MPI_Allgatherv(room + p * LONG, LONG, MPI_DOUBLE, room, counts, places, MPI_DOUBLE,
                       comms[1]);
        MPI_Allgather(in, rank > 0, rank > 0 ? nothing : MPI_DOUBLE, room, rank > 0,
                      rank > 0 ? nothing : MPI_DOUBLE, comms[2]);
        for (int c = 0; c < 3; c++)
            MPI_Comm_free(&comms[c]);
    }
    MPI_Type_free(&nothing);
    free(counts);
    free(room);
}

int main(int argc, char **argv)
{
    int rank, level;
    const bool has_threads = argc > 1 && strcmp(argv[1], "first") == 0;
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(argv[1], "phases") == 0)
        do_phases(atoi(argv[2]));
    else if (strcmp(argv[1], "sites") == 0)
        call_here(call_there(atoi(argv[2])));
    else if (strcmp(argv[1], "alternating") == 0)
        alternate(atoi(argv[2]));
    else if (strcmp(argv[1], "persistent_all") == 0)
        start_all(atoi(argv[2]));
    else if (strcmp(argv[1], "alone") == 0)
        reduce_alone(atoi(argv[2]));
    else if (has_threads)
        make_first_calls(atoi(argv[2]));
    else
        overlap(strcmp(argv[1], "persistent") == 0, atoi(argv[2]), atof(argv[3]),
                rank == 1 ? atof(argv[4]) : 0);
    MPI_Finalize();
    return 0;
}
