/*
 * stacked.c: ten reductions and a broadcast, as many again with Allfold switched off by
 * MPI_Pcontrol, and once more switched on; with wrong results it fails. For test_stacking.sh.
 */
#include <mpi.h>
#include <stdio.h>

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

int main(int argc, char **argv)
{
    int rank, p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    reduce_ten(rank, p);
    MPI_Pcontrol(0);
    reduce_ten(rank, p);
    MPI_Pcontrol(1);
    reduce_ten(rank, p);
    if (errors > 0)
        fprintf(stderr, "rank %d: %d wrong results\n", rank, errors);
    MPI_Finalize();
    return errors > 0;
}
