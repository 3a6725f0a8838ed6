/* The choice on one node. Where its ranks read each other's vectors in place, it is the fastest one
 * measured there, and slices for more than two ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "algorithms/nodes.h"
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

static void assert_chosen(enum allfold_reading reading, size_t bytes, const char *name)
{
    const struct allfold_problem problem = problem_of(2, bytes, reading);
    const char *found = chosen(&problem).algorithm->name;
    if (strcmp(found, name) != 0)
        fail_msg("%zu bytes: %s, not %s", bytes, found, name);
}

/* Near cores sum halves of long vectors, far ones whole vectors. Halves of results that go past the
 * caches would be read from memory again. */
static void test_two_ranks(void **state)
{
    (void)state;
    for (size_t bytes = 1 << 10; bytes <= 256 << 10; bytes *= 2)
        assert_chosen(ALLFOLD_READS_NEAR, bytes, "recursive_doubling");
    for (size_t bytes = 512 << 10; bytes <= 8 << 20; bytes *= 2)
        assert_chosen(ALLFOLD_READS_NEAR, bytes, "halving_doubling");
    for (size_t bytes = 16 << 20; bytes <= 32 << 20; bytes *= 2) {
        assert_chosen(ALLFOLD_READS_NEAR, bytes, "recursive_doubling");
        assert_chosen(ALLFOLD_READS_COPIES, bytes, "recursive_doubling");
    }
    for (size_t bytes = 1 << 10; bytes <= 4 << 20; bytes *= 2)
        assert_chosen(ALLFOLD_READS_FAR, bytes, "recursive_doubling");
    for (size_t bytes = 256 << 10; bytes <= 8 << 20; bytes *= 2)
        assert_chosen(ALLFOLD_READS_COPIES, bytes, "halving_doubling");
}

/* Where ranks share cores each round waits for a core, so short vectors take one round. */
static void test_shared_cores(void **state)
{
    (void)state;
    static const enum allfold_collective all[] = {ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE, ALLFOLD_BCAST};
    for (size_t i = 0; i < LENGTH(all); i++)
        for (int p = 3; p <= 16; p++) {
            struct allfold_problem problem = problem_of(p, 32, ALLFOLD_READS_COPIES);
            problem.collective = all[i];
            assert_string_not_equal(chosen(&problem).algorithm->name, "flat");
            problem.shares_cores = true;
            assert_string_equal(chosen(&problem).algorithm->name, "flat");
        }
    struct allfold_problem longer = problem_of(4, 8 << 20, ALLFOLD_READS_COPIES);
    longer.shares_cores = true;
    assert_string_not_equal(chosen(&longer).algorithm->name, "flat");
}

/* What was the fastest of sixteen ranks with a core each, or near it
 * (docs/decisions/2026-11-26-sixteen-ranks.md). With 33 ranks `flat` is not offered, and two ranks
 * choose no pipeline. */
static void test_sixteen_ranks(void **state)
{
    (void)state;
    for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 4) {
        struct allfold_problem problem = problem_of(16, bytes, ALLFOLD_READS_COPIES);
        problem.collective = ALLFOLD_REDUCE;
        const char *reduce = chosen(&problem).algorithm->name;
        assert_int_equal(strcmp(reduce, "two_tree") == 0, bytes >= 512 << 10);
        problem.collective = ALLFOLD_BCAST;
        const struct allfold_choice bcast = chosen(&problem);
        const bool is_flat = bcast.algorithm != NULL && strcmp(bcast.algorithm->name, "flat") == 0;
        assert_int_equal(is_flat, bytes >= 2 << 10);
        problem.group = allfold_group_all(33, 0);
        const struct allfold_choice more = chosen(&problem);
        const char *name = more.algorithm == NULL ? "native" : more.algorithm->name;
        assert_string_not_equal(name, "flat");
        assert_int_equal(strcmp(name, "pipelined_circulant") == 0, bytes >= 128 << 10);
        problem = problem_of(2, bytes, ALLFOLD_READS_COPIES);
        problem.collective = ALLFOLD_REDUCE;
        const char *two = chosen(&problem).algorithm->name;
        assert_true(strcmp(two, "two_tree") != 0 && strcmp(two, "chain") != 0);
    }
}

/* Each rank reads its slice straight from all others, and then their slices. */
static void assert_slices(size_t bytes)
{
    static const int ranks[] = {3, 4, 5, 6, 8, 9, 10, 12, 15, 16}; /* with radices of 5 at most */
    for (size_t i = 0; i < LENGTH(ranks); i++) {
        struct allfold_problem problem = problem_of(ranks[i], bytes, ALLFOLD_READS_COPIES);
        assert_string_not_equal(chosen(&problem).algorithm->name, "mixed_radix");
        for (problem.reading = ALLFOLD_READS_NEAR; problem.reading < ALLFOLD_READING_COUNT;
             problem.reading++) {
            const struct allfold_choice choice = chosen(&problem);
            assert_string_equal(choice.algorithm->name, "mixed_radix");
            const struct allfold_claim claim =
                choice.algorithm->claim(&problem, &choice.parameters);
            if (ranks[i] <= 5)
                assert_int_equal(claim.rounds, 2);
        }
    }
}

static void test_slices(void **state)
{
    (void)state;
    for (size_t bytes = 8 << 20; bytes <= 256 << 20; bytes *= 2)
        assert_slices(bytes);
}

/* What goes by the sockets of one node is for rules and tables alone. Its rows of tables are those
 * of one node. */
static void test_sockets(void **state)
{
    (void)state;
    struct allfold_nodes *nodes = allfold_nodes_make((const int64_t[16]){0}, 16);
    struct allfold_problem problem = problem_of(16, 8192, ALLFOLD_READS_COPIES);
    const struct allfold_algorithm *smp = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "smp");
    assert_true(allfold_nodes_divide_evenly(nodes, 2, false));
    problem.nodes = allfold_nodes_seen(nodes);
    assert_int_equal(chosen(&problem).algorithm->needs & ALLFOLD_NEEDS_NODES, 0);
    assert_non_null(allfold_why_not_offered(smp, &problem));
    const struct allfold_table_key key = allfold_table_key_of(&problem);
    assert_int_equal(key.nodes, 1);
    assert_int_equal(key.ppn, 16);
    allfold_nodes_free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_ranks),     cmocka_unit_test(test_shared_cores),
        cmocka_unit_test(test_sixteen_ranks), cmocka_unit_test(test_slices),
        cmocka_unit_test(test_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
