/*
 * test_check.c: calls that differ between the ranks are errors on all of them
 * (ALLFOLD_TIMEOUT=check). The text names who called what, and later calls are right again. Calls
 * that differ in nothing that matters are no errors.
 *
 * Linked with the library, of which it calls allfold.h.
 */
#include "check.h"

#include <stdint.h>
#include <string.h>

#include "allfold.h"

enum { MOST = 64 };

static MPI_Comm comm;
static int in[MOST], out[MOST * 16];

/* A call, one way or another; the last rank makes another one than all others. */
struct call {
    enum {
        ALLREDUCE,
        REDUCE,
        BCAST,
        SCATTER,
        GATHER,
        SCATTER_COUNTS,
        GATHER_COUNTS,
        BARRIER,
        IALLREDUCE,
        PLAN
    } kind;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    int root;
};

static int complete(int code, MPI_Request *request)
{
    return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code;
}

enum { MOST_RANKS = 8 };
static int block_counts[MOST_RANKS], block_displs[MOST_RANKS];

/* Blocks of count, 0, 1, 0, 1, ... elements, with a gap behind each. */
static void lay_out(const struct call *c)
{
    for (int i = 0; i < MOST_RANKS; i++) {
        block_counts[i] = i == 0 ? c->count : i % 2 == 0;
        block_displs[i] = i * 2;
    }
}

static int make(const struct call *c)
{
    MPI_Request request;
    struct allfold_plan *plan;
    switch (c->kind) {
    case ALLREDUCE:
        return MPI_Allreduce(in, out, c->count, c->type, c->op, comm);
    case REDUCE:
        return MPI_Reduce(in, out, c->count, c->type, c->op, c->root, comm);
    case BCAST:
        return MPI_Bcast(out, c->count, c->type, c->root, comm);
    case SCATTER:
        return MPI_Reduce_scatter_block(in, out, c->count, c->type, c->op, comm);
    case GATHER:
        return MPI_Allgather(in, c->count, c->type, out, c->count, c->type, comm);
    case SCATTER_COUNTS:
        lay_out(c);
        return MPI_Reduce_scatter(in, out, block_counts, c->type, c->op, comm);
    case GATHER_COUNTS:
        lay_out(c);
        return MPI_Allgatherv(in, block_counts[check_rank()] + c->root, c->type, out, block_counts,
                              block_displs, c->type, comm);
    case BARRIER:
        return MPI_Barrier(comm);
    case IALLREDUCE:
        return complete(MPI_Iallreduce(in, out, c->count, c->type, c->op, comm, &request),
                        &request);
    default:
        break;
    }
    const int code = allfold_allreduce_init(in, out, (size_t)c->count, c->type, c->op, comm, &plan);
    return code == MPI_SUCCESS ? allfold_plan_free(&plan) : code;
}

/* Fails unless the error's text has all parts, which a 0 ends. */
static void expect_text(int code, const char *const *parts)
{
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int length;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    for (; *parts != NULL; parts++)
        if (strstr(text, *parts) == NULL)
            check_fail("expected an error with '%s', got: %s", *parts, text);
}

/* A right call; what came before must not have left anything behind. */
static void sum_once(void)
{
    int mine = check_rank() + 1, sum = -1;
    MPI_Request request;
    check_equal("code of a sum", MPI_SUCCESS,
                MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    check_equal("sum", check_size() * (check_size() + 1) / 2, sum);
    sum = -1;
    check_equal(
        "code of a nonblocking sum", MPI_SUCCESS,
        complete(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request), &request));
    check_equal("nonblocking sum", check_size() * (check_size() + 1) / 2, sum);
}

static void expect_mismatch(const char *name, struct call most, struct call last, const char *first,
                            const char *second)
{
    const int is_last = check_rank() == check_size() - 1;
    const char *const parts[] = {"calls differ", first, second, NULL};
    if (!check_case("%s", name))
        return;
    expect_text(make(is_last ? &last : &most), parts);
    sum_once();
}

static void test_mismatches(void)
{
    const struct call sum = {ALLREDUCE, 5, MPI_INT, MPI_SUM, 0};
    const struct call bcast = {BCAST, 5, MPI_INT, MPI_OP_NULL, 0};
    const struct call isum = {IALLREDUCE, 5, MPI_INT, MPI_SUM, 0};
    const struct call plan = {PLAN, 5, MPI_INT, MPI_SUM, 0};
    const struct call gather = {GATHER, 2, MPI_INT, MPI_OP_NULL, 0};
    struct call other = sum;
    other.count = 6;
    expect_mismatch("counts", sum, other, "MPI_Allreduce of 5 x MPI_INT, sum",
                    "MPI_Allreduce of 6 x MPI_INT, sum");
    other.count = -1;
    expect_mismatch("a negative count", sum, other, "MPI_Allreduce of 5 x MPI_INT, sum",
                    "MPI_Allreduce of -1 x MPI_INT, sum");
    other = sum;
    other.op = MPI_MAX;
    expect_mismatch("operations", sum, other, "5 x MPI_INT, sum", "5 x MPI_INT, max");
    other = sum;
    other.type = MPI_FLOAT;
    expect_mismatch("types", sum, other, "5 x MPI_INT, sum", "5 x MPI_FLOAT, sum");
    other = bcast;
    other.root = 1;
    expect_mismatch("roots", bcast, other, "MPI_Bcast of 5 x MPI_INT, root 0",
                    "MPI_Bcast of 5 x MPI_INT, root 1");
    other = sum;
    other.kind = REDUCE;
    expect_mismatch("collectives", sum, other, "MPI_Allreduce of 5", "MPI_Reduce of 5");
    other.kind = SCATTER;
    expect_mismatch("blocks", other, sum, "MPI_Reduce_scatter_block of 5", "MPI_Allreduce of 5");
    other.kind = BARRIER;
    expect_mismatch("a barrier", sum, other, "MPI_Allreduce of 5", "MPI_Barrier, as call ");
    other = gather;
    other.count = 3;
    expect_mismatch("gathered blocks", gather, other, "MPI_Allgather of 2", "MPI_Allgather of 3");
    const struct call scatter = {SCATTER_COUNTS, 2, MPI_INT, MPI_SUM, 0};
    other = scatter;
    other.count = 1;
    expect_mismatch("counts of blocks", scatter, other, "MPI_Reduce_scatter of ",
                    " x MPI_INT in blocks of 1, 0");
    other = scatter;
    other.kind = GATHER_COUNTS;
    expect_mismatch("collectives of blocks", scatter, other, "MPI_Reduce_scatter of ",
                    "MPI_Allgatherv of ");
    const struct call gathered = other;
    other.root = 1; /* one element more than its block has */
    expect_mismatch("what is sent", gathered, other, "MPI_Allgatherv of ",
                    "and another signature to send");
    expect_mismatch("ways", sum, isum, "MPI_Allreduce of 5", "MPI_Iallreduce of 5");
    other = isum;
    other.count = 7;
    expect_mismatch("nonblocking", isum, other, "MPI_Iallreduce of 5", "MPI_Iallreduce of 7");
    other = plan;
    other.op = MPI_BXOR;
    expect_mismatch("plans", plan, other, "MPI_Allreduce_init of 5 x MPI_INT, sum",
                    "MPI_Allreduce_init of 5 x MPI_INT, bxor");
}

/* More different calls than a message tells of. */
static void test_all_different(void)
{
    const char *const parts[] = {"calls differ", "rank 0: MPI_Allreduce of 1 ",
                                 "rank 1: MPI_Allreduce of 2 ", NULL};
    const struct call mine = {ALLREDUCE, 1 + check_rank(), MPI_INT, MPI_SUM, 0};
    if (!check_case("all ranks differ"))
        return;
    expect_text(make(&mine), parts);
    sum_once();
}

/* Two are in flight, of which the first one differs. */
static void test_two_in_flight(void)
{
    const int is_last = check_rank() == check_size() - 1;
    const char *const parts[] = {"calls differ", "MPI_Iallreduce of 1 x", "MPI_Iallreduce of 2 x",
                                 NULL};
    int mine[2] = {1, 1}, wrong[2], right = -1;
    MPI_Request requests[2];
    if (!check_case("two in flight"))
        return;
    MPI_Iallreduce(mine, wrong, is_last ? 2 : 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Iallreduce(mine, &right, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    check_equal("code of the second one", MPI_SUCCESS, MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    check_equal("its sum", check_size(), right);
    expect_text(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), parts);
    sum_once();
}

/* Six integers, two doubles: laid out otherwise on each rank. */
static void make_types(MPI_Datatype *types, int *counts, int *count)
{
    const int lengths[] = {2, 2, 4}, places[] = {0, 3, 7};
    const MPI_Aint at[] = {32, 0, 8};
    const MPI_Datatype parts[] = {MPI_INT, MPI_INT32_T, MPI_INT};
    MPI_Datatype three;
    *count = 4;
    types[0] = MPI_INT;
    counts[0] = 8;
    MPI_Type_contiguous(4, MPI_INT, &types[1]);
    counts[1] = 2;
    MPI_Type_contiguous(2, MPI_INT32_T, &three);
    MPI_Type_vector(4, 1, 2, three, &types[2]);
    MPI_Type_free(&three);
    counts[2] = 1;
    if (check_size() % 2)
        MPI_Type_create_struct(3, lengths, at, parts, &types[3]);
    else
        MPI_Type_indexed(3, lengths, places, MPI_INT, &types[3]);
    counts[3] = 1;
    for (int i = 1; i < *count; i++)
        MPI_Type_commit(&types[i]);
}

static void first_of_two(void *from, void *to, int *count, MPI_Datatype *type)
{
    (void)from, (void)to, (void)count, (void)type;
}

static void test_alike(void)
{
    MPI_Datatype types[4];
    MPI_Op op;
    int counts[4], count, bytes;
    if (!check_case("other types of the same signature"))
        return;
    make_types(types, counts, &count);
    for (int turn = 0; turn < count; turn++) {
        const int i = (check_rank() + turn) % count;
        check_equal("code of a broadcast", MPI_SUCCESS,
                    MPI_Bcast(out, counts[i], types[i], 0, comm));
        check_equal("code of an allgather", MPI_SUCCESS,
                    MPI_Allgather(in, counts[i], types[i], out, 8, MPI_INT, comm));
        MPI_Type_size(types[i], &bytes);
        check_equal("bytes", 8 * (int)sizeof(int), counts[i] * bytes);
    }
    MPI_Op_create(first_of_two, 0, &op);
    check_equal("code of an own operation", MPI_SUCCESS,
                MPI_Allreduce(in, out, 3, MPI_INT, op, comm));
    MPI_Op_free(&op);
    for (int i = 1; i < count; i++)
        MPI_Type_free(&types[i]);
    sum_once();
}

/* Four integers and four floats are not eight integers, wherever they lie. */
static void test_same_layout(void)
{
    const int lengths[] = {4, 4};
    const MPI_Aint at[] = {0, 16};
    const MPI_Datatype parts[] = {MPI_INT, MPI_FLOAT};
    const int is_last = check_rank() == check_size() - 1;
    const char *const texts[] = {"calls differ", "8 x MPI_INT", "1 x a derived type of 32 bytes",
                                 NULL};
    MPI_Datatype mixed;
    if (!check_case("another signature of the same layout"))
        return;
    MPI_Type_create_struct(2, lengths, at, parts, &mixed);
    MPI_Type_commit(&mixed);
    expect_text(MPI_Bcast(out, is_last ? 1 : 8, is_last ? mixed : MPI_INT, 0, comm), texts);
    MPI_Type_free(&mixed);
    sum_once();
}

static void run(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sum_once();
    test_alike();
    test_mismatches();
    test_all_different();
    test_two_in_flight();
    test_same_layout();
    test_alike();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks that calls which differ between ranks are reported.",
        .run = run,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
