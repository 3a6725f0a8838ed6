/* A program of equal calls with right results, for test_guard.sh.
 * Usage: guarded long|double|bcast COUNT CALLS [multiple]
 *
 * Each rank has its input in place at other calls than its neighbors. Between the equal calls there
 * are others, now and then on a communicator that lives for a few calls. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;

/* Element i of a rank's input of a call. */
static long value(int call, int of_rank, int i)
{
    return (call % 1000) * 3 + of_rank * 5 + i % 17;
}

static long sum(int call, int i)
{
    long all = 0;
    for (int r = 0; r < size; r++)
        all += value(call, r, i);
    return all;
}

static void put(void *data, bool is_double, int i, long number)
{
    if (is_double)
        ((double *)data)[i] = (double)number;
    else
        ((long *)data)[i] = number;
}

static long get(const void *data, bool is_double, int i)
{
    return is_double ? (long)((const double *)data)[i] : ((const long *)data)[i];
}

static void compare(int call, int i, long result, long expected)
{
    if (result != expected && failures++ < 5)
        printf("FAILED: call %d, element %d on rank %d: %ld, expected %ld\n", call, i, rank, result,
               expected);
}

static void add_up(bool is_double, int count, int call, void *in, void *out)
{
    const bool in_place = (call + rank) % 3 == 0;
    for (int i = 0; i < count; i++)
        put(in_place ? out : in, is_double, i, value(call, rank, i));
    MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, count, is_double ? MPI_DOUBLE : MPI_LONG,
                  MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i += 13)
        compare(call, i, get(out, is_double, i), sum(call, i));
    if (!in_place)
        compare(call, 0, get(in, is_double, 0), value(call, rank, 0));
}

static void broadcast(int count, int call, void *out)
{
    const int root = size - 1;
    for (int i = 0; i < count; i++)
        put(out, false, i, rank == root ? value(call, root, i) : -1);
    MPI_Bcast(out, count, MPI_LONG, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; i += 13)
        compare(call, i, get(out, false, i), value(call, root, i));
}

/* A few calls on a communicator of its own. */
static void call_elsewhere(int call)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 40; i++) {
        long all = value(call, rank, i);
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, copy);
        compare(call, i, all, sum(call, i));
    }
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    int provided;
    if (argc < 4)
        return 2;
    const bool is_double = strcmp(argv[1], "double") == 0, is_bcast = strcmp(argv[1], "bcast") == 0;
    const int count = atoi(argv[2]), calls = atoi(argv[3]);
    MPI_Init_thread(&argc, &argv, argc > 4 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    void *in = malloc((size_t)count * 8), *out = malloc((size_t)count * 8);
    for (int call = 0; call < calls; call++) {
        if (is_bcast)
            broadcast(count, call, out);
        else
            add_up(is_double, count, call, in, out);
        if (call % 100 == 50)
            call_elsewhere(call);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return failures > 0;
}
