/* Ours against the MPI library's own allreduce, in one run: for each size, blocks of calls of
 * either alternate, and the medians of the blocks' ratios are printed with their quartiles. Run
 * with 2 ranks on 2 cores, or as many as there are. Arguments: [--csv] [LARGEST_BYTES].
 *
 * The algorithm of ours is chosen by ALLFOLD_ALLREDUCE, the library's own by its own settings. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "allfold.h"

enum { BLOCKS = 61 };

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *values)
{
    qsort(values, BLOCKS, sizeof *values, compare);
    return values[BLOCKS / 2];
}

/* Seconds a call, of the slowest rank. */
static double time_block(int ours, const double *in, double *out, int count, int calls)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        if (ours)
            allfold_allreduce(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else
            PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    seconds = (MPI_Wtime() - seconds) / calls;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static void measure(int count, int csv, const char *machine)
{
    double *in = malloc((size_t)count * sizeof *in), *out = malloc((size_t)count * sizeof *out);
    double ours[BLOCKS], native[BLOCKS], ratios[BLOCKS];
    int rank, p, calls = 4000000 / (count * 8 + 4000) + 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < count; i++)
        in[i] = rank + i % 17;
    for (int which = 0; which < 2; which++) /* warm-up */
        time_block(which, in, out, count, calls);
    for (int i = 0; i < BLOCKS; i++) {
        const int first = i % 2;
        double *const into[] = {native, ours};
        into[first][i] = time_block(first, in, out, count, calls);
        into[!first][i] = time_block(!first, in, out, count, calls);
        ratios[i] = ours[i] / native[i];
    }
    const double ratio = median(ratios);
    if (rank == 0 && csv)
        printf("%s,%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f\n", allfold_version(), machine, p, count * 8,
               1e6 * median(ours), 1e6 * median(native), ratio, ratios[BLOCKS / 4],
               ratios[3 * BLOCKS / 4]);
    else if (rank == 0)
        printf("%10d %10.2f %10.2f %8.3f (%.3f-%.3f)\n", count * 8, 1e6 * median(ours),
               1e6 * median(native), ratio, ratios[BLOCKS / 4], ratios[3 * BLOCKS / 4]);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    int rank, p, length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    struct utsname name;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Get_library_version(version, &length);
    uname(&name);
    const int csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    const long largest = argc > 1 + csv ? atol(argv[1 + csv]) : 4 << 20;
    if (rank == 0 && csv)
        printf("version,machine,p,bytes,ours_us,native_us,ratio,ratio_q1,ratio_q3\n");
    else if (rank == 0)
        printf("Allfold %s, %.*s, p = %d, %s (%s): allreduce of doubles, sum; microseconds a call\n"
               "%10s %10s %10s %8s\n",
               allfold_version(), (int)strcspn(version, ",\n"), version, p, name.nodename,
               name.machine, "bytes", "ours", "native", "ratio (quartiles)");
    for (long bytes = 8; bytes <= largest; bytes *= bytes < 64 ? 2 : 4)
        measure((int)(bytes / 8), csv, name.nodename);
    MPI_Finalize();
    return 0;
}
