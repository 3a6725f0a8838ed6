/*
 * test_plans_inside.c: what only the inside of the library shows of plans. A restart allocates
 * nothing. A failing allocation on any rank becomes an error on all. There may be more nonblocking
 * calls in flight than lanes, and their plans serve again.
 *
 * Linked with the library's objects, which are not shown outside.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/plan/plan.h"
#include "util/memory.h"

enum { COUNT = 100 };

static MPI_Comm comm;
static double in[COUNT], out[COUNT];

static void fill(int round)
{
    for (int i = 0; i < COUNT; i++)
        in[i] = check_rank() + i + round;
}

static void check_sums(const double *sums, int round)
{
    const int p = check_size();
    for (int i = 0; i < COUNT; i++)
        if (sums[i] != (double)p * (p - 1) / 2 + (double)p * (i + round)) {
            check_fail("element %d is %g", i, sums[i]);
            return;
        }
}

static int make(struct allfold_plan **plan)
{
    return allfold_allreduce_init(in, out, COUNT, MPI_DOUBLE, MPI_SUM, comm, plan);
}

static void run_once(struct allfold_plan *plan, int round)
{
    fill(round);
    check_equal("start", MPI_SUCCESS, allfold_start(plan));
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    check_sums(out, round);
}

/* The next allocation would fail, and still has to come. */
static void test_restart(void)
{
    struct allfold_plan *plan;
    if (!check_case("a restart allocates nothing"))
        return;
    check_equal("init", MPI_SUCCESS, make(&plan));
    allfold_fail_allocation(1);
    for (int round = 0; round < 20; round++)
        run_once(plan, round);
    void *memory = allfold_allocate(1);
    check_equal("allocations meanwhile", 1, memory == NULL);
    allfold_free(memory);
    allfold_plan_free(&plan);
}

/* On the last rank alone; then all try again. */
static void test_failing_allocations(void)
{
    enum { MOST = 100 };
    for (int n = 1, failed = 1; n < MOST && failed; n++) {
        struct allfold_plan *plan = NULL;
        if (!check_case("allocation %d of init fails on the last rank", n))
            continue;
        if (check_rank() == check_size() - 1)
            allfold_fail_allocation((unsigned long)n);
        const int code = make(&plan);
        allfold_fail_allocation(0);
        failed = code != MPI_SUCCESS;
        check_equal("plan", failed, plan == NULL);
        int all = failed;
        PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, comm);
        check_equal("ranks with an error", failed ? check_size() : 0, all);
        if (plan != NULL) {
            run_once(plan, n);
            allfold_plan_free(&plan);
        }
    }
}

/* More in flight than lanes, come for in another order on each rank. */
static void test_nonblocking(void)
{
    enum { FLYING = 20 };
    static double results[FLYING][COUNT];
    struct allfold_plan *plans[FLYING];

    if (!check_case("%d nonblocking calls", FLYING) || check_size() == 1)
        return;
    fill(3);
    for (int round = 0; round < 3; round++) {
        if (round == 2) /* as many plans as are kept serve again, and lanes are there */
            allfold_fail_allocation(1);
        const int flying = round == 2 ? 10 : FLYING;
        for (int i = 0; i < flying; i++) {
            const struct allfold_call call = {.collective = ALLFOLD_ALLREDUCE,
                                              .sendbuf = in,
                                              .recvbuf = memset(results[i], 0, sizeof results[i]),
                                              .count = COUNT,
                                              .count_is_valid = true,
                                              .datatype = MPI_DOUBLE,
                                              .op = MPI_SUM,
                                              .comm = comm};
            check_equal("launch", MPI_SUCCESS, allfold_plan_launch(&call, NULL, &plans[i]));
            check_equal("is ours", 1, plans[i] != NULL);
        }
        for (int k = 0; k < flying; k++) {
            const int i = (k * 7 + check_rank()) % flying;
            bool is_done = false;
            while (!is_done)
                check_equal("wait", MPI_SUCCESS, allfold_plan_wait(plans[i], k % 3 - 1, &is_done));
            check_sums(results[i], 3);
            allfold_plan_release(plans[i]);
        }
    }
    void *memory = allfold_allocate(1);
    check_equal("allocations meanwhile", 1, memory == NULL);
    allfold_free(memory);
}

static void run(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_restart();
    test_nonblocking();
    if (check_size() > 1)
        test_failing_allocations();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks what only the inside of the library shows of plans.",
        .run = run,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
