/* A program that counts how often results differ in their bits from those of the PMPI_ functions,
 * which are native under `allfold run`. Rank 0 prints "compared N differ M", of its own results.
 * Not compared, and therefore not counted, are exact reductions, calls in which rank 0 has no
 * result, types with padding, and operations of the program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 40, LONGEST = 3000, SPARE = 64, SIXTEEN = 16 };

static int p, rank, compared, differ;
static double in[LONGEST * SPARE], ours[LONGEST], native[LONGEST];
static long double sixteen[SIXTEEN], sixteen_out[SIXTEEN];

static void fill(int call, int n)
{
    srand((unsigned)(call * 1000 + rank + 1));
    for (int i = 0; i < n * p; i++)
        in[i] = ((double)rand() / RAND_MAX - 0.5) * (rand() % 3 == 0 ? 1e9 : 1);
}

static void count(int n)
{
    compared++;
    differ += memcmp(ours, native, (size_t)n * sizeof *ours) != 0;
}

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *n; i += 2)
        ((double *)to)[i] += ((double *)from)[i];
}

/* The bytes between the values of the results differ from the native ones. */
static void call_with_gaps(int n)
{
    MPI_Datatype every_second;
    MPI_Op own;
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &every_second);
    MPI_Type_commit(&every_second);
    MPI_Op_create(add, 1, &own);
    for (int i = 0; i < LONGEST; i++)
        ours[i] = rank - i;
    MPI_Allreduce(in, ours, n / 2, every_second, own, MPI_COMM_WORLD);
    MPI_Allreduce(in, ours, n / 2, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Allreduce(sixteen, sixteen_out, SIXTEEN, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Op_free(&own);
    MPI_Type_free(&every_second);
}

static void call_all(int call, int n)
{
    const int root = call % p;
    MPI_Allreduce(in, ours, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(in, native, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    count(n);
    memcpy(ours, in, (size_t)n * sizeof *ours);
    MPI_Allreduce(MPI_IN_PLACE, ours, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    PMPI_Allreduce(in, native, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    count(n);
    MPI_Reduce(in, ours, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    PMPI_Reduce(in, native, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    if (root == 0)
        count(n);
    MPI_Reduce_scatter_block(in, ours, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Reduce_scatter_block(in, native, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    count(n);
    MPI_Scan(in, ours, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Scan(in, native, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    count(n);
    MPI_Exscan(in, ours, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* rank 0 has no result */
    MPI_Allreduce(in, ours, n, MPI_LONG, MPI_BXOR, MPI_COMM_WORLD);
    call_with_gaps(n);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (p > SPARE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int call = 0; call < CALLS; call++) {
        static const int lengths[] = {1, 7, 500, LONGEST};
        fill(call, lengths[call % 4]);
        call_all(call, lengths[call % 4]);
    }
    if (rank == 0)
        printf("compared %d differ %d\n", compared, differ);
    MPI_Finalize();
    return 0;
}
