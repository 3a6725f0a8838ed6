/* Partitioned messages beside nonblocking collectives in one MPI_Waitall, which must wait for both
 * and end each once. MPI 3 has no partitioned messages: then the test is skipped. */
#include <mpi.h>
#include <stdio.h>

enum { PARTS = 4, EACH = 16, COUNT = PARTS * EACH, ROUNDS = 20, LONG = 20000 };

#if MPI_VERSION >= 4
static double data[COUNT], in[LONG], out[LONG];

static void make(MPI_Request *request, int rank)
{
    if (rank == 0)
        MPI_Psend_init(data, PARTS, EACH, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, request);
    else
        MPI_Precv_init(data, PARTS, EACH, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

/* One round; returns how many values are wrong. */
static int round_of(MPI_Request *message, int rank, int p, int round)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int wrong = 0;
    for (int i = 0; i < COUNT && rank == 0; i++)
        data[i] = i + round;
    MPI_Start(message);
    requests[0] = *message;
    MPI_Iallreduce(in, out, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    for (int i = 0; i < PARTS && rank == 0; i++)
        MPI_Pready(i, *message);
    wrong += MPI_Waitall(3, requests, round % 2 ? MPI_STATUSES_IGNORE : statuses) != MPI_SUCCESS;
    wrong += requests[1] != MPI_REQUEST_NULL || requests[0] != *message;
    for (int i = 0; i < COUNT && rank < 2; i++)
        wrong += data[i] != i + round;
    for (int i = 0; i < LONG; i++)
        wrong += out[i] != (double)p * i + p * (p - 1) / 2.0;
    return wrong;
}
#endif

int main(int argc, char **argv)
{
#if MPI_VERSION >= 4
    int rank, p, wrong = 0, all_wrong = 0;
    MPI_Request message = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < LONG; i++)
        in[i] = i + rank;
    make(&message, rank);
    for (int round = 0; round < ROUNDS; round++)
        wrong += round_of(&message, rank, p, round);
    MPI_Request_free(&message);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all_wrong);
    MPI_Finalize();
    return all_wrong > 0;
#else
    (void)argc;
    (void)argv;
    puts("skipped: this MPI has no partitioned messages");
    return 77;
#endif
}
