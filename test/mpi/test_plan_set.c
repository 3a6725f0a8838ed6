/*
 * test_plan_set.c: what allfold_plan_set refuses, on all ranks. Ranks can agree on settings beside
 * a plan that others wait for. What it does is in test_sparse.c.
 *
 * Linked with the library, of which it calls allfold.h.
 */
#include "check.h"

#include "allfold.h"

static const char name[] = "ALLFOLD_SPARSE";
static MPI_Comm comm;

static void test_wrong(void)
{
    struct allfold_plan *plan, *copy;
    const bool is_last = check_rank() == check_size() - 1;

    if (!check_case("what is refused"))
        return;
    check_equal("init", MPI_SUCCESS, allfold_barrier_init(comm, &plan));
    check_error(allfold_plan_set(NULL, name, "on"), "allfold_plan_set: the plan is NULL");
    check_error(allfold_plan_set(plan, NULL, "on"), "allfold_plan_set: the name is NULL");
    check_error(allfold_plan_set(plan, name, NULL), "allfold_plan_set: the value is NULL");
    check_error(allfold_plan_set(plan, name, "sideways"),
                "ALLFOLD_SPARSE=sideways is not auto, off or on");
    check_error(allfold_plan_set(plan, "ALLFOLD_ALGORITHM", "barrier=linear"),
                "'ALLFOLD_ALGORITHM' is not ALLFOLD_SPARSE or ALLFOLD_REPRODUCIBLE");
    if (check_size() > 1)
        check_error(allfold_plan_set(plan, name, is_last ? "on" : "off"),
                    "different names or values");
    check_equal("what has no effect", MPI_SUCCESS, allfold_plan_set(plan, name, "on"));
    copy = plan;
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&plan));
    check_error(allfold_plan_set(copy, name, "on"), "the plan is freed already");
}

/* A plan is in flight on rank 0 alone, and then on all ranks but the last one. That rank waits for
 * the plan before it joins the others. */
static void test_in_flight(void)
{
    struct allfold_plan *plan;
    const bool is_last = check_rank() == check_size() - 1;

    if (!check_case("beside a plan in flight") || check_size() == 1)
        return;
    check_equal("init", MPI_SUCCESS, allfold_barrier_init(comm, &plan));
    if (check_rank() == 0)
        check_equal("start", MPI_SUCCESS, allfold_start(plan));
    check_error(allfold_plan_set(plan, name, "on"),
                check_rank() == 0 ? "is in flight" : "another rank cannot take it");
    if (check_rank() != 0)
        check_equal("start", MPI_SUCCESS, allfold_start(plan));
    if (is_last)
        check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_equal("code of allfold_comm_set", MPI_SUCCESS, allfold_comm_set(comm, name, "on"));
    if (!is_last)
        check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&plan));
}

static void run(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_wrong();
    test_in_flight();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {.doc = "Settings of plans.", .run = run};

    return check_main(argc, argv, &program);
}
