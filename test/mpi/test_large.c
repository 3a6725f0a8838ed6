/*
 * test_large.c: vectors of more than 2^31 bytes and elements, which MPI-3 cannot count with an int.
 * There are a broadcast, one of a type with gaps, and through allfold.h an allreduce, an allgather
 * and a reduction by blocks. Takes about 5 GB on 2 ranks; skipped if the machine has less than
 * twice as much free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allfold.h"
#include "check.h"

enum { ELEMENTS = 290000000 }; /* doubles: 2.32e9 bytes */
static const size_t MANY_BYTES = 2300000000u;

/* Data repeats itself after this number of elements: a prime, so that no power of two in an offset
 * is missed. It is filled and compared by periods: a division for each element takes minutes. */
enum { PERIOD = 1000003 };

static void repeat(char *data, size_t bytes, const void *period, size_t period_bytes)
{
    for (size_t at = 0; at < bytes; at += period_bytes)
        memcpy(data + at, period, bytes - at < period_bytes ? bytes - at : period_bytes);
}

static long long periods_wrong(const char *data, size_t bytes, const void *period,
                               size_t period_bytes)
{
    long long wrong = 0;
    for (size_t at = 0; at < bytes; at += period_bytes) {
        const size_t rest = bytes - at < period_bytes ? bytes - at : period_bytes;
        wrong += memcmp(data + at, period, rest) != 0;
    }
    return wrong;
}

static void test_bcast(int root)
{
    static double period[PERIOD];
    const size_t bytes = ELEMENTS * sizeof *period;
    char *data = malloc(bytes);
    if (!check_case("Bcast of %d doubles, root %d", ELEMENTS, root) || data == NULL)
        return;
    for (size_t i = 0; i < PERIOD; i++)
        period[i] = (double)i;
    if (check_rank() == root)
        repeat(data, bytes, period, sizeof period);
    else
        memset(data, -1, bytes);
    MPI_Bcast(data, ELEMENTS, MPI_DOUBLE, root, MPI_COMM_WORLD);
    check_equal("wrong periods", 0, periods_wrong(data, bytes, period, sizeof period));
    free(data);
}

/* One float of every two: over 2^31 bytes in memory, half of that when it travels. */
static void test_bcast_with_gaps(void)
{
    enum { PAIRS = 275000000 };
    MPI_Datatype strided;
    float *data = calloc(2 * (size_t)PAIRS, sizeof *data);
    if (!check_case("Bcast of %d floats with gaps", PAIRS) || data == NULL)
        return;
    for (size_t i = 0; i < PAIRS && check_rank() == 0; i++)
        data[2 * i] = (float)(i % 65536);
    MPI_Type_create_resized(MPI_FLOAT, 0, 8, &strided);
    MPI_Type_commit(&strided);
    MPI_Bcast(data, PAIRS, strided, 0, MPI_COMM_WORLD);
    size_t wrong = 0;
    for (size_t i = 0; i < PAIRS; i++)
        wrong += data[2 * i] != (float)(i % 65536) || data[2 * i + 1] != 0;
    check_equal("wrong elements", 0, (long long)wrong);
    MPI_Type_free(&strided);
    free(data);
}

static unsigned char bytes_period[PERIOD]; /* the bytes that are to come out */

/* Of each byte of the period, one rank has it and the others have 0. */
static void test_allreduce(void)
{
    static unsigned char mine[PERIOD];
    char *data = malloc(MANY_BYTES);
    if (!check_case("allfold_allreduce of %zu bytes, in place", MANY_BYTES) || data == NULL)
        return;
    for (size_t i = 0; i < PERIOD; i++)
        mine[i] = (int)(i % (size_t)check_size()) == check_rank() ? bytes_period[i] : 0;
    repeat(data, MANY_BYTES, mine, PERIOD);
    const int error =
        allfold_allreduce(MPI_IN_PLACE, data, MANY_BYTES, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    check_equal("return code", MPI_SUCCESS, error);
    check_equal("wrong periods", 0, periods_wrong(data, MANY_BYTES, bytes_period, PERIOD));
    free(data);
}

static void test_allgather(void)
{
    const size_t p = (size_t)check_size(), me = (size_t)check_rank(), block = MANY_BYTES / p;
    char *data = calloc(p, block);
    if (!check_case("allfold_allgather of %zu bytes, in place", MANY_BYTES) || data == NULL)
        return;
    repeat(data + me * block, block, bytes_period, PERIOD);
    const int error = allfold_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, block, MPI_BYTE,
                                        MPI_COMM_WORLD);
    long long wrong = 0;
    for (size_t r = 0; r < p; r++)
        wrong += periods_wrong(data + r * block, block, bytes_period, PERIOD);
    check_equal("return code", MPI_SUCCESS, error);
    check_equal("wrong periods", 0, wrong);
    free(data);
}

/* Each rank's block begins where another period would be within it, so no block is like another. */
static void test_reduce_scatter_block(void)
{
    const size_t block = MANY_BYTES / (size_t)check_size();
    const size_t first = (size_t)check_rank() * block % PERIOD;
    char *data = malloc(MANY_BYTES);
    if (!check_case("allfold_reduce_scatter_block of %zu bytes, in place", MANY_BYTES) ||
        data == NULL)
        return;
    repeat(data, MANY_BYTES, bytes_period, PERIOD);
    const int error =
        allfold_reduce_scatter_block(MPI_IN_PLACE, data, block, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD);
    long long wrong = memcmp(data, bytes_period + first, PERIOD - first) != 0;
    wrong += periods_wrong(data + PERIOD - first, block - (PERIOD - first), bytes_period, PERIOD);
    check_equal("return code", MPI_SUCCESS, error);
    check_equal("wrong periods", 0, wrong);
    free(data);
}

static void run(void)
{
    for (size_t i = 0; i < PERIOD; i++)
        bytes_period[i] = (unsigned char)(i % 251);
    test_bcast(check_size() - 1);
    test_bcast_with_gaps();
    test_allreduce();
    test_allgather();
    test_reduce_scatter_block();
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks vectors of more than 2^31 bytes.",
        .run = run,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 2,
    };
    const double free_bytes = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (free_bytes < 12e9) {
        printf("skipped: only %.1f GB of memory are free, 12 are wanted\n", free_bytes / 1e9);
        return CHECK_SKIPPED;
    }
    return check_main(argc, argv, &program);
}
