/*
 * test_alloc_mem.c: vectors in memory of MPI_Alloc_mem, on some ranks or on all, of all sizes,
 * freed and taken again. Collectives go from there and to there, blocking and not.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 6, KINDS = 5, IN_FLIGHT = 3 };
enum { ALLREDUCE, ALLREDUCE_IN_PLACE, REDUCE, BCAST, ALLGATHER };

static const char *const names[KINDS] = {"Allreduce", "Allreduce in place", "Reduce", "Bcast",
                                         "Allgather"};
static const int counts[] = {1, 100, 2047, 2048, 2049, 10007, 70001};
static int is_shared = -1;

/* A vector and the memory that it lies in, some way behind its begin. */
struct vector {
    double *at;
    char *memory;
    bool is_mpi;
};

/* Which ranks' vectors are MPI's: by the case's number none, all, the odd ones or the even ones. */
static bool is_by_mpi(unsigned way)
{
    return way % 4 == 1 || (way % 4 == 2 && check_rank() % 2 == 1) ||
           (way % 4 == 3 && check_rank() % 2 == 0);
}

static struct vector make(size_t count, unsigned way)
{
    const size_t skipped = way % 5 * sizeof(double), bytes = count * sizeof(double) + skipped;
    struct vector vector = {.is_mpi = is_by_mpi(way)};
    if (vector.is_mpi)
        check_equal("MPI_Alloc_mem", MPI_SUCCESS,
                    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &vector.memory));
    else
        vector.memory = check_memory(bytes);
    vector.at = (double *)(void *)(vector.memory + skipped);
    return vector;
}

static void drop(const struct vector *vector)
{
    if (vector->is_mpi)
        check_equal("MPI_Free_mem", MPI_SUCCESS, MPI_Free_mem(vector->memory));
    else
        free(vector->memory);
}

static double given(int rank, int i, int round)
{
    return rank * 3 + i % 1001 + round;
}

static double sum_of_all(int i, int round)
{
    const int p = check_size();
    return 3.0 * p * (p - 1) / 2 + (double)p * (i % 1001 + round);
}

static double expected(int kind, int count, int root, int i, int round)
{
    if (kind == BCAST)
        return given(root, i, round);
    return kind == ALLGATHER ? given(i / count, i % count, round) : sum_of_all(i, round);
}

static int begin(int kind, const struct vector *in, const struct vector *out, int count, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    switch (kind) {
    case ALLREDUCE:
        return MPI_Iallreduce(in->at, out->at, count, MPI_DOUBLE, MPI_SUM, comm, request);
    case ALLREDUCE_IN_PLACE:
        return MPI_Iallreduce(MPI_IN_PLACE, out->at, count, MPI_DOUBLE, MPI_SUM, comm, request);
    case REDUCE:
        return MPI_Ireduce(in->at, out->at, count, MPI_DOUBLE, MPI_SUM, root, comm, request);
    case BCAST:
        return MPI_Ibcast(out->at, count, MPI_DOUBLE, root, comm, request);
    default:
        return MPI_Iallgather(in->at, count, MPI_DOUBLE, out->at, count, MPI_DOUBLE, comm, request);
    }
}

static int call(int kind, const struct vector *in, const struct vector *out, int count, int root,
                MPI_Comm comm)
{
    switch (kind) {
    case ALLREDUCE:
        return MPI_Allreduce(in->at, out->at, count, MPI_DOUBLE, MPI_SUM, comm);
    case ALLREDUCE_IN_PLACE:
        return MPI_Allreduce(MPI_IN_PLACE, out->at, count, MPI_DOUBLE, MPI_SUM, comm);
    case REDUCE:
        return MPI_Reduce(in->at, out->at, count, MPI_DOUBLE, MPI_SUM, root, comm);
    case BCAST:
        return MPI_Bcast(out->at, count, MPI_DOUBLE, root, comm);
    default:
        return MPI_Allgather(in->at, count, MPI_DOUBLE, out->at, count, MPI_DOUBLE, comm);
    }
}

static size_t out_length(int kind, int count)
{
    return (size_t)count * (kind == ALLGATHER ? (size_t)check_size() : 1);
}

static void fill(int kind, const struct vector *in, const struct vector *out, int count, int round)
{
    const bool begins_in_out = kind == ALLREDUCE_IN_PLACE || kind == BCAST;
    for (size_t i = 0; i < out_length(kind, count); i++)
        out->at[i] = begins_in_out ? given(check_rank(), (int)i, round) : -1;
    for (int i = 0; i < count; i++)
        in->at[i] = given(check_rank(), i, round);
}

static void look(int kind, const struct vector *in, const struct vector *out, int count, int root,
                 int round)
{
    const bool has_result = kind != REDUCE || check_rank() == root;
    for (size_t i = 0; has_result && i < out_length(kind, count); i++)
        if (out->at[i] != expected(kind, count, root, (int)i, round)) {
            check_fail("round %d: element %zu is %g, not %g", round, i, out->at[i],
                       expected(kind, count, root, (int)i, round));
            break;
        }
    for (int i = 0; i < count; i++)
        if (in->at[i] != given(check_rank(), i, round)) {
            check_fail("round %d: element %d of the input has changed", round, i);
            break;
        }
}

/* What is given and taken changes as soon as a call returns, while others may still be in it. */
static void blocking(int kind, int count, int root, unsigned way, MPI_Comm comm)
{
    const struct vector in = make((size_t)count, way), out = make(out_length(kind, count), way / 4);
    for (int round = 0; round < 4; round++) {
        fill(kind, &in, &out, count, round);
        check_equal("call", MPI_SUCCESS, call(kind, &in, &out, count, root, comm));
        look(kind, &in, &out, count, root, round);
    }
    drop(&in);
    drop(&out);
}

static void nonblocking(int kind, int count, int root, unsigned way, MPI_Comm comm)
{
    struct vector in[IN_FLIGHT], out[IN_FLIGHT];
    MPI_Request requests[IN_FLIGHT];
    for (int i = 0; i < IN_FLIGHT; i++) {
        in[i] = make((size_t)count, way + (unsigned)i);
        out[i] = make(out_length(kind, count), way / 4 + (unsigned)i);
        fill(kind, &in[i], &out[i], count, i);
        check_equal("call", MPI_SUCCESS,
                    begin(kind, &in[i], &out[i], count, root, comm, &requests[i]));
    }
    for (int i = 0; i < IN_FLIGHT; i++)
        check_equal("MPI_Wait", MPI_SUCCESS, MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (int i = 0; i < IN_FLIGHT; i++) {
        look(kind, &in[i], &out[i], count, root, i);
        drop(&in[i]);
        drop(&out[i]);
    }
}

/* Blocks of many sizes taken and given back in another order do not overlap. */
static void many_blocks(void)
{
    enum { BLOCKS = 40 };
    unsigned char *blocks[BLOCKS];
    size_t bytes[BLOCKS];
    for (int round = 0; round < 4; round++) {
        for (int i = round == 0 ? 0 : round % 2; i < BLOCKS; i += round == 0 ? 1 : 2) {
            bytes[i] = check_random(0, (uint64_t)i, check_seed() + (uint64_t)round) % 200000 + 1;
            MPI_Alloc_mem((MPI_Aint)bytes[i], MPI_INFO_NULL, &blocks[i]);
            memset(blocks[i], i, bytes[i]);
        }
        for (int i = 0; i < BLOCKS; i++)
            if (blocks[i][0] != i || blocks[i][bytes[i] - 1] != i)
                check_fail("block %d was written over", i);
        for (int i = (round + 1) % 2; i < BLOCKS && round < 3; i += 2)
            MPI_Free_mem(blocks[i]);
    }
    for (int i = 0; i < BLOCKS; i++)
        MPI_Free_mem(blocks[i]);
}

/* Whether memory is where it is expected to be, before and after MPI_Free_mem and with hints. */
static void places(void)
{
    char *little, *much, *hinted;
    MPI_Info hints;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "some_key", "some value");
    MPI_Alloc_mem(100, MPI_INFO_NULL, &little);
    MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &much);
    MPI_Alloc_mem(1 << 20, hints, &hinted);
    if (is_shared >= 0) {
        check_equal("much is shared", is_shared, check_is_in_file(much + 5000));
        check_equal("little is shared", 0, check_is_in_file(little));
        check_equal("what has hints is shared", 0, check_is_in_file(hinted));
    }
    memset(little, 1, 100);
    memset(much, 1, 1 << 20);
    memset(hinted, 1, 1 << 20);
    MPI_Info_free(&hints);
    MPI_Free_mem(hinted);
    MPI_Free_mem(little);
    MPI_Free_mem(much);
}

static void run(void)
{
    unsigned way = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < WARM; i++)
        MPI_Barrier(comm); /* its ranks share memory from the fourth call on */
    if (check_case("places"))
        places();
    if (check_case("many blocks"))
        many_blocks();
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int i = 0; i < 4; i++, way += 3) {
                const int root = (int)(way % (unsigned)check_size());
                if (check_case("%s, %d, way %u", names[kind], counts[c], way))
                    blocking(kind, counts[c], root, way, comm);
                if (check_case("%s, %d, way %u, not blocking", names[kind], counts[c], way))
                    nonblocking(kind, counts[c], root, way, comm);
            }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"shared", "whether much memory is to be shared, 0 or 1", &is_shared, 0, NULL}};
    static const struct check_program program = {.doc =
                                                     "Checks vectors in memory of MPI_Alloc_mem.",
                                                 .run = run,
                                                 .flags = flags,
                                                 .flag_count = sizeof flags / sizeof *flags};
    return check_main(argc, argv, &program);
}
