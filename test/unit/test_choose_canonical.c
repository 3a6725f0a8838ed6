/* The choice where sums have to be bracketed by the canonical tree, and where not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "select/choose.h"
#include "support.h"

static struct allfold_problem sum_of(size_t bytes)
{
    return (struct allfold_problem){.collective = ALLFOLD_REDUCE,
                                    .group = allfold_group_all(8, 0),
                                    .count = bytes / sizeof(double),
                                    .element_bytes = sizeof(double),
                                    .commutative = true};
}

/* On one node the choice keeps the canonical tree if the problem asks for it. */
static void test_on_one_node(void **state)
{
    (void)state;
    for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 2) {
        struct allfold_problem problem = sum_of(bytes);
        struct allfold_choice choice;
        problem.one_node = true;
        problem.commutative = false;
        problem.canonical = true;
        assert_int_equal(allfold_choose(NULL, &problem, &choice, NULL, 0), ALLFOLD_OK);
        assert_int_equal(choice.source, ALLFOLD_CHOICE_BUILT_IN);
        assert_true(allfold_keeps_tree(choice.algorithm, &problem, &choice.parameters));
    }
}

/* Between nodes the choice keeps the canonical tree if the problem asks for it. */
static void test_between_nodes(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 2; ranks++) {
        int64_t keys[8];
        for (int r = 0; r < 8; r++)
            keys[r] = r / ranks;
        const struct allfold_nodes *nodes = allfold_nodes_make(keys, 8);
        for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 2) {
            struct allfold_problem problem = sum_of(bytes);
            struct allfold_choice choice;
            problem.nodes = nodes;
            problem.commutative = false;
            problem.canonical = true;
            assert_int_equal(allfold_choose(NULL, &problem, &choice, NULL, 0), ALLFOLD_OK);
            assert_int_equal(choice.source, ALLFOLD_CHOICE_BUILT_IN);
            assert_true(allfold_keeps_tree(choice.algorithm, &problem, &choice.parameters));
        }
        allfold_nodes_free(nodes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_one_node),
        cmocka_unit_test(test_between_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
