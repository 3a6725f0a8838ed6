/* Sums that round differently in every order, and the bits that come out. If two runs are bitwise
 * identical, they added in the same order, whoever did it. No check by itself; test_export.sh
 * compares.
 *
 *     sums COLLECTIVE BYTES...    a line for each size: the collective, the bytes, and a number of
 *                                 the bits of all ranks, or "differs" where calls do, or "error"
 *
 * Where nothing is added (bcast, allgather, barrier), the line tells whether the calls succeed. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPI libraries may look at the first calls on a communicator before they make up their minds. */
enum { CALLS = 12 };

static int rank, ranks;

/* Numbers whose sums lose digits all the time. */
static void fill(double *numbers, int count)
{
    uint64_t state = 88172645463325252u + (uint64_t)rank * 1000003u;
    for (int i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers[i] = ldexp((double)(int64_t)state, (int)(state % 40) - 80);
    }
}

static int call(const char *name, double *in, double *out, int count)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    if (strcmp(name, "allreduce") == 0)
        return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    if (strcmp(name, "reduce") == 0)
        return MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    if (strcmp(name, "reduce_scatter_block") == 0)
        return MPI_Reduce_scatter_block(in, out, count / ranks, MPI_DOUBLE, MPI_SUM, comm);
    if (strcmp(name, "bcast") == 0)
        return MPI_Bcast(out, count, MPI_DOUBLE, 0, comm);
    if (strcmp(name, "allgather") == 0)
        return MPI_Allgather(in, count / ranks, MPI_DOUBLE, out, count / ranks, MPI_DOUBLE, comm);
    return MPI_Barrier(comm);
}

static uint64_t bits_of(const double *numbers, int count)
{
    uint64_t bits = 14695981039346656037u + (uint64_t)rank;
    for (int i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        bits = (bits ^ word) * 1099511628211u;
    }
    return bits;
}

/* The line of one size, on rank 0. */
static void add_up(const char *name, int bytes)
{
    const int count = bytes / (int)sizeof(double);
    double *in = calloc((size_t)count + 1, sizeof *in);
    double *out = calloc((size_t)count + 1, sizeof *out);
    uint64_t first = 0, all;
    int failed = 0, differs = 0, results[2];
    for (int i = 0; i < CALLS; i++) {
        fill(in, count);
        memset(out, 0, (size_t)count * sizeof *out);
        failed |= call(name, in, out, count) != MPI_SUCCESS;
        const uint64_t bits = bits_of(out, count);
        differs |= i > 0 && bits != first;
        first = i == 0 ? bits : first;
    }
    PMPI_Reduce(&first, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    PMPI_Reduce((int[]){failed, differs}, results, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && (results[0] || results[1]))
        printf("%s %d %s\n", name, bytes, results[0] ? "error" : "differs");
    else if (rank == 0)
        printf("%s %d %016llx\n", name, bytes, (unsigned long long)all);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 2; i < argc; i++)
        add_up(argv[1], atoi(argv[i]));
    MPI_Finalize();
    return 0;
}
