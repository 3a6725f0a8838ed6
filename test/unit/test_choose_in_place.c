/* The choice on one node. Where its ranks read each other's vectors in place, it is the fastest one
 * measured there, and slices for more than two ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "topology/nodes.h"
#include "select/choose.h"
#include "support.h"

static struct allfold_problem problem_of(int p, size_t bytes, enum allfold_reading reading)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(p, 0),
                                    .count = bytes / sizeof(double),
                                    .element_bytes = sizeof(double),
                                    .commutative = true,
                                    .one_node = true,
                                    .reading = reading};
}

static struct allfold_choice chosen(const struct allfold_problem *problem)
{
    struct allfold_choice choice;
    assert_int_equal(allfold_choose(NULL, problem, &choice, NULL, 0), ALLFOLD_OK);
    return choice;
}

static struct allfold_claim chosen_claim(const struct allfold_problem *problem)
{
    const struct allfold_choice choice = chosen(problem);
    return choice.algorithm->claim(problem, &choice.parameters);
}

/* Two ranks: in one round each gets the other's vector, and sums all of it. */
static void assert_whole(enum allfold_reading reading, size_t bytes)
{
    const struct allfold_problem problem = problem_of(2, bytes, reading);
    const struct allfold_claim claim = chosen_claim(&problem);
    if (claim.rounds != 1 || claim.reduced != problem.count)
        fail_msg("%zu bytes: %s", bytes, chosen(&problem).algorithm->name);
}

/* Whole vectors, or on near cores pieces of long ones. */
static void test_two_ranks(void **state)
{
    (void)state;
    for (size_t bytes = 1 << 10; bytes <= 64 << 10; bytes *= 2) {
        assert_whole(ALLFOLD_READS_NEAR, bytes);
        assert_whole(ALLFOLD_READS_COPIES, bytes);
    }
    for (size_t bytes = 1 << 10; bytes <= 4 << 20; bytes *= 2)
        assert_whole(ALLFOLD_READS_FAR, bytes);
    for (size_t bytes = 1 << 20; bytes <= 8 << 20; bytes *= 2) {
        const struct allfold_problem near = problem_of(2, bytes, ALLFOLD_READS_NEAR);
        assert_int_equal(chosen_claim(&near).reduced, near.count / 2); /* each rank sums halves */
    }
}

/* Where ranks share cores each round waits for a core, so short vectors take few rounds. */
static void test_shared_cores(void **state)
{
    (void)state;
    static const enum allfold_collective all[] = {ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE, ALLFOLD_BCAST};
    for (size_t i = 0; i < LENGTH(all); i++)
        for (int p = 3; p <= 16; p++) {
            struct allfold_problem problem = problem_of(p, 32, ALLFOLD_READS_COPIES);
            problem.collective = all[i];
            problem.shares_cores = true;
            const size_t rounds = chosen_claim(&problem).rounds;
            assert_true(rounds <= (p <= 4 ? 2 : p <= 8 ? 3 : 4));
        }
}

/* What was the fastest of sixteen ranks with a core each, or near it. */
static void test_sixteen_ranks(void **state)
{
    (void)state;
    for (size_t bytes = 2 << 10; bytes <= 1 << 20; bytes *= 2) {
        struct allfold_problem problem = problem_of(16, bytes, ALLFOLD_READS_COPIES);
        problem.collective = ALLFOLD_BCAST;
        assert_int_equal(chosen_claim(&problem).rounds, 1); /* all read from the root at once */
    }
    for (size_t bytes = 512 << 10; bytes <= 8 << 20; bytes *= 2) {
        struct allfold_problem problem = problem_of(16, bytes, ALLFOLD_READS_COPIES);
        problem.collective = ALLFOLD_REDUCE;
        assert_true(chosen_claim(&problem).rounds > 8); /* a pipeline */
    }
}

/* What goes by the sockets of one node is for rules and tables alone. Its rows of tables are those
 * of one node. */
static void test_sockets(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = extended(allfold_nodes_make((const int64_t[16]){0}, 16),
                                                 (struct allfold_nodes_facts){.even_sockets = 2});
    struct allfold_problem problem = problem_of(16, 8192, ALLFOLD_READS_COPIES);
    problem.nodes = allfold_nodes_seen(nodes);
    assert_int_equal(chosen(&problem).algorithm->needs & ALLFOLD_NEEDS_NODES, 0);
    const struct allfold_table_key key = allfold_table_key_of(&problem);
    assert_int_equal(key.nodes, 1);
    assert_int_equal(key.ppn, 16);
    allfold_nodes_free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks),
        cmocka_unit_test(test_shared_cores),
        cmocka_unit_test(test_sixteen_ranks),
        cmocka_unit_test(test_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
