/*
 * big_counts.c: the collectives whose counts are MPI_Count, once each; with wrong results it fails,
 * and without such functions it is skipped. For test_big_counts.sh.
 */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
enum { COUNT = 3, MOST_RANKS = 16 };

static int rank, p, errors;

static void expect(const char *what, const int *values, int count, int first, int step)
{
    for (int i = 0; i < count; i++)
        if (values[i] != first + step * i) {
            fprintf(stderr, "rank %d: %s: element %d is %d, expected %d\n", rank, what, i,
                    values[i], first + step * i);
            errors++;
        }
}

static void call_all(void)
{
    int in[COUNT * MOST_RANKS], out[COUNT * MOST_RANKS];
    const MPI_Count n = COUNT;
    const int ranks = p * (p - 1) / 2;
    for (int i = 0; i < COUNT * p; i++)
        in[i] = rank + i;
    MPI_Allreduce_c(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("allreduce", out, COUNT, ranks, p);
    MPI_Reduce_c(in, out, n, MPI_INT, MPI_SUM, p - 1, MPI_COMM_WORLD);
    if (rank == p - 1)
        expect("reduce", out, COUNT, ranks, p);
    MPI_Reduce_scatter_block_c(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("reduce_scatter_block", out, COUNT, ranks + p * COUNT * rank, p);
    for (int i = 0; i < COUNT; i++)
        in[i] = COUNT * rank + i;
    MPI_Allgather_c(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
    expect("allgather", out, COUNT * p, 0, 1);
    MPI_Bcast_c(in, n, MPI_INT, 0, MPI_COMM_WORLD);
    expect("bcast", in, COUNT, 0, 1);
}
#endif

int main(int argc, char **argv)
{
    enum { SKIPPED = 77 };
    int result = SKIPPED;
    MPI_Init(&argc, &argv);
#if MPI_VERSION >= 4
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    call_all();
    result = errors > 0;
#endif
    MPI_Finalize();
    return result;
}
