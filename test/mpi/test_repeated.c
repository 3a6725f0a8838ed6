/*
 * test_repeated.c: collectives one after the other; each is like the last one or differs from it in
 * one respect. What Allfold remembers of a call must not serve one that it does not fit.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = 300, SEQUENCES = 6, MOST = 9000 };

/* Of the same size, so that nothing but the handle tells them apart. */
enum kind { LONGS, DOUBLES, KINDS };

enum collective { ALLREDUCE, REDUCE, BCAST, COLLECTIVES };

struct call {
    enum collective collective;
    int count, root;
    enum kind kind;
    bool takes_most; /* MPI_MAX; else MPI_SUM */
    bool in_place;   /* this rank's own business; in a broadcast: it calls the elements bytes */
};

static unsigned drawn(uint64_t number, uint64_t what)
{
    return (unsigned)(check_random(what, number, check_seed()) >> 33);
}

/* Changes one respect of a call, or none; the same on all ranks but for being in place. */
static void change(struct call *call, uint64_t number)
{
    static const int counts[] = {0, 1, 7, 8, 100, MOST};
    const unsigned value = drawn(number, 1);
    switch (drawn(number, 0) % 12) {
    case 0:
        call->collective = (enum collective)(value % COLLECTIVES);
        return;
    case 1:
        call->count = counts[value % (sizeof counts / sizeof *counts)];
        return;
    case 2:
        call->root = (int)(value % (unsigned)check_size());
        return;
    case 3:
        call->kind = (enum kind)(value % KINDS);
        return;
    case 4:
        call->takes_most = !call->takes_most;
        return;
    case 5:
        call->in_place = drawn(number, 2 + (uint64_t)check_rank()) % 2 == 0;
        return;
    default:
        return;
    }
}

static long given(uint64_t number, int rank, int i)
{
    return (long)(drawn(number, 100 + (uint64_t)rank) % 1000) + i % 50;
}

static void put(void *buffer, enum kind kind, int i, long value)
{
    if (kind == LONGS)
        ((long *)buffer)[i] = value;
    else
        ((double *)buffer)[i] = (double)value;
}

static long get(const void *buffer, enum kind kind, int i)
{
    return kind == LONGS ? ((const long *)buffer)[i] : (long)((const double *)buffer)[i];
}

static long wanted(const struct call *call, uint64_t number, int i)
{
    long result = given(number, 0, i);
    for (int r = 1; r < check_size(); r++) {
        const long next = given(number, r, i);
        if (!call->takes_most)
            result += next;
        else if (next > result)
            result = next;
    }
    return result;
}

static void run_call(const struct call *call, uint64_t number, void *in, void *out)
{
    const MPI_Datatype datatype = call->kind == LONGS ? MPI_LONG : MPI_DOUBLE;
    const MPI_Op op = call->takes_most ? MPI_MAX : MPI_SUM;
    const bool has_result = call->collective != REDUCE || check_rank() == call->root;
    const bool in_place = call->in_place && has_result;
    for (int i = 0; i < call->count; i++) {
        put(in, call->kind, i, given(number, check_rank(), i));
        put(out, call->kind, i, in_place ? given(number, check_rank(), i) : -1);
    }
    if (call->collective == REDUCE)
        MPI_Reduce(in_place ? MPI_IN_PLACE : in, has_result ? out : NULL, call->count, datatype, op,
                   call->root, MPI_COMM_WORLD);
    else
        MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, call->count, datatype, op, MPI_COMM_WORLD);
    for (int i = 0; i < call->count; i++)
        if (has_result)
            check_equal("result", wanted(call, number, i), get(out, call->kind, i));
}

static void broadcast(const struct call *call, uint64_t number, void *buffer)
{
    const MPI_Datatype datatype = call->kind == LONGS ? MPI_LONG : MPI_DOUBLE;
    const bool sends = check_rank() == call->root;
    for (int i = 0; i < call->count; i++)
        put(buffer, call->kind, i, sends ? given(number, call->root, i) : -1);
    if (call->in_place)
        MPI_Bcast(buffer, call->count * (int)sizeof(double), MPI_BYTE, call->root, MPI_COMM_WORLD);
    else
        MPI_Bcast(buffer, call->count, datatype, call->root, MPI_COMM_WORLD);
    for (int i = 0; i < call->count; i++)
        check_equal("what was sent", given(number, call->root, i), get(buffer, call->kind, i));
}

static void leave(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)count, (void)datatype;
}

/* Elements of no bytes, between others. */
static void reduce_nothing(void)
{
    MPI_Datatype empty;
    MPI_Op op;
    long in = 3, out = 5;
    MPI_Type_contiguous(0, MPI_LONG, &empty);
    MPI_Type_commit(&empty);
    MPI_Op_create(leave, 1, &op);
    MPI_Allreduce(&in, &out, 4, empty, op, MPI_COMM_WORLD);
    check_equal("what is not touched", 5, out);
    MPI_Op_free(&op);
    MPI_Type_free(&empty);
}

static void sequence(void)
{
    struct call call = {.count = 1};
    void *buffers[4];
    for (int i = 0; i < 4; i++)
        buffers[i] = check_memory(MOST * sizeof(double));
    for (uint64_t number = 0; number < CALLS; number++) {
        change(&call, number);
        /* other buffers now and then, on each rank as it likes */
        const unsigned which = drawn(number, 50 + (uint64_t)check_rank()) % 2;
        if (call.collective == BCAST)
            broadcast(&call, number, buffers[which]);
        else
            run_call(&call, number, buffers[which], buffers[2 + which]);
        if (number % 20 == 11)
            reduce_nothing();
    }
    for (int i = 0; i < 4; i++)
        free(buffers[i]);
}

/* --- blocks of any lengths --- */

enum { MOST_RANKS = 64, LONGEST = 40, ROOM = MOST_RANKS * (MOST_RANKS + 1) * LONGEST / 2 };

/* What the next call is: its counts are 0, 1, 2, ... times `length`, turned by some ranks. */
struct blocks {
    bool gathers, has_gaps, in_place;
    int turn, length;
};

/* As MPI gets them: the same arrays, whatever they hold. */
static int counts[MOST_RANKS], places[MOST_RANKS];

static void change_blocks(struct blocks *blocks, uint64_t number)
{
    const unsigned value = drawn(number, 1);
    switch (drawn(number, 0) % 10) {
    case 0:
        blocks->gathers = !blocks->gathers;
        return;
    case 1:
        blocks->has_gaps = !blocks->has_gaps;
        return;
    case 2:
        blocks->in_place = !blocks->in_place;
        return;
    case 3:
    case 4:
        blocks->turn = (int)(value % (unsigned)check_size());
        return;
    case 5:
        blocks->length = (int)(value % LONGEST);
        return;
    default:
        return;
    }
}

/* Returns how many elements all blocks have. */
static int lay_out(const struct blocks *blocks)
{
    int total = 0;
    for (int r = 0; r < check_size(); r++) {
        counts[r] = (r + blocks->turn) % check_size() * blocks->length;
        places[r] = total + (blocks->has_gaps ? 2 * r : 0);
        total += counts[r];
    }
    return total;
}

static void gather_blocks(const struct blocks *blocks, uint64_t number, long *in, long *out)
{
    const int rank = check_rank(), p = check_size();
    for (int i = 0; i < places[p - 1] + counts[p - 1]; i++)
        out[i] = -1;
    for (int i = 0; i < counts[rank]; i++)
        (blocks->in_place ? out + places[rank] : in)[i] = given(number, rank, i);
    MPI_Allgatherv(blocks->in_place ? MPI_IN_PLACE : in, counts[rank], MPI_LONG, out, counts,
                   places, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < p; r++) {
        for (int i = 0; i < counts[r]; i++)
            check_equal("what was given", given(number, r, i), out[places[r] + i]);
        for (int i = places[r] + counts[r]; r < p - 1 && i < places[r + 1]; i++)
            check_equal("what is between", -1, out[i]);
    }
}

static void scatter_blocks(const struct blocks *blocks, uint64_t number, int total, long *in,
                           long *out)
{
    const struct call sum = {.takes_most = false};
    int begin = 0;
    for (int r = 0; r < check_rank(); r++)
        begin += counts[r];
    for (int i = 0; i < total; i++)
        (blocks->in_place ? out : in)[i] = given(number, check_rank(), i);
    MPI_Reduce_scatter(blocks->in_place ? MPI_IN_PLACE : in, out, counts, MPI_LONG, MPI_SUM,
                       MPI_COMM_WORLD);
    for (int i = 0; i < counts[check_rank()]; i++)
        check_equal("sum", wanted(&sum, number, begin + i), out[i]);
}

static void blocks_sequence(void)
{
    struct blocks blocks = {.length = 1};
    long *in = check_memory(ROOM * sizeof *in), *out = check_memory(ROOM * sizeof *out);
    for (uint64_t number = 0; number < CALLS; number++) {
        change_blocks(&blocks, number);
        const int total = lay_out(&blocks);
        if (blocks.gathers)
            gather_blocks(&blocks, number, in, out);
        else
            scatter_blocks(&blocks, number, total, in, out);
    }
    free(in);
    free(out);
}

static void run(void)
{
    for (int i = 0; i < SEQUENCES; i++) {
        if (check_case("sequence %d", i))
            sequence();
        if (check_case("sequence %d of blocks", i))
            blocks_sequence();
    }
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks collectives that are like the last one, or nearly.",
        .run = run,
        .raises_none = true,
        .least_ranks = 2};
    return check_main(argc, argv, &program);
}
