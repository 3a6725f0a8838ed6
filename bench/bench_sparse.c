/* Sparse reductions beside plain ones and the MPI library's own, after Hofmann and Ruenger, MPI
 * Reduction Operations for Sparse Floating-Point Data, figure 3: vectors of doubles of which a
 * share is not zero, in random places, the same ones on all ranks or not. Each contender has a
 * communicator of its own, and they take turns; what one call takes is what the slowest rank does.
 * Prints lines of CSV on rank 0: medians, least and most, of the ratio to `off` too, and the bytes
 * that the ranks' interfaces sent a call, most and mean.
 *
 * Usage: bench_sparse_MPI reduce|allreduce RULE BYTES CALLS LINK same|differ SHARE...
 * (RULE as for ALLFOLD_REDUCE; LINK an interface, or -; SHARE in percent) */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"

enum { NATIVE, OFF, ON, AUTO, CONTENDERS, MOST_CALLS = 99, WARM_CALLS = 1 };

static const char *const names[] = {"native", "off", "on", "auto"};

static struct {
    bool is_reduce, differs;
    int count, calls, rank, size;
    const char *link;
    double *in, *out;
    MPI_Comm comm[CONTENDERS];
} bench;

/* Bytes that the interface sent so far. */
static double sent_bytes(void)
{
    char line[512];
    double sent = 0;
    FILE *file = fopen("/proc/self/net/dev", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        char name[64];
        if (colon != NULL && sscanf(line, " %63[^:]", name) == 1 && strcmp(name, bench.link) == 0)
            sscanf(colon + 1, "%*f %*f %*f %*f %*f %*f %*f %*f %lf", &sent);
    }
    if (file != NULL)
        fclose(file);
    return sent;
}

static void fill(double percent)
{
    unsigned long long seed = 1 + (bench.differs ? 977ull * (unsigned)bench.rank : 0);
    for (int i = 0; i < bench.count; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const double any = (double)(seed >> 33) / (double)(1ull << 31);
        bench.in[i] = 100 * any < percent ? 1 + any + bench.rank : 0;
    }
}

static void call(int contender)
{
    const MPI_Comm comm = bench.comm[contender];
    const size_t count = (size_t)bench.count;
    if (bench.is_reduce && contender == NATIVE)
        PMPI_Reduce(bench.in, bench.out, bench.count, MPI_DOUBLE, MPI_SUM, 0, comm);
    else if (bench.is_reduce)
        allfold_reduce(bench.in, bench.out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    else if (contender == NATIVE)
        PMPI_Allreduce(bench.in, bench.out, bench.count, MPI_DOUBLE, MPI_SUM, comm);
    else
        allfold_allreduce(bench.in, bench.out, count, MPI_DOUBLE, MPI_SUM, comm);
}

static double time_s(int contender)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = PMPI_Wtime();
    call(contender);
    double seconds = PMPI_Wtime() - begin_s;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(double percent, int contender, double s[][MOST_CALLS], double most_bytes,
                  double mean_bytes)
{
    const int n = bench.calls;
    double ratio[MOST_CALLS], sorted[MOST_CALLS];
    for (int i = 0; i < n; i++) {
        ratio[i] = s[contender][i] / s[OFF][i];
        sorted[i] = s[contender][i];
    }
    qsort(ratio, (size_t)n, sizeof *ratio, compare);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    printf("%g,%s,%s,%d,%.6f,%.6f,%.6f,%.3f,%.3f,%.3f,%.0f,%.0f\n", percent,
           bench.differs ? "differ" : "same", names[contender], n, sorted[n / 2], sorted[0],
           sorted[n - 1], ratio[n / 2], ratio[0], ratio[n - 1], most_bytes, mean_bytes);
    fflush(stdout);
}

/* One share of non-zeros: the contenders in turn, after calls in which they try what they try. */
static void measure(double percent)
{
    static double s[CONTENDERS][MOST_CALLS];
    double bytes[CONTENDERS] = {0};
    fill(percent);
    for (int c = 0; c < CONTENDERS; c++)
        for (int i = 0; i < (c == AUTO ? 4 : WARM_CALLS); i++)
            time_s(c);
    for (int i = 0; i < bench.calls; i++)
        for (int c = 0; c < CONTENDERS; c++) {
            const double before = sent_bytes();
            s[c][i] = time_s(c);
            bytes[c] += (sent_bytes() - before) / bench.calls;
        }
    for (int c = 0; c < CONTENDERS; c++) {
        double most = 0, mean = 0;
        PMPI_Reduce(&bytes[c], &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        PMPI_Reduce(&bytes[c], &mean, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (bench.rank == 0)
            print(percent, c, s, most, mean / bench.size);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    if (argc < 8) {
        if (bench.rank == 0)
            fprintf(stderr,
                    "usage: %s reduce|allreduce RULE BYTES CALLS LINK same|differ SHARE...\n",
                    argv[0]);
        MPI_Finalize();
        return 2;
    }
    bench.is_reduce = strcmp(argv[1], "reduce") == 0;
    bench.count = atoi(argv[3]) / (int)sizeof(double);
    bench.calls = atoi(argv[4]) < MOST_CALLS ? atoi(argv[4]) : MOST_CALLS;
    bench.link = argv[5];
    bench.differs = strcmp(argv[6], "differ") == 0;
    bench.in = malloc((size_t)bench.count * sizeof(double));
    bench.out = malloc((size_t)bench.count * sizeof(double));
    for (int c = 0; c < CONTENDERS; c++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &bench.comm[c]);
        if (c == NATIVE)
            continue;
        allfold_comm_set(bench.comm[c], bench.is_reduce ? "ALLFOLD_REDUCE" : "ALLFOLD_ALLREDUCE",
                         argv[2]);
        allfold_comm_set(bench.comm[c], "ALLFOLD_SPARSE", names[c]);
    }
    if (bench.rank == 0)
        printf("percent,places,contender,calls,seconds,least,most,ratio_to_off,ratio_least,"
               "ratio_most,most_bytes_sent,mean_bytes_sent\n");
    for (int i = 7; i < argc; i++)
        measure(atof(argv[i]));
    for (int c = 0; c < CONTENDERS; c++)
        MPI_Comm_free(&bench.comm[c]);
    free(bench.in);
    free(bench.out);
    MPI_Finalize();
    return 0;
}
