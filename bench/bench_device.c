/* Measures an allreduce of vectors in device memory. Compares, in alternating rounds:
 *
 *     ours      MPI_Allreduce on device addresses
 *     by hand   a copy to pinned memory, the native MPI_Allreduce there, and a copy back
 *     both      the same copies around Allfold's MPI_Allreduce: the cost of staging alone
 *     segments  the same for each segment: copies overlap with the reduction of another segment
 *
 * Prints microseconds per call of the slowest rank, as medians over the rounds. All results are
 * checked. Needs a CUDA driver that is loaded (LD_PRELOAD=libcuda.so.1) and ALLFOLD_DEVICE=on.
 *
 * Usage: bench_device_MPI [BYTES [ROUNDS [SEGMENT_BYTES]]]: sizes from 8 bytes to BYTES, times 8 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 101, STREAMS = 2, FOR_ALL = 1, NON_BLOCKING = 1 };

static struct {
    int (*init)(unsigned);
    int (*retain)(void **context, int device);
    int (*use)(void *context);
    int (*allocate)(void **memory, size_t bytes);
    int (*allocate_pinned)(void **memory, size_t bytes, unsigned flags);
    int (*to_host)(void *to, const void *from, size_t bytes, void *stream);
    int (*to_device)(void *to, const void *from, size_t bytes, void *stream);
    int (*make_stream)(void **stream, unsigned flags);
    int (*make_event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*wait_event)(void *event);
    int (*wait)(void *stream);
} driver;

static const char *const names[sizeof driver / sizeof(void *)] = {"cuInit",
                                                                  "cuDevicePrimaryCtxRetain",
                                                                  "cuCtxSetCurrent",
                                                                  "cuMemAlloc_v2",
                                                                  "cuMemHostAlloc",
                                                                  "cuMemcpyDtoHAsync_v2",
                                                                  "cuMemcpyHtoDAsync_v2",
                                                                  "cuStreamCreate",
                                                                  "cuEventCreate",
                                                                  "cuEventRecord",
                                                                  "cuEventSynchronize",
                                                                  "cuStreamSynchronize"};

static int rank, size;
static size_t segment_bytes = 1 << 20;
static double *in, *out;           /* of the device */
static double *host_in, *host_out; /* pinned */
static double *beside;             /* ... and no contender's, so no cache holds theirs */
static void *streams[STREAMS], *arrived[1024];

static void must(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "bench_device: %s: error %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void open_driver(void)
{
    void *context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(RTLD_DEFAULT, names[i]);
        must(found == NULL, names[i]);
        memcpy((char *)&driver + i * sizeof found, &found, sizeof found);
    }
    must(driver.init(0), "cuInit");
    must(driver.retain(&context, 0), "the context");
    must(driver.use(context), "the context");
    for (int i = 0; i < STREAMS; i++)
        must(driver.make_stream(&streams[i], NON_BLOCKING), "a stream");
    for (size_t i = 0; i < sizeof arrived / sizeof *arrived; i++)
        must(driver.make_event(&arrived[i], 0), "an event");
}

static void copy_in(size_t at, size_t count, void *stream)
{
    must(driver.to_host(host_in + at, in + at, count * sizeof *in, stream), "a copy to the host");
}

static void copy_out(size_t at, size_t count, void *stream)
{
    must(driver.to_device(out + at, host_out + at, count * sizeof *out, stream),
         "a copy to the device");
}

static void run_ours(size_t count)
{
    MPI_Allreduce(in, out, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run_copies(size_t count,
                       int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))
{
    copy_in(0, count, streams[0]);
    must(driver.wait(streams[0]), "waiting");
    reduce(host_in, host_out, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    copy_out(0, count, streams[0]);
    must(driver.wait(streams[0]), "waiting");
}

static void run_by_hand(size_t count)
{
    run_copies(count, PMPI_Allreduce);
}

static void run_both(size_t count)
{
    run_copies(count, MPI_Allreduce);
}

static void run_segments(size_t count)
{
    const size_t most = segment_bytes / sizeof *in;
    size_t s = 0;
    for (size_t at = 0; at < count; at += most) {
        copy_in(at, at + most < count ? most : count - at, streams[0]);
        must(driver.record(arrived[s++], streams[0]), "an event");
    }
    s = 0;
    for (size_t at = 0; at < count; at += most) {
        const size_t length = at + most < count ? most : count - at;
        must(driver.wait_event(arrived[s++]), "an event");
        MPI_Allreduce(host_in + at, host_out + at, (int)length, MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
        copy_out(at, length, streams[1]);
    }
    must(driver.wait(streams[1]), "waiting");
}

static const struct {
    const char *name;
    void (*run)(size_t count);
} contenders[] = {
    {"ours", run_ours}, {"by hand", run_by_hand}, {"both", run_both}, {"segments", run_segments}};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

static double us[CONTENDERS][MOST_ROUNDS];

/* New inputs for each call, so that no cache keeps them, and no result of an earlier one is left.
 */
static void prepare(size_t count, int round)
{
    for (size_t i = 0; i < count; i++)
        beside[i] = (double)((i + (size_t)round) % 1001) + rank;
    must(driver.to_device(in, beside, count * sizeof *in, streams[0]), "inputs");
    must(driver.wait(streams[0]), "inputs");
    memset(beside, 0, count * sizeof *beside);
    must(driver.to_device(out, beside, count * sizeof *out, streams[0]), "inputs");
    must(driver.wait(streams[0]), "inputs");
}

static void look(size_t count, int round, const char *name)
{
    must(driver.to_host(beside, out, count * sizeof *out, streams[0]), "results");
    must(driver.wait(streams[0]), "results");
    for (size_t i = 0; i < count; i++) {
        const double expected =
            size * (double)((i + (size_t)round) % 1001) + (double)size * (size - 1) / 2;
        if (beside[i] != expected) {
            fprintf(stderr, "bench_device: %s: element %zu is %g, not %g\n", name, i, beside[i],
                    expected);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    }
}

static double measure(int contender, size_t count, int round)
{
    double time_s, slowest_s;
    prepare(count, round);
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Barrier(MPI_COMM_WORLD); /* the first one waits for those who prepare */
    time_s = -MPI_Wtime();
    contenders[contender].run(count);
    time_s += MPI_Wtime();
    PMPI_Allreduce(&time_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    look(count, round, contenders[contender].name);
    return 1e6 * slowest_s;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_size(size_t bytes, int rounds)
{
    enum { WARM_UP = 2 };
    for (int round = -WARM_UP; round < rounds; round++)
        for (int c = 0; c < CONTENDERS; c++)
            us[c][round < 0 ? 0 : round] = measure(c, bytes / sizeof *in, round + WARM_UP);
    if (rank != 0)
        return;
    printf("%12zu", bytes);
    for (int c = 0; c < CONTENDERS; c++) {
        qsort(us[c], (size_t)rounds, sizeof **us, compare);
        printf(" %12.1f", us[c][rounds / 2]);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const size_t most_bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 64 << 20;
    int rounds = argc > 2 ? atoi(argv[2]) : 21;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    segment_bytes = argc > 3 ? strtoull(argv[3], NULL, 10) / 8 * 8 : segment_bytes;
    if (segment_bytes < 8 || most_bytes / segment_bytes >= sizeof arrived / sizeof *arrived)
        must(1, "too many segments");
    open_driver();
    must(driver.allocate((void **)&in, most_bytes), "memory of the device");
    must(driver.allocate((void **)&out, most_bytes), "memory of the device");
    must(driver.allocate_pinned((void **)&host_in, most_bytes, FOR_ALL), "pinned memory");
    must(driver.allocate_pinned((void **)&host_out, most_bytes, FOR_ALL), "pinned memory");
    must(driver.allocate_pinned((void **)&beside, most_bytes, FOR_ALL), "pinned memory");
    if (rank == 0) {
        printf("%d ranks, segments of %zu bytes\n%12s", size, segment_bytes, "bytes");
        for (int c = 0; c < CONTENDERS; c++)
            printf(" %12s", contenders[c].name);
        printf("\n");
    }
    for (size_t bytes = 8; bytes <= most_bytes; bytes *= 8)
        measure_size(bytes, rounds);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
