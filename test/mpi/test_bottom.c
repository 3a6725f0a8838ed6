/*
 * test_bottom.c: MPI_BOTTOM. Elements lie at absolute addresses that differ with the rank, and the
 * buffer's address, 0, is a good one.
 */
#include "check.h"

#include <stdlib.h>

enum { BLOCK = 2, STRIDE = 5, MOST = 1000, CELLS = MOST * STRIDE };

static const int counts[] = {0, 1, 3, MOST};
static const char *const names[] = {"Allreduce in place", "Reduce", "Bcast"};
enum { ALLREDUCE, REDUCE, BCAST, CALLS };

/* Elements of two blocks with a gap between, or of one without gaps. */
static MPI_Datatype type_at(int *cells, bool has_gap)
{
    const int lengths[2] = {BLOCK, has_gap ? BLOCK : STRIDE - BLOCK};
    MPI_Aint places[2];
    MPI_Datatype type;

    MPI_Get_address(cells, &places[0]);
    MPI_Get_address(cells + STRIDE - lengths[1], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static bool is_gap(int cell, bool has_gap)
{
    return has_gap && cell % STRIDE == BLOCK;
}

/* The sum of what two vectors have at the type's addresses from theirs on. */
static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint first, extent;
    int bytes;

    MPI_Type_get_extent(*type, &first, &extent);
    MPI_Type_size(*type, &bytes);
    const bool has_gap = bytes != (int)extent;
    const int *from = (const int *)((uintptr_t)in + (uintptr_t)first);
    int *to = (int *)((uintptr_t)inout + (uintptr_t)first);
    for (int i = 0; i < *count * STRIDE; i++)
        if (!is_gap(i, has_gap))
            to[i] += from[i];
}

static int before(int rank, int cell)
{
    return 100 * rank + cell;
}

/* What a rank has in a cell afterwards. */
static int after(int call, int count, int root, bool has_gap, int cell)
{
    const int p = check_size(), own = before(check_rank(), cell);

    if (cell >= count * STRIDE || is_gap(cell, has_gap))
        return own;
    if (call == BCAST)
        return before(root, cell);
    if (call == REDUCE && check_rank() != root)
        return own;
    return 100 * (p * (p - 1) / 2) + p * cell;
}

static int call_mpi(int call, int count, int root, MPI_Datatype type, MPI_Op op)
{
    if (call == ALLREDUCE)
        return MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, count, type, op, MPI_COMM_WORLD);
    if (call == BCAST)
        return MPI_Bcast(MPI_BOTTOM, count, type, root, MPI_COMM_WORLD);
    return MPI_Reduce(check_rank() == root ? MPI_IN_PLACE : MPI_BOTTOM,
                      check_rank() == root ? MPI_BOTTOM : NULL, count, type, op, root,
                      MPI_COMM_WORLD);
}

static void test_call(int call, int count, int root, bool has_gap, MPI_Op op)
{
    int *cells = malloc(CELLS * sizeof *cells);
    MPI_Datatype type = type_at(cells, has_gap);
    int wrong = 0;

    for (int i = 0; i < CELLS; i++)
        cells[i] = before(check_rank(), i);
    const int error = call_mpi(call, count, root, type, op);
    for (int i = 0; i < CELLS; i++)
        wrong += cells[i] != after(call, count, root, has_gap, i);
    if (error != MPI_SUCCESS || wrong > 0)
        check_fail("error %d, %d cells are wrong", error, wrong);
    MPI_Type_free(&type);
    free(cells);
}

static void run(void)
{
    for (int commutes = 0; commutes < 2; commutes++) {
        MPI_Op op;
        MPI_Op_create(sum, commutes, &op);
        for (int call = 0; call < CALLS; call++)
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
                for (int has_gap = 0; has_gap < 2; has_gap++)
                    for (int root = 0; root < (call == ALLREDUCE ? 1 : check_size()); root++)
                        if (check_case("%s, count %d, root %d, %s, the operation %s", names[call],
                                       counts[c], root, has_gap ? "a gap" : "no gap",
                                       commutes ? "commutes" : "does not commute"))
                            test_call(call, counts[c], root, has_gap, op);
        MPI_Op_free(&op);
    }
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks MPI_Allreduce, MPI_Reduce and MPI_Bcast from and to MPI_BOTTOM, with types "
               "of absolute addresses and operations of the user.",
        .run = run,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
