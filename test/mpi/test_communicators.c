/*
 * test_communicators.c: reductions on communicators of all kinds and in all stages of their lives.
 * Also what a library that keeps state per communicator could disturb: ids, attributes, wildcard
 * receives.
 */
#include "calls.h"

#include <stdlib.h>

/* Every collective and an operation that shows the order, small and large; `colour` tells apart
 * what runs side by side. */
static void check_comm(const char *what, MPI_Comm comm, int colour)
{
    static const int counts[] = {3, 2000};
    static const int tried[] = {SUM_INT64, AFFINE_GAPS};
    int size;

    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 2; i++)
        for (int collective = ALLREDUCE; collective < COLLECTIVES; collective++) {
            if (!check_case("%s: %s %s, count %d", what, collective_names[collective],
                            subjects[tried[i]].kind->name, counts[i]))
                continue;
            struct call call = call_of((enum collective)collective, &subjects[tried[i]], comm,
                                       counts[i], size - 1);
            call.seed += (uint64_t)colour;
            call_run(&call);
        }
}

static void test_split(const char *what, int colour, int key)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm);
    check_comm(what, comm, colour);
    MPI_Comm_free(&comm);
}

static void test_kinds(void)
{
    int r = check_rank();
    MPI_Comm comm;

    check_comm("world", MPI_COMM_WORLD, 0);
    test_split("odd and even", r % 2, r);
    test_split("reversed", 0, -r);
    test_split("reversed thirds", r % 3, -r);
    test_split("first and the others", r > 0, r);
    test_split("one rank each", r, 0);
    check_comm("self", MPI_COMM_SELF, r);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_comm("dup", comm, 0);
    MPI_Comm_free(&comm);
}

/* --- intercommunicators: the lower and the upper half of the ranks --- */

/* Roots are numbered in the world, as the inputs are. `me` is given what MPI asks of this rank. */
static void between_roles(struct call *call, int half, int root)
{
    int r = check_rank(), p = check_size();
    bool low = r < half, root_low = root < half, with_root = low == root_low;

    call->self = r;
    call->first = low ? half : 0;
    call->contributors = low ? p - half : half;
    call->sends = call->receives = true;
    if (call->collective != REDUCE && call->collective != BCAST)
        return;
    call->root = root_low ? root : root - half;
    if (with_root)
        call->root = r == root ? MPI_ROOT : MPI_PROC_NULL;
    if (call->collective == REDUCE) {
        call->sends = !with_root;
        call->receives = r == root;
        return;
    }
    call->sends = r == root;
    call->receives = !with_root;
    call->first = root;
    call->contributors = 1;
}

static void check_between(MPI_Comm between, int half, enum collective collective, int root)
{
    static const int counts[] = {1, 0, 1000};
    static const int tried[] = {SUM_INT64, AFFINE, MIXED_NEGATIVE};

    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            if (!check_case("intercommunicator: %s %s, count %d, root %d in the world",
                            collective_names[collective], subjects[tried[i]].kind->name, counts[c],
                            root))
                continue;
            struct call call = call_of(collective, &subjects[tried[i]], between, counts[c], 0);
            between_roles(&call, half, root);
            call_run(&call);
        }
}

static void test_intercommunicators(void)
{
    int p = check_size(), half = (p + 1) / 2;
    bool low = check_rank() < half;
    MPI_Comm group, between;

    if (p < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, low, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, low ? half : 0, 7, &between);
    check_between(between, half, ALLREDUCE, 0);
    for (int collective = REDUCE; collective <= BCAST; collective++) {
        check_between(between, half, (enum collective)collective, 0);
        check_between(between, half, (enum collective)collective, p - 1);
    }
    /* a block per rank of one half is no block per rank of the other, so no Reduce_scatter_block */
    check_between(between, half, ALLGATHER, 0);
    check_between(between, half, BARRIER, 0);
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
}

/* --- lives --- */

static int cycles = 1000;

static void check_quickly(MPI_Comm comm, enum collective collective, int number)
{
    struct call call = call_of(collective, &subjects[SUM_INT64], comm, 1, 0);
    call.seed += (uint64_t)number;
    call_run(&call);
}

/* Whoever does not free what it holds for a communicator runs out of ids, or memory. */
static void test_cycles(void)
{
    enum { BLOCK = 50 };

    for (int done = 0; done < cycles; done += BLOCK) {
        if (!check_case("dup, Allreduce, free: cycles from %d on", done))
            continue;
        for (int i = done; i < done + BLOCK && i < cycles; i++) {
            MPI_Comm comm;
            check_equal("code of MPI_Comm_dup", MPI_SUCCESS, MPI_Comm_dup(MPI_COMM_WORLD, &comm));
            check_quickly(comm, ALLREDUCE, i);
            check_equal("code of MPI_Comm_free", MPI_SUCCESS, MPI_Comm_free(&comm));
        }
    }
}

/* One more communicator, with the ranks as in the world or in reverse. */
static MPI_Comm hold(bool reversed)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int code = reversed ? MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank(), &comm)
                        : MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_equal("code of making a communicator", MPI_SUCCESS, code);
    return code == MPI_SUCCESS ? comm : MPI_COMM_NULL;
}

/*
 * Communicators come and go in another order than they came; the others go on working, and so do
 * new ones. After the cycles all ids must be there again: a program that holds one at a time can do
 * with a single one.
 */
static void test_overlapping_lives(const char *when)
{
    enum { HELD = 6, STRIDE = 5 };
    MPI_Comm comms[HELD];

    for (int first = 0; first < HELD; first += HELD / 2) {
        if (!check_case("overlapping lives, %s: the first to go is %d", when, first))
            continue;
        for (int i = 0; i < HELD; i++)
            comms[i] = hold(i % 2);
        for (int i = 0, slot = first; i < HELD; i++, slot = (slot + STRIDE) % HELD) {
            for (int k = 0; k < HELD; k++)
                if (comms[k] != MPI_COMM_NULL)
                    check_quickly(comms[k], (enum collective)((i + k) % COLLECTIVES), k);
            if (comms[slot] != MPI_COMM_NULL)
                MPI_Comm_free(&comms[slot]);
            if (i < HELD / 2)
                comms[slot] = hold(i % 2 == 0);
        }
        for (int k = 0; k < HELD; k++)
            if (comms[k] != MPI_COMM_NULL)
                MPI_Comm_free(&comms[k]);
    }
}

/* --- attributes --- */

static int copies, deletions;

static int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    *(void **)out = in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static void expect_calls(const char *when, int expected_copies, int expected_deletions)
{
    if (copies != expected_copies || deletions != expected_deletions)
        check_fail("%s: expected %d copies and %d deletions of the attribute, got %d and %d", when,
                   expected_copies, expected_deletions, copies, deletions);
}

static void use_all(MPI_Comm comm)
{
    for (int collective = ALLREDUCE; collective < COLLECTIVES; collective++)
        check_quickly(comm, (enum collective)collective, collective);
}

static void test_attributes(void)
{
    int keyval, value = 0, found = 0, *got = NULL;
    MPI_Comm base, copy;

    if (!check_case("attributes are copied only by the program's own dup"))
        return;
    copies = deletions = 0;
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_set_attr(base, keyval, &value);
    use_all(base);
    expect_calls("after the first reductions", 0, 0);
    MPI_Comm_dup(base, &copy);
    expect_calls("after a dup", 1, 0);
    use_all(copy);
    use_all(base);
    expect_calls("after reductions on both", 1, 0);
    MPI_Comm_get_attr(copy, keyval, (void *)&got, &found);
    check_equal("attribute found on the copy", 1, found);
    check_equal("attribute of the copy is that of the base", 1, got == &value);
    MPI_Comm_free(&base);
    expect_calls("after freeing the base", 1, 1);
    use_all(copy);
    MPI_Comm_free(&copy);
    expect_calls("after freeing the copy", 1, 2);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value);
    use_all(MPI_COMM_WORLD);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    expect_calls("after use on the world", 1, 3);
    MPI_Comm_free_keyval(&keyval);
}

/* --- wildcard receives --- */

/* Posted before the reductions and probed between them: neither may see a message that the program
 * has not sent. */
static void check_wildcards(MPI_Comm comm, int count)
{
    enum { TAG = 77 };
    int p = check_size(), r = check_rank(), left = (r + p - 1) % p, payload = 1000 + r, got = -1,
        flag;
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    MPI_Barrier(
        comm); /* invoke.c checks barriers by messages of its own, which would be received */
    for (int collective = ALLREDUCE; collective < BARRIER; collective++) {
        struct call call = call_of((enum collective)collective, &subjects[SUM_DOUBLE], comm, count,
                                   collective % p);
        call_run(&call);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
        check_equal("a message is there that no rank sent", 0, flag);
    }
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    check_equal("the wildcard receive is complete before the send", 0, flag);
    MPI_Barrier(comm);
    MPI_Send(&payload, 1, MPI_INT, (r + 1) % p, TAG, comm);
    MPI_Wait(&request, &status);
    check_equal("source of the wildcard receive", left, status.MPI_SOURCE);
    check_equal("tag of the wildcard receive", TAG, status.MPI_TAG);
    check_equal("payload of the wildcard receive", 1000 + left, got);
    MPI_Barrier(comm);
}

static void test_wildcards(void)
{
    static const int counts[] = {1, 100, 20000};
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 3; i++) {
        if (check_case("wildcard receive across reductions, world, count %d", counts[i]))
            check_wildcards(MPI_COMM_WORLD, counts[i]);
        if (check_case("wildcard receive across reductions, dup, count %d", counts[i]))
            check_wildcards(comm, counts[i]);
    }
    MPI_Comm_free(&comm);
}

static void run(void)
{
    kinds_start();
    test_kinds();
    test_intercommunicators();
    test_overlapping_lives("before the cycles");
    test_attributes();
    test_wildcards();
    test_cycles();
    test_overlapping_lives("after the cycles");
    kinds_end();
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"cycles", "how often to dup, reduce and free", &cycles, 1, NULL},
    };
    static const struct check_program program = {
        .doc =
            "Checks reductions on all kinds of communicators, and that their state stays unseen.",
        .run = run,
        .flags = flags,
        .flag_count = 1,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
