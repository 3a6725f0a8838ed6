/*
 * big_counts.c: the collectives whose counts are MPI_Count, once in each form; with wrong results
 * it fails, and without such functions it is skipped. For test_big_counts.sh.
 */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
enum { COUNT = 3, MOST_RANKS = 16 };

static int rank, p, errors;

static void expect(const char *form, const char *what, const int *values, int count, int first,
                   int step)
{
    for (int i = 0; i < count; i++)
        if (values[i] != first + step * i) {
            fprintf(stderr, "rank %d: %s %s: element %d is %d, expected %d\n", rank, form, what, i,
                    values[i], first + step * i);
            errors++;
        }
}

/* The blocking form of a collective, the nonblocking one, and the persistent one started twice. */
enum { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
static const char *const form_names[FORMS] = {"blocking", "nonblocking", "persistent"};

static void finish(int form, MPI_Request *request)
{
    for (int start = 0; form == PERSISTENT && start < 2; start++) {
        MPI_Start(request);
        if (start == 0)
            MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (form != BLOCKING)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT)
        MPI_Request_free(request);
}

/* Calls one of the three forms of NAME with these arguments, and waits for it. */
#define CALL(form, name, iname, ...)                                                               \
    do {                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        if ((form) == BLOCKING)                                                                    \
            MPI_##name##_c(__VA_ARGS__);                                                           \
        else if ((form) == NONBLOCKING)                                                            \
            MPI_##iname##_c(__VA_ARGS__, &request);                                                \
        else                                                                                       \
            MPI_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request);                             \
        finish(form, &request);                                                                    \
    } while (0)

static void call_all(int form)
{
    int in[COUNT * MOST_RANKS], out[COUNT * MOST_RANKS];
    const MPI_Count n = COUNT;
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int ranks = p * (p - 1) / 2;
    for (int i = 0; i < COUNT * p; i++)
        in[i] = rank + i;
    CALL(form, Allreduce, Iallreduce, in, out, n, MPI_INT, MPI_SUM, comm);
    expect(form_names[form], "allreduce", out, COUNT, ranks, p);
    CALL(form, Reduce, Ireduce, in, out, n, MPI_INT, MPI_SUM, p - 1, comm);
    if (rank == p - 1)
        expect(form_names[form], "reduce", out, COUNT, ranks, p);
    CALL(form, Reduce_scatter_block, Ireduce_scatter_block, in, out, n, MPI_INT, MPI_SUM, comm);
    expect(form_names[form], "reduce_scatter_block", out, COUNT, ranks + p * COUNT * rank, p);
    for (int i = 0; i < COUNT; i++)
        in[i] = COUNT * rank + i;
    CALL(form, Allgather, Iallgather, in, n, MPI_INT, out, n, MPI_INT, comm);
    expect(form_names[form], "allgather", out, COUNT * p, 0, 1);
    /* blocks of 1, 2, 3, 1, 2, ... elements, gathered to where those of 3 would be */
    MPI_Count counts[MOST_RANKS];
    MPI_Aint displs[MOST_RANKS];
    int begin = 0;
    for (int r = 0; r < p; r++) {
        counts[r] = 1 + r % COUNT;
        displs[r] = (MPI_Aint)COUNT * r;
        begin += r < rank ? (int)counts[r] : 0;
    }
    CALL(form, Allgatherv, Iallgatherv, in, counts[rank], MPI_INT, out, counts, displs, MPI_INT,
         comm);
    for (int r = 0; r < p; r++)
        expect(form_names[form], "allgatherv", out + COUNT * r, (int)counts[r], COUNT * r, 1);
    for (int i = 0; i < COUNT * p; i++)
        in[i] = rank + i;
    CALL(form, Reduce_scatter, Ireduce_scatter, in, out, counts, MPI_INT, MPI_SUM, comm);
    expect(form_names[form], "reduce_scatter", out, (int)counts[rank], ranks + p * begin, p);
    for (int i = 0; i < COUNT; i++)
        in[i] = COUNT * rank + i;
    CALL(form, Bcast, Ibcast, in, n, MPI_INT, 0, comm);
    expect(form_names[form], "bcast", in, COUNT, 0, 1);
}
#endif

int main(int argc, char **argv)
{
    enum { SKIPPED = 77 };
    int result = SKIPPED;
    MPI_Init(&argc, &argv);
#if MPI_VERSION >= 4
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int form = 0; form < FORMS; form++)
        call_all(form);
    result = errors > 0;
#endif
    MPI_Finalize();
    return result;
}
