/*
 * fabric_faults.c: sums over a fabric that may fail. Blocking and nonblocking, of one element and
 * of messages that are too long for a slot. Each rank prints how many sums were right, wrong, and
 * errors. For test_fabric_faults.sh.
 */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 40, MOST = 20000 };

static double in[MOST], out[MOST];

static int sum(int length, int is_nonblocking)
{
    MPI_Request request;
    if (!is_nonblocking)
        return MPI_Allreduce(in, out, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const int error =
        MPI_Iallreduce(in, out, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    return error != MPI_SUCCESS ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 300, MOST};
    int rank, p, right = 0, wrong = 0, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < 6; k++) {
            const int length = lengths[k % 3];
            int is_right = 1;
            for (int i = 0; i < length; i++)
                in[i] = rank + round + i;
            if (sum(length, k >= 3) != MPI_SUCCESS) {
                failed++;
                continue;
            }
            for (int i = 0; i < length; i++)
                is_right &= out[i] == p * (round + i) + p * (p - 1) / 2;
            right += is_right;
            wrong += !is_right;
        }
    printf("rank %d: %d right, %d wrong, %d errors\n", rank, right, wrong, failed);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
