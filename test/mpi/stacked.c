/*
 * stacked.c: ten reductions and a broadcast, three times. Before the second time the rank that the
 * argument names, which is rank 1 without one, says MPI_Pcontrol(0), and after it MPI_Pcontrol(1).
 * With the argument "in_place", twenty reductions in place instead, of input that changes.
 * With wrong results the program fails. With the argument "startall", persistent requests of
 * several kinds instead, twice. For test_stacking.sh.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

static int errors;

static void reduce_ten(int rank, int p)
{
    enum { TIMES = 10 };
    for (int i = 0; i < TIMES; i++) {
        const int mine = rank + i;
        int sum = -1;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        errors += sum != p * i + p * (p - 1) / 2;
    }
    int word = rank == p - 1 ? p : -1;
    MPI_Bcast(&word, 1, MPI_INT, p - 1, MPI_COMM_WORLD);
    errors += word != p;
}

static void reduce_in_place(int rank, int p)
{
    enum { TIMES = 20, COUNT = 3000 };
    static int numbers[COUNT];
    for (int i = 0; i < TIMES; i++) {
        for (int k = 0; k < COUNT; k++)
            numbers[k] = rank + i + k;
        MPI_Allreduce(MPI_IN_PLACE, numbers, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < COUNT; k++)
            errors += numbers[k] != p * (i + k) + p * (p - 1) / 2;
    }
}

/* A message round the ring, a reduction and a broadcast, started by one call. */
static void start_all(int rank, int p)
{
    enum { RECEIVE, REDUCE, SEND, BROADCAST, COUNT };
    MPI_Request requests[COUNT];
    MPI_Status statuses[COUNT]; /* gcc warns of MPICH's MPI_STATUSES_IGNORE */
    int word = 0, got = -1, mine, sum;
    MPI_Recv_init(&got, 1, MPI_INT, (rank + p - 1) % p, 0, MPI_COMM_WORLD, &requests[RECEIVE]);
    PERSISTENT(Allreduce_init)
    (&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[REDUCE]);
    MPI_Send_init(&rank, 1, MPI_INT, (rank + 1) % p, 0, MPI_COMM_WORLD, &requests[SEND]);
    PERSISTENT(Bcast_init)
    (&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[BROADCAST]);
    for (int i = 0; i < 2; i++) {
        mine = rank + i;
        sum = got = -1;
        word = rank == 0 ? i + 7 : -1;
        MPI_Startall(COUNT, requests);
        MPI_Waitall(COUNT, requests, statuses);
        errors += sum != p * i + p * (p - 1) / 2;
        errors += got != (rank + p - 1) % p;
        errors += word != i + 7;
    }
    for (int i = 0; i < COUNT; i++)
        MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv)
{
    int rank, p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (argc > 1 && strcmp(argv[1], "startall") == 0) {
        start_all(rank, p);
    } else if (argc > 1 && strcmp(argv[1], "in_place") == 0) {
        reduce_in_place(rank, p);
    } else {
        const int silent = argc > 1 ? atoi(argv[1]) : 1;
        reduce_ten(rank, p);
        if (rank == silent)
            MPI_Pcontrol(0);
        reduce_ten(rank, p);
        if (rank == silent)
            MPI_Pcontrol(1);
        reduce_ten(rank, p);
    }
    if (errors > 0)
        fprintf(stderr, "rank %d: %d wrong results\n", rank, errors);
    MPI_Finalize();
    return errors > 0;
}
