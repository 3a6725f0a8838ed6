/* A job that is not of one piece: the program starts two more processes of its own, merges with
 * them, and reduces over all. The new ones need not run Allfold. Rank 0 of the first ones prints
 * "N passed, N failed". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHILDREN = 2, CALLS = 12 };

static int passed, failed;

static void expect(int is_right)
{
    *(is_right ? &passed : &failed) += 1;
}

/* Sums and broadcasts over a communicator, with counts that are short and long. */
static void reduce_over(MPI_Comm comm)
{
    static double in[5000], out[5000];
    int p, r;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (int call = 0; call < CALLS; call++) {
        const int count = call % 2 == 0 ? 1 : 5000;
        for (int i = 0; i < count; i++)
            in[i] = r + i + call;
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
        int is_right = 1;
        for (int i = 0; i < count; i++)
            is_right &= out[i] == p * (p - 1) / 2.0 + (double)p * (i + call);
        expect(is_right);
        int token = r == call % p ? call : -1;
        MPI_Bcast(&token, 1, MPI_INT, call % p, comm);
        expect(token == call);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parents, merged, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    const int is_child = parents != MPI_COMM_NULL;
    if (is_child) {
        MPI_Intercomm_merge(parents, 1, &merged);
    } else {
        reduce_over(MPI_COMM_WORLD);
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parents,
                       MPI_ERRCODES_IGNORE);
        MPI_Intercomm_merge(parents, 0, &merged);
    }
    reduce_over(merged);
    reduce_over(MPI_COMM_WORLD);
    MPI_Comm_dup(merged, &both);
    reduce_over(both);
    int rank, all_failed = 0;
    MPI_Allreduce(&failed, &all_failed, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_rank(merged, &rank);
    if (rank == 0)
        printf("%d passed, %d failed\n", passed, all_failed);
    MPI_Comm_free(&both);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&parents);
    MPI_Finalize();
    return all_failed > 0;
}
