/* Blocks of different lengths: MPI_Reduce_scatter and MPI_Allgatherv of Allfold beside the native
 * ones, in rounds that alternate, inputs written anew before each call. Each line is a size of all
 * blocks together, each column how they are shared out:
 *
 *     alike   all ranks have as much
 *     ramp    rank i has i + 1 parts
 *     holes   each second rank has nothing
 *     one     the last rank has all
 *
 * Prints our time in microseconds (medians of the slowest rank's) and the median of the rounds'
 * ratios to native, smaller is better. All results are compared with native ones.
 *
 * Usage: bench_blocks_MPI [FROM TO [SECONDS [COLLECTIVE]]]: bytes, times 8 each; seconds for a size
 * and a share; reduce_scatter or allgatherv, preset both */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 401, LEAST_ROUNDS = 15, WARM_UP = 3, CALLS_AT_LEAST = 3 };

/* Calls of so many seconds are less of a lottery, and may be fewer. */
static const double long_call_s = 0.05;
enum { LEAST_LONG_ROUNDS = 5 };

static int rank, size;
static int *counts, *begins, total;
static double *in, *out, *beside;

/* --- shares --- */

static size_t alike(int i)
{
    (void)i;
    return 1;
}

static size_t ramp(int i)
{
    return (size_t)i + 1;
}

static size_t holes(int i)
{
    return i % 2 == 0 ? 1 : 0;
}

static size_t one(int i)
{
    return i == size - 1 ? 1 : 0;
}

static const struct {
    const char *name;
    size_t (*parts)(int rank);
} shares[] = {{"alike", alike}, {"ramp", ramp}, {"holes", holes}, {"one", one}};
enum { SHARES = sizeof shares / sizeof *shares };

/* The last block that is not empty has what is left over. */
static void share_out(int share, int elements)
{
    size_t parts = 0;
    int last = 0;
    for (int i = 0; i < size; i++)
        parts += shares[share].parts(i);
    total = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = (int)((size_t)elements * shares[share].parts(i) / parts);
        total += counts[i];
        if (shares[share].parts(i) > 0)
            last = i;
    }
    counts[last] += elements - total;
    total = elements;
    for (int i = 0, begin = 0; i < size; begin += counts[i++])
        begins[i] = begin;
}

/* --- calls --- */

static void write_inputs(int round)
{
    for (int i = 0; i < total; i++)
        in[i] = rank + (double)((i + round) % 1001);
}

static int reduce_scatter(int is_native, double *result)
{
    return (is_native ? PMPI_Reduce_scatter : MPI_Reduce_scatter)(in, result, counts, MPI_DOUBLE,
                                                                  MPI_SUM, MPI_COMM_WORLD);
}

static int allgatherv(int is_native, double *result)
{
    return (is_native ? PMPI_Allgatherv : MPI_Allgatherv)(
        in, counts[rank], MPI_DOUBLE, result, counts, begins, MPI_DOUBLE, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    int (*call)(int is_native, double *result);
    int has_all; /* the result, on each rank */
} collectives[] = {{"reduce_scatter", reduce_scatter, 0}, {"allgatherv", allgatherv, 1}};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static void must(int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "bench_blocks: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void check(int c)
{
    const int count = collectives[c].has_all ? total : counts[rank];
    write_inputs(1);
    memset(out, -1, (size_t)total * sizeof *out);
    memset(beside, -1, (size_t)total * sizeof *beside);
    must(collectives[c].call(0, out) == MPI_SUCCESS, "an error of ours");
    must(collectives[c].call(1, beside) == MPI_SUCCESS, "an error of MPI's");
    must(memcmp(out, beside, (size_t)count * sizeof *out) == 0, "another result than native");
}

/* Seconds a call, of the slowest rank. */
static double measure(int c, int is_native, int calls, int round)
{
    double seconds = 0;
    for (int i = 0; i < calls; i++) {
        write_inputs(round + i);
        PMPI_Barrier(MPI_COMM_WORLD);
        const double begin_s = MPI_Wtime();
        collectives[c].call(is_native, out);
        seconds += MPI_Wtime() - begin_s;
    }
    seconds /= calls;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_share(int c, double most_s)
{
    static double ours[MOST_ROUNDS], ratios[MOST_ROUNDS];
    double spent_s = 0;
    int rounds = 0, calls = CALLS_AT_LEAST, is_long = 0;
    check(c);
    for (int round = -WARM_UP; round < 0 && !is_long; round++) {
        const double first_s = measure(c, 1, 1, round);
        const double second_s = measure(c, 0, 1, round);
        calls = (int)(most_s / 40 / (first_s + second_s + 2e-6));
        is_long = first_s > long_call_s && second_s > long_call_s;
    }
    calls = calls < CALLS_AT_LEAST ? CALLS_AT_LEAST : calls > 200 ? 200 : calls;
    calls = is_long ? 1 : calls;
    const int least_rounds = is_long ? LEAST_LONG_ROUNDS : LEAST_ROUNDS;
    while (rounds < MOST_ROUNDS && (rounds < least_rounds || spent_s < most_s)) {
        const int native_first = rounds % 2;
        const double first_s = measure(c, native_first, calls, rounds);
        const double second_s = measure(c, !native_first, calls, rounds);
        const double native_s = native_first ? first_s : second_s;
        ours[rounds] = native_first ? second_s : first_s;
        ratios[rounds++] = (first_s + second_s - native_s) / native_s;
        spent_s += calls * (first_s + second_s);
    }
    qsort(ours, (size_t)rounds, sizeof *ours, compare);
    qsort(ratios, (size_t)rounds, sizeof *ratios, compare);
    if (rank == 0)
        printf(" %9.1f %5.2f", 1e6 * ours[rounds / 2], ratios[rounds / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const size_t from = argc > 2 ? strtoull(argv[1], NULL, 10) : 8;
    const size_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : 8 << 20;
    const double most_s = argc > 3 ? atof(argv[3]) : 0.1;
    const char *only = argc > 4 ? argv[4] : NULL;
    counts = malloc(2 * (size_t)size * sizeof *counts);
    in = malloc(to + sizeof *in);
    out = malloc(to + sizeof *out);
    beside = malloc(to + sizeof *beside);
    must(counts != NULL && in != NULL && out != NULL && beside != NULL, "no memory");
    begins = counts + size;
    for (int c = 0; c < COLLECTIVES; c++) {
        if (only != NULL && strcmp(only, collectives[c].name) != 0)
            continue;
        if (rank == 0)
            printf("%s, %d ranks\n%10s", collectives[c].name, size, "bytes");
        for (int s = 0; rank == 0 && s < SHARES; s++)
            printf(" %9s ratio", shares[s].name);
        for (size_t bytes = from; bytes <= to; bytes *= 8) {
            if (rank == 0)
                printf("\n%10zu", bytes);
            for (int s = 0; s < SHARES; s++) {
                share_out(s, (int)(bytes / sizeof *in));
                measure_share(c, most_s);
            }
            fflush(stdout);
        }
        if (rank == 0)
            printf("\n");
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
