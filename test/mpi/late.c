/*
 * late.c: the last rank stops itself by SIGSTOP before a call that all others are in; whoever
 * continues it must find the right result everywhere. For test_late.sh.
 *
 * Linked with the library, of which it calls allfold.h.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allfold.h"

enum { LENGTH = 20000, BEFORE = 8 };

static int rank, p;
static double mine[LENGTH], sum[LENGTH];

/* Comes for a plan again and again; rank 0 says who is missing after the first time. */
static int wait_for(struct allfold_plan *plan)
{
    int code, has_said = 0, ranks[4], count;
    while ((code = allfold_wait(plan, 300)) == ALLFOLD_TIMED_OUT) {
        if (rank > 0 || has_said)
            continue;
        has_said = 1;
        if (allfold_missing(plan, ranks, 4, &count) == MPI_SUCCESS && count == 1)
            fprintf(stderr, "missing by the plan: %d\n", ranks[0]);
    }
    return code;
}

static int run_plan(int count, MPI_Comm comm)
{
    static struct allfold_plan *plan;
    int code = MPI_SUCCESS;
    if (plan == NULL)
        code = allfold_allreduce_init(mine, sum, (size_t)count, MPI_DOUBLE, MPI_SUM, comm, &plan);
    if (code == MPI_SUCCESS)
        code = allfold_start(plan);
    return code == MPI_SUCCESS ? wait_for(plan) : code;
}

/* The call of that name, of which a barrier and a broadcast give no sum. */
static int run_call(const char *name, MPI_Comm comm)
{
    const int count = strcmp(name, "long") == 0 ? LENGTH : 1;
    if (strcmp(name, "plan") == 0)
        return run_plan(count, comm);
    if (strcmp(name, "barrier") == 0)
        return MPI_Barrier(comm);
    if (strcmp(name, "bcast") == 0) /* from the rank that is late */
        return MPI_Bcast(mine, count, MPI_DOUBLE, p - 1, comm);
    return MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, comm);
}

static int is_right(const char *name)
{
    const double wanted = p * (p + 1) / 2;
    if (strcmp(name, "barrier") == 0)
        return 1;
    if (strcmp(name, "bcast") == 0)
        return mine[0] == p;
    return sum[0] == wanted && (strcmp(name, "long") != 0 || sum[LENGTH - 1] == wanted);
}

static void stop(void)
{
    printf("stopped: %ld\n", (long)getpid());
    fflush(stdout);
    raise(SIGSTOP);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const int last = argc > 2 ? atoi(argv[2]) : BEFORE; /* the call that one is late for */
    int all_right = 1;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(name, "reversed") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        MPI_Comm_set_name(comm, "reversed");
    }
    for (int i = 0; i <= last; i++) {
        for (int k = 0; k < LENGTH; k++)
            mine[k] = strcmp(name, "bcast") == 0 && rank < p - 1 ? -1 : rank + 1;
        memset(sum, 0, sizeof sum);
        if (i == last && rank == p - 1)
            stop();
        all_right &= run_call(name, comm) == MPI_SUCCESS && is_right(name);
    }
    PMPI_Allreduce(MPI_IN_PLACE, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", all_right ? "right" : "wrong");
    MPI_Finalize();
    return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
