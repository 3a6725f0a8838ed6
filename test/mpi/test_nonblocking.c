/*
 * test_nonblocking.c: nonblocking and persistent collectives among messages of all kinds, several
 * in flight on each of two communicators. Each of MPI's completion functions completes some. Some
 * ranks wait for messages of others, which wait for a collective.
 */
#include "calls.h"

#include <stdio.h>
#include <string.h>

enum { JOBS = 7, MESSAGES = 2, REQUESTS = JOBS + MESSAGES, COMMS = 2 };

static int rounds = 2, large = 3001, ours;
static MPI_Comm comms[COMMS];

/* Requests in flight together: collectives, and a message from the left and one to the right. */
struct batch {
    struct prepared jobs[JOBS];
    MPI_Request requests[REQUESTS];
    int codes[REQUESTS];
    int sent, received;
    bool persists;
};

static int left(void)
{
    return (check_rank() + check_size() - 1) % check_size();
}

static int right(void)
{
    return (check_rank() + 1) % check_size();
}

static void make_batch(struct batch *batch, bool persists)
{
    static const int kinds[] = {SUM_INT64, AFFINE_GAPS, MATRIX, SUM_DOUBLE, AFFINE_NEGATIVE};

    batch->persists = persists;
    for (int i = 0; i < JOBS; i++) {
        uint64_t random = check_random((uint64_t)i, 11, check_seed());
        int count = i == 2 ? large : (int)(random >> 8 & 63);
        struct call call =
            call_of((enum collective)((random >> 3) % COLLECTIVES), &subjects[kinds[random % 5]],
                    comms[i % COMMS], count, (int)(random >> 20 & 63) % check_size());
        call.in_place = random >> 32 & 1;
        prepared_make(&batch->jobs[i], &call);
        if (persists)
            check_equal("init", MPI_SUCCESS,
                        prepared_persist(&batch->jobs[i], &batch->requests[i]));
    }
    if (!persists)
        return;
    MPI_Recv_init(&batch->received, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, &batch->requests[JOBS]);
    MPI_Send_init(&batch->sent, 1, MPI_INT, right(), 5, MPI_COMM_WORLD, &batch->requests[JOBS + 1]);
}

static void start_batch(struct batch *batch, uint64_t seed)
{
    batch->sent = check_rank() + (int)(seed & 1023);
    batch->received = -1;
    for (int i = 0; i < JOBS; i++)
        prepared_fill(&batch->jobs[i], seed + (uint64_t)i);
    memset(batch->codes, 0, sizeof batch->codes);
    if (batch->persists) {
        check_equal("Start", MPI_SUCCESS, MPI_Start(&batch->requests[0]));
        check_equal("Startall", MPI_SUCCESS, MPI_Startall(REQUESTS - 1, &batch->requests[1]));
        return;
    }
    for (int i = 0; i < JOBS; i++)
        check_equal("start", MPI_SUCCESS, prepared_start(&batch->jobs[i], &batch->requests[i]));
    MPI_Irecv(&batch->received, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, &batch->requests[JOBS]);
    MPI_Isend(&batch->sent, 1, MPI_INT, right(), 5, MPI_COMM_WORLD, &batch->requests[JOBS + 1]);
}

/* The ways to complete them; each returns when all are. In an order of this rank's own where there
 * is one. */
static void by_wait(struct batch *batch)
{
    for (int k = 0; k < REQUESTS; k++) {
        int i = (k + check_rank()) % REQUESTS;
        batch->codes[i] = MPI_Wait(&batch->requests[i], MPI_STATUS_IGNORE);
    }
}

static void by_test(struct batch *batch)
{
    int left_over = REQUESTS;
    bool is_done[REQUESTS] = {false};

    for (int i = check_rank() % REQUESTS; left_over > 0; i = (i + 1) % REQUESTS) {
        int flag = 0;
        if (is_done[i])
            continue;
        batch->codes[i] = MPI_Test(&batch->requests[i], &flag, MPI_STATUS_IGNORE);
        is_done[i] = flag;
        left_over -= flag;
    }
}

static void by_waitall(struct batch *batch)
{
    MPI_Status statuses[REQUESTS];

    check_equal("Waitall", MPI_SUCCESS, MPI_Waitall(REQUESTS, batch->requests, statuses));
    check_equal("source of the message", left(), statuses[JOBS].MPI_SOURCE);
}

static void by_testall(struct batch *batch)
{
    MPI_Status statuses[REQUESTS];

    for (int flag = 0; !flag;)
        check_equal("Testall", MPI_SUCCESS,
                    MPI_Testall(REQUESTS, batch->requests, &flag, statuses));
}

static void by_waitany(struct batch *batch)
{
    bool seen[REQUESTS] = {false};

    for (int k = 0; k < REQUESTS; k++) {
        int index = -1;
        check_equal("Waitany", MPI_SUCCESS,
                    MPI_Waitany(REQUESTS, batch->requests, &index, MPI_STATUS_IGNORE));
        if (index < 0 || index >= REQUESTS || seen[index])
            check_fail("Waitany gives index %d", index);
        else
            seen[index] = true;
    }
    int none = 0;
    MPI_Waitany(REQUESTS, batch->requests, &none, MPI_STATUS_IGNORE);
    check_equal("index where none is active", MPI_UNDEFINED, none);
}

static void by_testany(struct batch *batch)
{
    for (int left_over = REQUESTS; left_over > 0;) {
        int index = -1, flag = 0;
        check_equal("Testany", MPI_SUCCESS,
                    MPI_Testany(REQUESTS, batch->requests, &index, &flag, MPI_STATUS_IGNORE));
        left_over -= flag;
        if (flag && index == MPI_UNDEFINED) {
            check_fail("Testany sees none active with %d left over", left_over + 1);
            return;
        }
    }
}

static void by_waitsome(struct batch *batch)
{
    MPI_Status statuses[REQUESTS];
    int indices[REQUESTS], count;

    for (int left_over = REQUESTS; left_over > 0; left_over -= count) {
        check_equal("Waitsome", MPI_SUCCESS,
                    MPI_Waitsome(REQUESTS, batch->requests, &count, indices, statuses));
        if (count <= 0) {
            check_fail("Waitsome gives %d with %d left over", count, left_over);
            return;
        }
    }
}

static void by_testsome(struct batch *batch)
{
    MPI_Status statuses[REQUESTS];
    int indices[REQUESTS], count;

    for (int left_over = REQUESTS; left_over > 0; left_over -= count) {
        check_equal("Testsome", MPI_SUCCESS,
                    MPI_Testsome(REQUESTS, batch->requests, &count, indices, statuses));
        if (count == MPI_UNDEFINED) {
            check_fail("Testsome sees none active with %d left over", left_over);
            return;
        }
    }
}

static void by_status(struct batch *batch)
{
    for (int i = 0; i < REQUESTS; i++) {
        for (int flag = 0; !flag;)
            MPI_Request_get_status(batch->requests[i], &flag, MPI_STATUS_IGNORE);
        batch->codes[i] = MPI_Wait(&batch->requests[i], MPI_STATUS_IGNORE);
    }
}

static const struct {
    const char *name;
    void (*complete)(struct batch *batch);
} ways[] = {
    {"Wait", by_wait},         {"Test", by_test},         {"Waitall", by_waitall},
    {"Testall", by_testall},   {"Waitany", by_waitany},   {"Testany", by_testany},
    {"Waitsome", by_waitsome}, {"Testsome", by_testsome}, {"Request_get_status", by_status},
};

static void check_batch(const struct batch *batch, uint64_t seed)
{
    for (int i = 0; i < JOBS; i++) {
        prepared_check(&batch->jobs[i], batch->codes[i]);
        if (!batch->persists && batch->requests[i] != MPI_REQUEST_NULL)
            check_fail("request %d is not MPI_REQUEST_NULL after its end", i);
    }
    check_equal("message", left() + (int)(seed & 1023), batch->received);
}

static void test_way(size_t way, bool persists)
{
    struct batch batch;

    if (!check_case("%s requests by %s", persists ? "persistent" : "nonblocking", ways[way].name))
        return;
    make_batch(&batch, persists);
    for (int round = 0; round < rounds; round++) {
        uint64_t seed = check_random((uint64_t)round, way, check_seed());
        start_batch(&batch, seed);
        ways[way].complete(&batch);
        check_batch(&batch, seed);
    }
    for (int i = 0; i < REQUESTS && persists; i++) {
        check_equal("Request_free", MPI_SUCCESS, MPI_Request_free(&batch.requests[i]));
        check_equal("is null", 1, batch.requests[i] == MPI_REQUEST_NULL);
    }
    for (int i = 0; i < JOBS; i++)
        prepared_free(&batch.jobs[i]);
}

enum how { BY_RECV, BY_PROBE, BY_SENDRECV, BY_SSEND, HOWS };

/* What rank 0 does while the others' collective needs it: they send, or receive, after its end. */
static void meet_rank_0(enum how how, int other, bool is_0)
{
    int token = 0, got = 0;
    const int peer = is_0 ? other : 0;

    if (how == BY_SENDRECV) {
        MPI_Sendrecv(&token, 1, MPI_INT, peer, 6, &got, 1, MPI_INT, peer, 6, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    } else if ((how == BY_SSEND) == is_0) {
        (how == BY_SSEND ? MPI_Ssend : MPI_Send)(&token, 1, MPI_INT, peer, 6, MPI_COMM_WORLD);
    } else {
        if (how == BY_PROBE)
            MPI_Probe(peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 waits for messages that the others exchange with it only when the collective has ended for
 * them. It must go on meanwhile. */
static void test_waiting_elsewhere(enum how how)
{
    static const char *const names[HOWS] = {"Recv", "Probe", "Sendrecv", "Ssend"};
    struct prepared job;
    MPI_Request request;

    if (!check_case("a rank in MPI_%s moves its collective on", names[how]))
        return;
    struct call call = call_of(ALLREDUCE, &subjects[MATRIX], comms[0], large, 0);
    prepared_make(&job, &call);
    prepared_fill(&job, check_seed());
    check_equal("start", MPI_SUCCESS, prepared_start(&job, &request));
    for (int r = 1; r < check_size() && check_rank() == 0; r++)
        meet_rank_0(how, r, true);
    int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (check_rank() != 0)
        meet_rank_0(how, 0, false);
    prepared_check(&job, code);
    prepared_free(&job);
}

static void add_pairs(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *length; i++)
        ((int64_t *)inout)[i] += ((const int64_t *)in)[i];
}

/* MPI lets a program free what a collective in flight still needs. */
static void test_freed_early(void)
{
    int64_t mine[6], sum[6] = {0};
    MPI_Datatype pair;
    MPI_Op add;
    MPI_Request request;

    if (!check_case("operation and datatype are freed while the collective is in flight"))
        return;
    for (int i = 0; i < 6; i++)
        mine[i] = check_rank() + i;
    MPI_Type_contiguous(2, MPI_INT64_T, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add_pairs, 1, &add);
    check_equal("start", MPI_SUCCESS, MPI_Iallreduce(mine, sum, 3, pair, add, comms[0], &request));
    check_equal("Op_free", MPI_SUCCESS, MPI_Op_free(&add));
    check_equal("Type_free", MPI_SUCCESS, MPI_Type_free(&pair));
    check_equal("are null", 1, add == MPI_OP_NULL && pair == MPI_DATATYPE_NULL);
    check_equal("Wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 6; i++)
        check_equal("sum", check_size() * (check_size() - 1) / 2 + i * check_size(), sum[i]);
}

/* Reductions of derived types with the program's own operations, on communicators whose first call
 * they are: blocking, and then nonblocking and persistent. */
static void test_first_call(enum collective collective)
{
    static const int kinds[] = {AFFINE, AFFINE_GAPS, AFFINE_NEGATIVE, MATRIX};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int count = 0; count <= 3; count += 3) {
            MPI_Comm comm;
            if (!check_case("%s of %s with a user operation is a communicator's first call",
                            collective_names[collective], subjects[kinds[i]].layout->name))
                continue;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            struct call call = call_of(collective, &subjects[kinds[i]], comm, count, 0);
            call_run(&call);
            call_run_forms(&call);
            MPI_Comm_free(&comm);
        }
}

/* MPI does not allow it, and the request is as before. */
static void test_refused(bool persists, bool frees)
{
    struct prepared job;
    MPI_Request request;
    MPI_Comm comm;
    int class = MPI_SUCCESS;

    if (!check_case("%s of a %s collective in flight", frees ? "Request_free" : "Cancel",
                    persists ? "persistent" : "nonblocking"))
        return;
    check_let_raise(true);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    struct call call = call_of(ALLREDUCE, &subjects[AFFINE_GAPS], comm, 5, 0);
    call_run(&call);
    prepared_make(&job, &call);
    prepared_fill(&job, check_seed());
    if (persists) {
        check_equal("init", MPI_SUCCESS, prepared_persist(&job, &request));
        check_equal("Start", MPI_SUCCESS, MPI_Start(&request));
    } else {
        check_equal("start", MPI_SUCCESS, prepared_start(&job, &request));
    }
    const int code = frees ? MPI_Request_free(&request) : MPI_Cancel(&request);
    MPI_Error_class(code, &class);
    check_equal("class", MPI_ERR_REQUEST, class);
    check_equal("is null", 0, request == MPI_REQUEST_NULL);
    prepared_check(&job, MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (persists)
        check_equal("Request_free", MPI_SUCCESS, MPI_Request_free(&request));
    prepared_free(&job);
    MPI_Comm_free(&comm);
    check_let_raise(false);
}

/* Once it is complete the program may free it, as with most MPI libraries. */
static void test_free_complete(void)
{
    struct prepared job;
    MPI_Request request;
    int is_done = 0;

    if (!check_case("Request_free of a complete nonblocking collective"))
        return;
    struct call call = call_of(ALLREDUCE, &subjects[AFFINE_GAPS], MPI_COMM_WORLD, 5, 0);
    call_run(&call);
    prepared_make(&job, &call);
    prepared_fill(&job, check_seed());
    check_equal("start", MPI_SUCCESS, prepared_start(&job, &request));
    while (!is_done)
        MPI_Request_get_status(request, &is_done, MPI_STATUS_IGNORE);
    prepared_check(&job, MPI_Request_free(&request));
    check_equal("is null", 1, request == MPI_REQUEST_NULL);
    prepared_free(&job);
}

/* MPI keeps a communicator alive until its requests are gone: a nonblocking one in flight, and a
 * persistent one that starts afterwards. */
static void test_freed_comm(enum collective collective, bool persists)
{
    struct prepared job;
    MPI_Request request;
    MPI_Comm comm;

    if (!check_case("the communicator of a %s %s is freed", persists ? "persistent" : "nonblocking",
                    collective_names[collective]))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    struct call call = call_of(collective, &subjects[AFFINE_GAPS], comm, 7, 0);
    call_run(&call);
    prepared_make(&job, &call);
    prepared_fill(&job, check_seed());
    check_equal("init", MPI_SUCCESS,
                persists ? prepared_persist(&job, &request) : prepared_start(&job, &request));
    MPI_Comm_free(&comm);
    for (int starts = 0; starts < (persists ? 3 : 1); starts++) {
        if (starts > 0)
            prepared_fill(&job, check_seed() + (uint64_t)starts);
        if (persists)
            check_equal("Start", MPI_SUCCESS, MPI_Start(&request));
        prepared_check(&job, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (persists)
        check_equal("Request_free", MPI_SUCCESS, MPI_Request_free(&request));
    prepared_free(&job);
}

#ifdef MPICH_VERSION
/* The MPI library says what is wrong. Open MPI itself crashes, so this is for MPICH. */
static void test_no_request(void)
{
    int in = 1, out, wanted, class;
    MPI_Comm comm;

    if (!check_case("no place for the request"))
        return;
    check_let_raise(true);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
    MPI_Error_class(PMPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm, NULL), &wanted);
    MPI_Error_class(MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm, NULL), &class);
    check_equal("the error's class", wanted, class);
    MPI_Error_class(MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, NULL),
                    &class);
    check_equal("that of a persistent call", wanted, class);
    MPI_Comm_free(&comm);
    check_let_raise(false);
}
#endif

static void run(void)
{
    int one = 1, sum = 0;

    kinds_start();
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
    }
    test_freed_early();
#ifdef MPICH_VERSION
    test_no_request();
#endif
    for (int collective = 0; collective < COLLECTIVES; collective++)
        if (collective_reduces((enum collective)collective))
            test_first_call((enum collective)collective);
    /* of the MPI library's own requests Open MPI 4.1.4 and MPICH 4.0.2 crash in some of these */
    const bool are_ours = check_size() > 1 && ours;
    for (int i = 0; i < 4 && are_ours; i++)
        test_refused(i / 2, i % 2);
    if (are_ours)
        test_free_complete();
    for (int collective = 0; collective < COLLECTIVES && are_ours; collective++)
        for (int persists = 0; persists < 2; persists++)
            test_freed_comm((enum collective)collective, persists);
    for (int how = 0; how < HOWS; how++)
        test_waiting_elsewhere((enum how)how);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        test_way(way, false);
        test_way(way, true);
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    kinds_end();
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"rounds", "how often the requests of a case are started", &rounds, 1, NULL},
        {"large", "elements of the largest collectives", &large, 1, NULL},
        {"ours", "1: Allfold serves them on all ranks, so that requests are its own", &ours, 0,
         NULL},
    };
    static const struct check_program program = {
        .doc = "Checks nonblocking and persistent collectives among other requests.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .thread_level = MPI_THREAD_SINGLE,
        .raises_none = true,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
