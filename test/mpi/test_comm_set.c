/*
 * test_comm_set.c: allfold_comm_set: what it forces and where. A name or value that cannot be used,
 * or is not the same on all ranks, is an error on all ranks and changes nothing.
 *
 * Whether a rule holds is seen by an algorithm that cannot serve an operation that does not
 * commute.
 */
#include "calls.h"

#include <string.h>

#include "comm_set.h"

static const char name[] = "ALLFOLD_ALGORITHM", needing[] = "allreduce=ring", none[] = "allreduce=";
static const char unmet[] = "allreduce.ring is forced, but it needs a commutative operation";

static int handler_calls;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handler_calls++;
}

/* An allreduce of which the rule, where it holds, makes an error. */
static void expect_rule(MPI_Comm comm, bool holds)
{
    struct call call = call_of(ALLREDUCE, &subjects[AFFINE], comm, 3, 0);
    call.error = holds ? unmet : NULL;
    call_run(&call);
    call = call_of(ALLREDUCE, &subjects[SUM_INT64], comm, 3, 0);
    call_run(&call);
    call = call_of(REDUCE, &subjects[AFFINE], comm, 3, 0);
    call_run(&call);
}

static void expect_set(MPI_Comm comm, const char *value)
{
    check_equal("code of allfold_comm_set", MPI_SUCCESS, comm_set(comm, name, value));
}

static void expect_refusal(MPI_Comm comm, const char *given_name, const char *value,
                           const char *expected)
{
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int length;

    handler_calls = 0;
    const int code = comm_set(comm, given_name, value);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    if (code == MPI_SUCCESS || !strstr(text, expected))
        check_fail("expected the error '%s', got: %s", expected, text);
    check_equal("calls of the error handler", 1, handler_calls);
}

static void test_force(void)
{
    MPI_Comm comm, copy;
    bool served = check_size() > 1;

    if (!check_case("a rule holds on its communicator until it is taken away"))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    expect_rule(comm, false);
    expect_set(comm, needing); /* also what was chosen before is to be forgotten */
    expect_rule(comm, served);
    MPI_Comm_dup(comm, &copy);
    expect_rule(copy, false);
    expect_set(comm, "allreduce:0-1K=recursive_doubling;1K-=ring(segment=64K)");
    expect_rule(comm, false);
    expect_set(comm, "allreduce=native");
    expect_rule(comm, false);
    expect_set(comm, needing);
    expect_rule(comm, served);
    expect_set(comm, none);
    expect_rule(comm, false);
    expect_rule(MPI_COMM_WORLD, false);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

static const struct {
    const char *name, *value, *error;
} wrong[] = {
    {"ALLFOLD_ALLREDUSE", "ring", "'ALLFOLD_ALLREDUSE' is not ALLFOLD_ALGORITHM, "},
    {"ALLFOLD_WINDOW", "4", "'ALLFOLD_WINDOW' is not ALLFOLD_ALGORITHM, "},
    {"", "", "'' is not ALLFOLD_ALGORITHM, "},
    {"ALLFOLD_ALGORITHM", "allreduce=rong",
     "ALLFOLD_ALGORITHM: allreduce: unknown algorithm for allreduce: 'rong'"},
    {"ALLFOLD_ALGORITHM", "bcast=chain(sigment=4K)",
     "ALLFOLD_ALGORITHM: bcast: parameter of chain: 'sigment' is not"},
    {"ALLFOLD_ALGORITHM", "barrier=ring",
     "ALLFOLD_ALGORITHM: barrier: unknown algorithm for barrier: 'ring'"},
    {"ALLFOLD_ALGORITHM", "ring", "ALLFOLD_ALGORITHM=ring is not COLLECTIVE=RULES"},
    {"ALLFOLD_ALLREDUCE", "rong", "ALLFOLD_ALGORITHM: allreduce: unknown"}, /* an old name */
    {"ALLFOLD_ALGORITHM", NULL, "the value is NULL"},
    {NULL, "ring", "the name is NULL"},
};

static void test_wrong(MPI_Comm comm)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (!check_case("wrong: %s=%s", wrong[i].name ? wrong[i].name : "NULL",
                        wrong[i].value ? wrong[i].value : "NULL"))
            continue;
        expect_set(comm, needing);
        expect_refusal(comm, wrong[i].name, wrong[i].value, wrong[i].error);
        expect_rule(comm, check_size() > 1); /* as before */
        expect_set(comm, none);
    }
}

static void test_disagreement(MPI_Comm comm)
{
    static const char differ[] = "the ranks give different names or values";
    const bool is_last = check_rank() == check_size() - 1;

    if (check_size() == 1)
        return;
    if (check_case("one rank gives another value")) {
        expect_refusal(comm, name, is_last ? "allreduce=recursive_doubling" : needing, differ);
        expect_rule(comm, false);
    }
    if (check_case("one rank gives another name")) {
        expect_refusal(comm, is_last ? "ALLFOLD_SPARSE" : name, is_last ? "on" : needing, differ);
        expect_rule(comm, false);
    }
    if (check_case("one rank gives a wrong value")) {
        expect_refusal(comm, name, is_last ? "allreduce=rong" : needing,
                       is_last ? "allreduce: 'rong'" : differ);
        expect_rule(comm, false);
    }
}

static void test_without_effect(void)
{
    int half = (check_size() + 1) / 2;
    bool low = check_rank() < half;
    MPI_Comm group, between;

    if (check_case("one rank alone")) {
        expect_set(MPI_COMM_SELF, needing);
        expect_rule(MPI_COMM_SELF, false);
        expect_set(MPI_COMM_SELF, none);
    }
    if (check_size() == 1 || !check_case("an intercommunicator"))
        return;
    MPI_Comm_split(MPI_COMM_WORLD, low, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, low ? half : 0, 7, &between);
    expect_set(between, needing);
    check_equal("code of a barrier", MPI_SUCCESS, MPI_Barrier(between));
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
}

static void run(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;

    if (!comm_set_find())
        return;
    kinds_start();
    test_force();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    test_wrong(comm);
    test_disagreement(comm);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    test_without_effect();
    kinds_end();
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks allfold_comm_set, which gives a communicator rules of its own.",
        .run = run,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
