/*
 * test_differing.c: calls in which ranks differ in all that MPI lets them: in place at the root of
 * a reduction or on some ranks of a scan, the types that describe one signature, where blocks lie,
 * the buffers' addresses, and when ranks come. Whatever an option of `allfold run` makes of some of
 * these calls, it makes it on all ranks. If not, a rank waits for ever.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 700, SHIFTS = 8, GAP = 3 };

static int call_count = 600;

static int64_t *memory, *other; /* room for a vector of each rank, and gaps */

/* What a rank has in an element for a call. */
static int64_t value(int rank, int call, int element)
{
    return 1000003 * (rank + 1) + 97 * (int64_t)call + element;
}

static int64_t sum_of(int ranks, int call, int element)
{
    int64_t sum = 0;
    for (int r = 0; r < ranks; r++)
        sum += value(r, call, element);
    return sum;
}

static bool is_every(int call, int every)
{
    return call % every == 0;
}

/* Ranks come at times that only they know. */
static void come_late(int call)
{
    if (check_random((uint64_t)check_rank(), (uint64_t)call, check_seed()) % 64 == 0)
        usleep(200);
}

static int64_t *shifted(int64_t *from, int call)
{
    return from + (call + 3 * check_rank()) % SHIFTS;
}

static void expect_at(int64_t expected, int64_t got, int call, int element)
{
    if (expected != got)
        check_fail("call %d, element %d: %lld, expected %lld", call, element, (long long)got,
                   (long long)expected);
}

static void give(int64_t *to, int n, int call)
{
    for (int i = 0; i < n; i++)
        to[i] = value(check_rank(), call, i);
}

/* --- calls --- */

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int64_t *from = in;
    int64_t *to = inout;
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *count * bytes / (int)sizeof *to; i++)
        to[i] += from[i];
}

static void reduce(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    const bool is_root = check_rank() == root, in_place = is_root && is_every(call, 3);
    give(in_place ? out : in, n, call);
    MPI_Reduce(in_place ? MPI_IN_PLACE : in, is_root ? out : NULL, n, MPI_INT64_T, op, root, comm);
    for (int i = 0; i < n && is_root; i++)
        expect_at(sum_of(check_size(), call, i), out[i], call, i);
}

static void allreduce(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    const bool in_place = is_every(call, 3);
    (void)root;
    give(in_place ? out : in, n, call);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT64_T, op, comm);
    for (int i = 0; i < n; i++)
        expect_at(sum_of(check_size(), call, i), out[i], call, i);
}

static void scan(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    const bool in_place = is_every(call + check_rank(), 3);
    (void)root;
    give(in_place ? out : in, n, call);
    MPI_Scan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT64_T, op, comm);
    for (int i = 0; i < n; i++)
        expect_at(sum_of(check_rank() + 1, call, i), out[i], call, i);
}

static void exscan(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    const bool in_place = is_every(call + check_rank(), 3);
    (void)root;
    give(in_place ? out : in, n, call);
    MPI_Exscan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT64_T, op, comm);
    for (int i = 0; i < n && check_rank() > 0; i++)
        expect_at(sum_of(check_rank(), call, i), out[i], call, i);
}

static void reduce_scatter_block(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    const bool in_place = is_every(call, 3);
    const int p = check_size();
    (void)root;
    give(in_place ? out : in, p * n, call);
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT64_T, op, comm);
    for (int i = 0; i < n; i++)
        expect_at(sum_of(p, call, check_rank() * n + i), out[i], call, i);
}

/* A type of n elements that lie in a row, or with gaps at both ends. */
static MPI_Datatype type_of(int n, bool has_gaps)
{
    MPI_Datatype gapped, type;
    const MPI_Aint bytes = sizeof(int64_t);
    if (!has_gaps) {
        MPI_Type_contiguous(n, MPI_INT64_T, &type);
    } else {
        const MPI_Aint place = GAP * bytes;
        MPI_Type_create_hindexed(1, &n, &place, MPI_INT64_T, &gapped);
        MPI_Type_create_resized(gapped, 0, (n + 2 * GAP) * bytes, &type);
        MPI_Type_free(&gapped);
    }
    MPI_Type_commit(&type);
    return type;
}

/* How a rank describes its data in a call: elements, one type of all, or one with gaps. Nothing is
 * no element, or one of a type of none. */
enum shape { ELEMENTS, WHOLE, GAPS, SHAPES };

static enum shape shape_of(int call)
{
    const int shape = (call + check_rank()) % 7;
    return shape >= SHAPES ? ELEMENTS : (enum shape)shape;
}

static MPI_Datatype described(enum shape shape, int n)
{
    return shape == ELEMENTS ? MPI_INT64_T : type_of(n, shape == GAPS);
}

static void forget(enum shape shape, MPI_Datatype *type)
{
    if (shape != ELEMENTS)
        MPI_Type_free(type);
}

/* Where block r begins. */
static int64_t *block(int64_t *of, enum shape shape, int n, int r)
{
    return shape == GAPS ? of + r * (n + 2 * GAP) + GAP : of + r * n;
}

static void bcast(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    const enum shape shape = shape_of(call);
    int64_t *buffer = shifted(memory, call);
    MPI_Datatype type = described(shape, n);
    (void)op;
    if (check_rank() == root)
        give(block(buffer, shape, n, 0), n, call);
    MPI_Bcast(buffer, shape == ELEMENTS ? n : 1, type, root, comm);
    for (int i = 0; i < n; i++)
        expect_at(value(root, call, i), block(buffer, shape, n, 0)[i], call, i);
    forget(shape, &type);
}

static void expect_blocks(int64_t *out, enum shape shape, int n, int call)
{
    for (int r = 0; r < check_size(); r++)
        for (int i = 0; i < n; i++)
            expect_at(value(r, call, i), block(out, shape, n, r)[i], call, r * n + i);
}

static void allgather(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    const enum shape shape = shape_of(call), sends = shape_of(call / 3);
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    MPI_Datatype type = described(shape, n), sent = described(sends, n);
    const bool in_place = is_every(call, 5);
    (void)root, (void)op;
    give(in_place ? block(out, shape, n, check_rank()) : block(in, sends, n, 0), n, call);
    MPI_Allgather(in_place ? MPI_IN_PLACE : in, sends == ELEMENTS ? n : 1, sent, out,
                  shape == ELEMENTS ? n : 1, type, comm);
    expect_blocks(out, shape, n, call);
    forget(shape, &type);
    forget(sends, &sent);
}

/* One rank has a buffer that begins at 0, as its types have addresses. */
static void allgather_bottom(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    int64_t *in = shifted(memory, call), *out = shifted(other, call + 1);
    const MPI_Aint bytes = (MPI_Aint)sizeof(int64_t);
    MPI_Aint at[2];
    MPI_Datatype types[2], whole;
    (void)op;
    give(in, n, call);
    if (check_rank() != root || n == 0) {
        MPI_Allgather(in, n, MPI_INT64_T, out, n, MPI_INT64_T, comm);
    } else {
        MPI_Get_address(in, &at[0]);
        MPI_Get_address(out, &at[1]);
        for (int i = 0; i < 2; i++) {
            MPI_Type_create_hindexed(1, &n, &at[i], MPI_INT64_T, &whole);
            MPI_Type_create_resized(whole, at[i], n * bytes, &types[i]);
            MPI_Type_commit(&types[i]);
            MPI_Type_free(&whole);
        }
        MPI_Allgather(MPI_BOTTOM, 1, types[0], MPI_BOTTOM, 1, types[1], comm);
        for (int i = 0; i < 2; i++)
            MPI_Type_free(&types[i]);
    }
    expect_blocks(out, ELEMENTS, n, call);
}

/* Blocks lie in a row, or on some ranks apart; one rank sends what lies where `out` begins. */
static void allgatherv(MPI_Comm comm, int call, int n, int root, MPI_Op op)
{
    const int p = check_size(), apart = is_every(call + check_rank(), 3) ? GAP : 0;
    const bool begins_alike = is_every(call + check_rank(), 4);
    int64_t *out = shifted(other, call + 1), *in = begins_alike ? out : shifted(memory, call);
    int *counts = check_memory(2 * (size_t)p * sizeof *counts), *places = counts + p;
    (void)root, (void)op;
    for (int r = 0, at = begins_alike ? n + p : 0; r < p; r++) {
        counts[r] = n + r;
        places[r] = at;
        at += counts[r] + apart;
    }
    give(in, counts[check_rank()], call);
    MPI_Allgatherv(in, counts[check_rank()], MPI_INT64_T, out, counts, places, MPI_INT64_T, comm);
    for (int r = 0; r < p; r++)
        for (int i = 0; i < counts[r]; i++)
            expect_at(value(r, call, i), out[places[r] + i], call, i);
    free(counts);
}

typedef void call_function(MPI_Comm comm, int call, int n, int root, MPI_Op op);

static const struct {
    const char *name;
    call_function *call;
    bool reduces;
} calls[] = {{"Reduce", reduce, true},
             {"Allreduce", allreduce, true},
             {"Scan", scan, true},
             {"Exscan", exscan, true},
             {"Reduce_scatter_block", reduce_scatter_block, true},
             {"Bcast", bcast, false},
             {"Allgather", allgather, false},
             {"Allgather from MPI_BOTTOM", allgather_bottom, false},
             {"Allgatherv", allgatherv, false}};

enum { CALLS = sizeof calls / sizeof *calls };

/* --- cases --- */

static void run_one_kind(int kind, int n, MPI_Op op)
{
    for (int i = 0; i < call_count; i++) {
        come_late(i);
        calls[kind].call(MPI_COMM_WORLD, i, n, check_size() - 1, op);
    }
}

/* More shapes than are kept, and some that come again. */
static void run_mixed(MPI_Comm comm, int count, MPI_Op op)
{
    for (int i = 0; i < count; i++) {
        const uint64_t random = check_random(0, (uint64_t)i, check_seed());
        const int n =
            random % 3 == 0 ? 1 + (int)(random / 64 % (MOST - 100)) : 1 << random / 64 % 9;
        come_late(i);
        calls[random / 8 % CALLS].call(comm, i, n, (int)(random / 4096 % (uint64_t)check_size()),
                                       op);
    }
}

static void run_on_communicators(MPI_Op op)
{
    enum { COMMUNICATORS = 20, EACH = 40 };
    for (int i = 0; i < COMMUNICATORS; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        run_mixed(comm, EACH, op);
        MPI_Comm_free(&comm);
    }
}

static void run(void)
{
    static const int lengths[] = {0, 1, MOST - 100}; /* native functions hang at 0 */
    const size_t room = ((size_t)check_size() * (MOST + 2 * GAP) + SHIFTS) * 2 * sizeof *memory;
    MPI_Op own;
    memory = check_memory(room);
    other = check_memory(room);
    MPI_Op_create(add, 1, &own);
    for (int kind = 0; kind < CALLS; kind++)
        for (int l = 0; l < (int)(sizeof lengths / sizeof *lengths); l++)
            for (int is_own = 0; is_own < 1 + calls[kind].reduces; is_own++)
                if (check_case("MPI_%s of %d%s", calls[kind].name, lengths[l],
                               is_own ? ", an operation of the program" : ""))
                    run_one_kind(kind, lengths[l], is_own ? own : MPI_SUM);
    if (check_case("calls of all kinds"))
        run_mixed(MPI_COMM_WORLD, 5 * call_count, MPI_SUM);
    if (check_case("calls of all kinds, an operation of the program"))
        run_mixed(MPI_COMM_WORLD, call_count, own);
    if (check_case("calls on communicators that come and go"))
        run_on_communicators(MPI_SUM);
    MPI_Op_free(&own);
    free(memory);
    free(other);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"calls", "N calls of a kind (default 600)", &call_count, 1, NULL}};
    static const struct check_program program = {
        .doc = "Checks collectives in whose calls ranks differ in all that MPI lets them.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
