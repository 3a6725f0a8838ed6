/* Reductions as calls of MPI, for tests that compute the results themselves: which call, which part
 * of the vector its result is here, and over how many ranks. */
#ifndef ALLFOLD_TEST_FORMS_H
#define ALLFOLD_TEST_FORMS_H

#include "check.h"

#include "algorithms/problem.h"

struct form {
    enum allfold_collective collective;
    bool in_place, is_nonblocking;
    int root;
};

/* Which elements of the vector over how many ranks the result has here. */
struct result {
    size_t first, count;
    int ranks;
};

/* MPI_Reduce_scatter gives the ranks count, 2 count, 0, count, ... elements. */
static size_t scattered_before(int rank, size_t count)
{
    return count * (size_t)(3 * (rank / 3) + (int[]){0, 1, 3}[rank % 3]);
}

static int scattered_to(int rank, int count)
{
    return count * ((rank + 1) % 3);
}

static struct result result_of(const struct form *form, size_t count)
{
    const int rank = check_rank(), p = check_size();
    struct result result = {0, count, p};

    if (form->collective == ALLFOLD_REDUCE_SCATTER_BLOCK)
        result.first = (size_t)rank * count;
    if (form->collective == ALLFOLD_REDUCE_SCATTER)
        result = (struct result){scattered_before(rank, count),
                                 (size_t)scattered_to(rank, (int)count), p};
    if (form->collective == ALLFOLD_REDUCE && rank != form->root)
        result.count = 0;
    if (form->collective == ALLFOLD_SCAN)
        result.ranks = rank + 1;
    if (form->collective == ALLFOLD_EXSCAN)
        result.ranks = rank;
    if (result.ranks == 0)
        result.count = 0;
    return result;
}

/* Elements of a rank's input. */
static size_t vector_length(const struct form *form, size_t count)
{
    const int p = check_size();

    if (form->collective == ALLFOLD_REDUCE_SCATTER)
        return scattered_before(p, count);
    return form->collective == ALLFOLD_REDUCE_SCATTER_BLOCK ? (size_t)p * count : count;
}

/* Counts of MPI_Reduce_scatter. */
static void scatter_counts(int count, int counts[])
{
    for (int r = 0; r < check_size(); r++)
        counts[r] = scattered_to(r, count);
}

enum { MOST_RANKS = 64 };

/* Starts the nonblocking call. */
static int start_call(const struct form *form, const void *in, void *out, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    int counts[MOST_RANKS];

    scatter_counts(count, counts);
    switch (form->collective) {
    case ALLFOLD_ALLREDUCE:
        return MPI_Iallreduce(in, out, count, type, op, comm, request);
    case ALLFOLD_REDUCE:
        return MPI_Ireduce(in, out, count, type, op, form->root, comm, request);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return MPI_Ireduce_scatter_block(in, out, count, type, op, comm, request);
    case ALLFOLD_REDUCE_SCATTER:
        return MPI_Ireduce_scatter(in, out, counts, type, op, comm, request);
    case ALLFOLD_SCAN:
        return MPI_Iscan(in, out, count, type, op, comm, request);
    default:
        return MPI_Iexscan(in, out, count, type, op, comm, request);
    }
}

static int make_call(const struct form *form, const void *in, void *out, int count,
                     MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int counts[MOST_RANKS];

    if (form->is_nonblocking) {
        MPI_Request request = MPI_REQUEST_NULL;
        const int code = start_call(form, in, out, count, type, op, comm, &request);
        return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    scatter_counts(count, counts);
    switch (form->collective) {
    case ALLFOLD_ALLREDUCE:
        return MPI_Allreduce(in, out, count, type, op, comm);
    case ALLFOLD_REDUCE:
        return MPI_Reduce(in, out, count, type, op, form->root, comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(in, out, count, type, op, comm);
    case ALLFOLD_REDUCE_SCATTER:
        return MPI_Reduce_scatter(in, out, counts, type, op, comm);
    case ALLFOLD_SCAN:
        return MPI_Scan(in, out, count, type, op, comm);
    default:
        return MPI_Exscan(in, out, count, type, op, comm);
    }
}

#endif
