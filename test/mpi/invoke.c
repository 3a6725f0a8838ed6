/*
 * invoke.c: the calls of MPI; see invoke.h.
 *
 * A barrier has no buffers: there the latest entry of all ranks must come before each one's return.
 * They are compared by messages, and with a clock that is the same for all ranks of a machine.
 */
#include "invoke.h"

#include <time.h>

enum { TAG_TIMES = 4712 };

static int allreduce(const struct call *call, const struct arguments *a)
{
    return MPI_Allreduce(a->send, a->receive, a->count, a->type, call->op, call->comm);
}

static int reduce(const struct call *call, const struct arguments *a)
{
    return MPI_Reduce(a->send, a->receive, a->count, a->type, call->op, call->root, call->comm);
}

static int bcast(const struct call *call, const struct arguments *a)
{
    return MPI_Bcast(a->receive, a->count, a->type, call->root, call->comm);
}

static int reduce_scatter_block(const struct call *call, const struct arguments *a)
{
    return MPI_Reduce_scatter_block(a->send, a->receive, a->count, a->type, call->op, call->comm);
}

static int allgather(const struct call *call, const struct arguments *a)
{
    return MPI_Allgather(a->send, a->send_count, a->send_type, a->receive, a->count, a->type,
                         call->comm);
}

static int reduce_scatter(const struct call *call, const struct arguments *a)
{
    return MPI_Reduce_scatter(a->send, a->receive, a->counts, a->type, call->op, call->comm);
}

static int allgatherv(const struct call *call, const struct arguments *a)
{
    return MPI_Allgatherv(a->send, call_count(call, call->self), a->send_type, a->receive,
                          a->counts, a->displs, a->type, call->comm);
}

static int scan(const struct call *call, const struct arguments *a)
{
    return MPI_Scan(a->send, a->receive, a->count, a->type, call->op, call->comm);
}

static int exscan(const struct call *call, const struct arguments *a)
{
    return MPI_Exscan(a->send, a->receive, a->count, a->type, call->op, call->comm);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The largest of all ranks' numbers: a round exchanges with the ranks at twice the distance of the
 * round before. */
static double latest(double mine, MPI_Comm comm)
{
    int p, r;
    double other = 0;

    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &r);
    for (int d = 1; d < p; d *= 2) {
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (r + d) % p, TAG_TIMES, &other, 1, MPI_DOUBLE,
                     (r + p - d) % p, TAG_TIMES, comm, MPI_STATUS_IGNORE);
        mine = other > mine ? other : mine;
    }
    return mine;
}

/* One of the ranks comes late. */
static int barrier(const struct call *call, const struct arguments *a)
{
    const struct timespec late = {0, 300000 + (long)(call->seed >> 20 & 0xfffff)};
    int between;

    (void)a;
    MPI_Comm_test_inter(call->comm, &between);
    if (call->seed % (uint64_t)call->contributors == (uint64_t)call->self)
        nanosleep(&late, NULL);
    double entered_s = now_s();
    int code = MPI_Barrier(call->comm);
    double left_s = now_s();
    if (!between && !call->error) {
        entered_s = latest(entered_s, call->comm);
        if (left_s < entered_s)
            check_fail("left %.0f us before all had entered", 1e6 * (entered_s - left_s));
    }
    return code;
}

int invoke(const struct call *call, const struct arguments *arguments)
{
    static int (*const functions[COLLECTIVES])(const struct call *, const struct arguments *) = {
        [ALLREDUCE] = allreduce,
        [REDUCE] = reduce,
        [BCAST] = bcast,
        [REDUCE_SCATTER_BLOCK] = reduce_scatter_block,
        [REDUCE_SCATTER] = reduce_scatter,
        [ALLGATHER] = allgather,
        [ALLGATHERV] = allgatherv,
        [BARRIER] = barrier,
        [SCAN] = scan,
        [EXSCAN] = exscan,
    };
    return functions[call->collective](call, arguments);
}
