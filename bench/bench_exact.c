/* Allreduces of doubles, microseconds a call, the best of some rounds. Run it under `allfold run`
 * with ALLFOLD_REPRODUCIBLE=off and =exact: the difference is what exact sums cost.
 * Usage: bench_exact [alike|spread]   numbers of one size, or of sizes as programs have them */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, ROUNDS = 9 };

static double in[MOST], out[MOST];

static void fill(int rank, int is_spread)
{
    srand48(rank + 1);
    for (int i = 0; i < MOST; i++) {
        const double x = drand48() - 0.5;
        in[i] = is_spread ? exp(4 * x) * sin(x + rank) : x;
    }
}

static double best_s(int count)
{
    const int calls = count < 1000 ? 20000 : count < 100000 ? 1000 : 20;
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        best = fmin(best, (MPI_Wtime() - begin) / calls);
    }
    return best;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fill(rank, argc > 1 && strcmp(argv[1], "spread") == 0);
    for (int count = 1; count <= MOST; count *= count < 8 ? 8 : 16) {
        const double s = best_s(count);
        if (rank == 0)
            printf("%9zu bytes %10.3f us\n", (size_t)count * sizeof *in, 1e6 * s);
    }
    MPI_Finalize();
    return 0;
}
