/*
 * killed.c: sums for ever. Rank 1 ends by SIGKILL in the middle, after it has made the named file.
 * The others may end only as MPI ends them. For test_killed.sh. The vector is a large block of
 * malloc, which the others read in place where ALLFOLD_ONE_COPY=1.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { LENGTH = 20000, BEFORE = 200 };
    double *values = calloc(LENGTH, sizeof *values);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0;; i++) {
        MPI_Allreduce(MPI_IN_PLACE, values, i % 2 ? 1 : LENGTH, MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
        if (i == BEFORE && rank == 1 && argc == 2 && fclose(fopen(argv[1], "w")) == 0)
            raise(SIGKILL);
    }
}
