/* Kernels against MPI_Reduce_local, in one run: each type and operation that MPI allows, with
 * operands in the nearest cache and in memory. Rounds of the two alternate. Prints GB/s of ours
 * (read and written), and the medians of the rounds' ratios, ours / theirs: more than 1 is faster.
 * One rank. Arguments: [--csv]. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"

enum { ROUNDS = 15, LEVELS = 3, LARGEST = 32 << 20 };

static const struct {
    const char *name;
    size_t bytes;
} levels[LEVELS] = {{"8 KB", 8 << 10}, {"256 KB", 256 << 10}, {"32 MB", LARGEST}};

static const struct {
    MPI_Datatype datatype;
    enum allfold_type type;
} types[] = {
    {MPI_INT8_T, ALLFOLD_INT8},
    {MPI_UINT8_T, ALLFOLD_UINT8},
    {MPI_INT16_T, ALLFOLD_INT16},
    {MPI_UINT16_T, ALLFOLD_UINT16},
    {MPI_INT32_T, ALLFOLD_INT32},
    {MPI_UINT32_T, ALLFOLD_UINT32},
    {MPI_INT64_T, ALLFOLD_INT64},
    {MPI_UINT64_T, ALLFOLD_UINT64},
    {MPI_C_BOOL, ALLFOLD_BOOL},
    {MPI_BYTE, ALLFOLD_BYTE},
    {MPI_FLOAT, ALLFOLD_FLOAT},
    {MPI_DOUBLE, ALLFOLD_DOUBLE},
    {MPI_LONG_DOUBLE, ALLFOLD_LONG_DOUBLE},
    {MPI_C_FLOAT_COMPLEX, ALLFOLD_COMPLEX_FLOAT},
    {MPI_C_DOUBLE_COMPLEX, ALLFOLD_COMPLEX_DOUBLE},
    {MPI_C_LONG_DOUBLE_COMPLEX, ALLFOLD_COMPLEX_LONG_DOUBLE},
    {MPI_FLOAT_INT, ALLFOLD_FLOAT_INT},
    {MPI_DOUBLE_INT, ALLFOLD_DOUBLE_INT},
    {MPI_LONG_INT, ALLFOLD_LONG_INT},
    {MPI_2INT, ALLFOLD_INT_INT},
    {MPI_SHORT_INT, ALLFOLD_SHORT_INT},
    {MPI_LONG_DOUBLE_INT, ALLFOLD_LONG_DOUBLE_INT},
    {MPI_2REAL, ALLFOLD_FLOAT_FLOAT},
    {MPI_2DOUBLE_PRECISION, ALLFOLD_DOUBLE_DOUBLE},
};

static unsigned char *left, *right, *start;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    return values[ROUNDS / 2];
}

/* Numbers between 1/2 and 2 as floats and as doubles, and any as integers. Long double has its own
 * numbers, because most of its bit patterns are none. Which one of a pair is the greater is
 * random. */
static void fill(unsigned char *to, bool is_long_double, uint32_t random)
{
    for (size_t at = 0; at < LARGEST; at += 2 * sizeof(uint64_t)) {
        uint32_t words[4];
        for (int i = 0; i < 4; i++) {
            random = random * 1664525u + 1013904223u;
            words[i] = i % 2 ? 0x3fe80000u | random >> 30 << 14 : 0x3f400000u | random >> 12;
        }
        const long double value = 1 + (long double)(words[0] & 255) / 1024;
        memcpy(to + at, words, sizeof words);
        if (is_long_double)
            memcpy(to + at, &value, sizeof value);
    }
}

/* right = left o right, some times; bytes a second, read and written. */
static double rate(allfold_kernel *kernel, size_t type_bytes, MPI_Datatype datatype, MPI_Op op,
                   size_t bytes)
{
    const size_t calls = ((size_t)1 << 19) / bytes + 1, count = bytes / type_bytes;
    memcpy(right, start, bytes); /* products of products would end in infinities */
    double seconds = MPI_Wtime();
    for (size_t i = 0; i < calls; i++)
        if (kernel != NULL)
            kernel(right, left, right, count);
        else
            MPI_Reduce_local(left, right, (int)count, datatype, op);
    seconds = MPI_Wtime() - seconds;
    return (double)(3 * bytes * calls) / seconds;
}

static void measure(size_t t, enum allfold_operation operation, MPI_Op op, int csv)
{
    allfold_kernel *kernel = allfold_kernel_find(types[t].type, operation);
    const size_t type_bytes = allfold_type_bytes(types[t].type);
    const char *format = csv ? "%s,%s" : "%-20s %-8s";
    printf(format, allfold_type_name(types[t].type), allfold_operation_name(operation));
    for (int level = 0; level < LEVELS; level++) {
        double ours[ROUNDS], ratios[ROUNDS];
        const size_t bytes = levels[level].bytes;
        for (int i = 0; i < ROUNDS; i++) {
            ours[i] = rate(kernel, type_bytes, types[t].datatype, op, bytes);
            ratios[i] = ours[i] / rate(NULL, type_bytes, types[t].datatype, op, bytes);
        }
        printf(csv ? ",%.2f,%.3f" : " %8.1f (%5.2f)", 1e-9 * median(ours), median(ratios));
    }
    printf("\n");
    fflush(stdout);
}

static void print_head(int csv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    if (csv)
        printf("type,operation");
    else
        printf("Allfold %s, kernels: %s; %.*s; GB/s of ours (ours / MPI_Reduce_local)\n%-29s",
               ALLFOLD_VERSION, allfold_simd_used(), (int)strcspn(version, ",\n"), version, "");
    for (int i = 0; i < LEVELS; i++)
        printf(csv ? ",%s_gb_s,%s_ratio" : " %16s", levels[i].name, levels[i].name);
    printf("\n");
}

int main(int argc, char **argv)
{
    const MPI_Op operations[ALLFOLD_OPERATION_COUNT] = {
        [ALLFOLD_SUM] = MPI_SUM,   [ALLFOLD_PROD] = MPI_PROD,     [ALLFOLD_MAX] = MPI_MAX,
        [ALLFOLD_MIN] = MPI_MIN,   [ALLFOLD_LAND] = MPI_LAND,     [ALLFOLD_LOR] = MPI_LOR,
        [ALLFOLD_LXOR] = MPI_LXOR, [ALLFOLD_BAND] = MPI_BAND,     [ALLFOLD_BOR] = MPI_BOR,
        [ALLFOLD_BXOR] = MPI_BXOR, [ALLFOLD_MAXLOC] = MPI_MAXLOC, [ALLFOLD_MINLOC] = MPI_MINLOC,
    };
    const int csv = argc == 2 && strcmp(argv[1], "--csv") == 0;
    MPI_Init(&argc, &argv);
    left = malloc(LARGEST);
    right = malloc(LARGEST);
    start = malloc(LARGEST);
    if (left == NULL || right == NULL || start == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    print_head(csv);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const bool is_long_double = strstr(allfold_type_name(types[t].type), "long_double") != NULL;
        fill(left, is_long_double, 1);
        fill(start, is_long_double, 2);
        for (enum allfold_operation o = 0; o < ALLFOLD_OPERATION_COUNT; o++)
            if (allfold_kernel_find(types[t].type, o) != NULL)
                measure(t, o, operations[o], csv);
    }
    MPI_Finalize();
    return 0;
}
