/*
 * test_same_bits.c: after MPI_Allreduce the results of all ranks are bitwise identical, also where
 * the sum depends on the order in which it is formed. Numbers of very different magnitude and sign
 * make nearly every order give another result.
 *
 * The bits are compared by MPI_Allgather. That the sum is right is checked too, within the bound of
 * any order.
 */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A floating type, by its size only: comparisons are of bytes, arithmetic is done in long double.
 */
struct real {
    const char *name;
    MPI_Datatype type;
    size_t bytes;
    int exponents; /* magnitudes go from 1 to 2^exponents */
    double epsilon;
};

static const struct real reals[] = {
    {"double", MPI_DOUBLE, sizeof(double), 60, DBL_EPSILON},
    {"float", MPI_FLOAT, sizeof(float), 30, (double)FLT_EPSILON},
};

static double get(const struct real *real, const unsigned char *buffer, int i)
{
    double wide;
    float narrow;

    if (real->bytes == sizeof wide) {
        memcpy(&wide, buffer + (size_t)i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, buffer + (size_t)i * sizeof narrow, sizeof narrow);
    return (double)narrow;
}

static void put(const struct real *real, unsigned char *buffer, int i, double value)
{
    float narrow = (float)value;
    const void *from = real->bytes == sizeof narrow ? (const void *)&narrow : (const void *)&value;
    memcpy(buffer + (size_t)i * real->bytes, from, real->bytes);
}

/* The mantissa has as many bits as a float, so both types hold it exactly. */
static double input(const struct real *real, int rank, int i)
{
    uint64_t random = check_random((uint64_t)rank, (uint64_t)i, check_seed());
    double mantissa = (double)((random >> 40) | 1) / 0x1p24 + 1e-3;
    double value = ldexp((double)(float)mantissa, (int)(random % (uint64_t)real->exponents));
    return random >> 20 & 1 ? -value : value;
}

/* Any order of p - 1 additions is off by at most (p - 1) epsilon sum |x|. */
static void check_sum(const struct real *real, const unsigned char *result, int count)
{
    for (int i = 0; i < count; i++) {
        long double sum = 0, magnitude = 0;
        for (int r = 0; r < check_size(); r++) {
            long double value = (long double)input(real, r, i);
            sum += value;
            magnitude += fabsl(value);
        }
        long double bound = (long double)real->epsilon * check_size() * magnitude;
        double got = get(real, result, i);
        if (!(fabsl((long double)got - sum) <= bound))
            check_fail("element %d of %d: expected %.17Lg within %Lg, got %.17g", i, count, sum,
                       bound, got);
    }
}

/* all: the results of all ranks, one after the other. */
static void check_bits(const struct real *real, const unsigned char *all, int count)
{
    size_t bytes = (size_t)count * real->bytes;

    for (int r = 1; r < check_size(); r++) {
        const unsigned char *other = all + (size_t)r * bytes;
        if (!memcmp(all, other, bytes))
            continue;
        int i = 0;
        while (!memcmp(all + (size_t)i * real->bytes, other + (size_t)i * real->bytes, real->bytes))
            i++;
        check_fail("element %d of %d: rank 0 got %a, rank %d got %a", i, count, get(real, all, i),
                   r, get(real, other, i));
    }
}

static void test_size(const struct real *real, int count, bool in_place)
{
    size_t bytes = (size_t)count * real->bytes;
    unsigned char *send = check_memory(bytes), *receive = check_memory(bytes);
    unsigned char *all = check_memory(bytes * (size_t)check_size());

    memset(receive, 0, bytes);
    for (int i = 0; i < count; i++)
        put(real, in_place ? receive : send, i, input(real, check_rank(), i));
    int code = MPI_Allreduce(in_place ? MPI_IN_PLACE : send, receive, count, real->type, MPI_SUM,
                             MPI_COMM_WORLD);
    check_equal("code of MPI_Allreduce", MPI_SUCCESS, code);
    MPI_Allgather(receive, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    check_bits(real, all, count);
    check_sum(real, receive, count);
    free(send);
    free(receive);
    free(all);
}

/* NaN of many payloads and signs, and infinities among numbers. */
static double special(int rank, int i)
{
    const uint64_t random = check_random((uint64_t)rank, (uint64_t)i, check_seed());
    const uint64_t nan = (uint64_t)0x7ff8 << 48 | random >> 20 << 3 | random << 63;
    double value = (double)(int)(random % 1000) - 500;

    if (random >> 60 == 0)
        memcpy(&value, &nan, sizeof value);
    else if (random >> 60 == 1)
        value = random & 1 ? (double)INFINITY : -(double)INFINITY;
    return value;
}

/* Which NaN results from several ones is left open; that there is one is the same on all ranks, and
 * so are the bits of all else. */
static void check_specials(const struct real *real, unsigned char *all, int count)
{
    int nans = 0;

    for (int r = 0; r < check_size(); r++)
        for (int i = 0; i < count; i++)
            if (isnan(get(real, all, r * count + i))) {
                put(real, all, r * count + i, (double)NAN);
                nans += r == 0;
            }
    check_bits(real, all, count);
    if (count > 1000 && nans == 0)
        check_fail("there is no NaN among %d elements", count);
}

static void test_specials(const struct real *real, int count, MPI_Op op)
{
    size_t bytes = (size_t)count * real->bytes;
    unsigned char *send = check_memory(bytes), *receive = check_memory(bytes);
    unsigned char *all = check_memory(bytes * (size_t)check_size());

    for (int i = 0; i < count; i++)
        put(real, send, i, special(check_rank(), i));
    check_equal("code of MPI_Allreduce", MPI_SUCCESS,
                MPI_Allreduce(send, receive, count, real->type, op, MPI_COMM_WORLD));
    MPI_Allgather(receive, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    check_specials(real, all, count);
    free(send);
    free(receive);
    free(all);
}

/* Sizes grow by about 5/4 and are odd as often as even. */
static void run(void)
{
    for (size_t t = 0; t < sizeof reals / sizeof reals[0]; t++)
        for (int count = 1; count < 150000; count += 1 + count / 4)
            for (int in_place = 0; in_place < 2; in_place++)
                if (check_case("Allreduce sum %s, count %d%s", reals[t].name, count,
                               in_place ? ", in place" : ""))
                    test_size(&reals[t], count, in_place);
    for (size_t t = 0; t < sizeof reals / sizeof reals[0]; t++)
        for (int count = 1; count < 20000; count += 1 + count / 2)
            for (int product = 0; product < 2; product++)
                if (check_case("Allreduce %s of special %s, count %d", product ? "product" : "sum",
                               reals[t].name, count))
                    test_specials(&reals[t], count, product ? MPI_PROD : MPI_SUM);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks that all ranks get the same bits from MPI_Allreduce of floating-point sums.",
        .run = run,
        .raises_none = true,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
