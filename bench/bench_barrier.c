/* MPI_Barrier of Allfold beside the native one, and beside the floor: what the ranks of a node take
 * to see a flag of each other's in shared memory. Blocks of calls in turn; a block's time is that
 * of the slowest rank.
 *
 * Prints microseconds a call (medians of the blocks, and the least), and the ratios to native with
 * quartiles.
 *
 * Usage: bench_barrier_MPI [BLOCKS [CALLS]] on one node, each rank pinned to a core of its own */
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, WARM_UP = 3 };
enum contender { OURS, NATIVE, FLOOR, CONTENDERS };

static int rank, size;
static unsigned char *flags; /* of all ranks, a line each */
static uint64_t told;

static _Atomic uint64_t *flag_of(int r)
{
    return (_Atomic uint64_t *)(void *)(flags + (size_t)r * LINE);
}

/* Each rank tells that it is here, and looks for all others. */
static void see_flags(void)
{
    told++;
    atomic_store_explicit(flag_of(rank), told, memory_order_release);
    for (int r = 0; r < size; r++)
        while (atomic_load_explicit(flag_of(r), memory_order_acquire) < told)
            ;
}

static void synchronize(enum contender contender)
{
    if (contender == OURS)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (contender == NATIVE)
        PMPI_Barrier(MPI_COMM_WORLD);
    else
        see_flags();
}

static double block_s(enum contender contender, int calls)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        synchronize(contender);
    double seconds = (MPI_Wtime() - begin_s) / calls;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, double *seconds, double *ratios, int blocks)
{
    qsort(seconds, (size_t)blocks, sizeof *seconds, compare);
    qsort(ratios, (size_t)blocks, sizeof *ratios, compare);
    printf("%8s %9.3f %9.3f %6.2f (%.2f-%.2f)\n", name, 1e6 * seconds[blocks / 2], 1e6 * seconds[0],
           ratios[blocks / 2], ratios[blocks / 4], ratios[3 * blocks / 4]);
}

static void measure(int blocks, int calls, double *const seconds[CONTENDERS],
                    double *const ratios[CONTENDERS])
{
    static const char *const names[CONTENDERS] = {"ours", "native", "floor"};
    for (int i = -WARM_UP; i < blocks; i++) {
        double taken_s[CONTENDERS];
        for (int k = 0; k < CONTENDERS; k++) {
            const enum contender c = (enum contender)((k + i + WARM_UP) % CONTENDERS);
            taken_s[c] = block_s(c, calls);
        }
        for (int c = 0; c < CONTENDERS && i >= 0; c++) {
            seconds[c][i] = taken_s[c];
            ratios[c][i] = taken_s[c] / taken_s[NATIVE];
        }
    }
    if (rank == 0)
        printf("%8s %9s %9s ratio (quartiles)\n", "us", "median", "least");
    for (int c = 0; c < CONTENDERS && rank == 0; c++)
        print(names[c], seconds[c], ratios[c], blocks);
}

int main(int argc, char **argv)
{
    MPI_Win window;
    MPI_Aint bytes;
    int unit, length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int blocks = argc > 1 ? atoi(argv[1]) : 201, calls = argc > 2 ? atoi(argv[2]) : 2000;
    double *seconds[CONTENDERS], *ratios[CONTENDERS];
    MPI_Win_allocate_shared(LINE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &flags);
    for (int c = 0; c < CONTENDERS; c++) {
        seconds[c] = calloc(2 * (size_t)(blocks > 0 ? blocks : 0) + 1, sizeof **seconds);
        if (seconds[c] == NULL || blocks < 1 || calls < 1) {
            fprintf(stderr, "bench_barrier: no memory, or no blocks or calls\n");
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
        ratios[c] = seconds[c] + blocks;
    }
    atomic_store(flag_of(rank), 0);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n,")] = '\0';
    if (rank == 0)
        printf("barrier, %d ranks, %d blocks of %d calls, %s\n", size, blocks, calls, version);
    measure(blocks, calls, seconds, ratios);
    for (int c = 0; c < CONTENDERS; c++)
        free(seconds[c]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
