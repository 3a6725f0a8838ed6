/*
 * test_large.c: vectors of more than 2^31 bytes and elements, which MPI-3 cannot count with an int:
 * a broadcast, one of a type with gaps, and through allfold.h an allreduce, an allgather and a
 * reduction by blocks. Takes about 5 GB on 2
 * ranks; skipped where the machine has not twice that free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allfold.h"
#include "check.h"

enum { ELEMENTS = 290000000 }; /* doubles: 2.32e9 bytes */
static const size_t MANY_BYTES = 2300000000u;

static double value_of(size_t i)
{
    return (double)(i % 1000003);
}

static void check_doubles(const double *data, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++)
        if (data[i * stride] != value_of(i)) {
            check_fail("element %zu is %g instead of %g", i, data[i * stride], value_of(i));
            return;
        }
}

static void test_bcast(int root)
{
    double *data = malloc(ELEMENTS * sizeof *data);
    if (!check_case("Bcast of %d doubles, root %d", ELEMENTS, root) || data == NULL)
        return;
    for (size_t i = 0; i < ELEMENTS; i++)
        data[i] = check_rank() == root ? value_of(i) : -1;
    MPI_Bcast(data, ELEMENTS, MPI_DOUBLE, root, MPI_COMM_WORLD);
    check_doubles(data, ELEMENTS, 1);
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

static void test_allreduce(void)
{
    unsigned char *data = malloc(MANY_BYTES);
    if (!check_case("allfold_allreduce of %zu bytes, in place", MANY_BYTES) || data == NULL)
        return;
    for (size_t i = 0; i < MANY_BYTES; i++)
        data[i] = (unsigned char)(i % (size_t)check_size() == (size_t)check_rank() ? i % 251 : 0);
    const int error =
        allfold_allreduce(MPI_IN_PLACE, data, MANY_BYTES, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    size_t wrong = 0;
    for (size_t i = 0; i < MANY_BYTES; i++)
        wrong += data[i] != i % 251;
    check_equal("return code", MPI_SUCCESS, error);
    check_equal("wrong elements", 0, (long long)wrong);
    free(data);
}

/* Each rank's block, at its place, and the other blocks cleared. */
static void fill_block(unsigned char *data, size_t block, bool everywhere)
{
    const size_t p = (size_t)check_size(), me = (size_t)check_rank();
    for (size_t i = 0; i < p * block; i++)
        data[i] = (unsigned char)(everywhere || i / block == me ? i % 251 : 0);
}

static void test_allgather(void)
{
    const size_t block = MANY_BYTES / (size_t)check_size();
    unsigned char *data = malloc(MANY_BYTES);
    if (!check_case("allfold_allgather of %zu bytes, in place", MANY_BYTES) || data == NULL)
        return;
    fill_block(data, block, false);
    const int error = allfold_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, block, MPI_BYTE,
                                        MPI_COMM_WORLD);
    size_t wrong = 0;
    for (size_t i = 0; i < (size_t)check_size() * block; i++)
        wrong += data[i] != i % 251;
    check_equal("return code", MPI_SUCCESS, error);
    check_equal("wrong elements", 0, (long long)wrong);
    free(data);
}

static void test_reduce_scatter_block(void)
{
    const size_t block = MANY_BYTES / (size_t)check_size();
    unsigned char *data = malloc(MANY_BYTES);
    if (!check_case("allfold_reduce_scatter_block of %zu bytes, in place", MANY_BYTES) ||
        data == NULL)
        return;
    fill_block(data, block, true);
    const int error =
        allfold_reduce_scatter_block(MPI_IN_PLACE, data, block, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD);
    size_t wrong = 0;
    for (size_t i = 0; i < block; i++)
        wrong += data[i] != ((size_t)check_rank() * block + i) % 251;
    check_equal("return code", MPI_SUCCESS, error);
    check_equal("wrong elements", 0, (long long)wrong);
    free(data);
}

static void run(void)
{
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
