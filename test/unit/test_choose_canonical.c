/* The choice where sums have to be bracketed by the canonical tree, and where not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "select/choose.h"
#include "support.h"

static const struct allfold_algorithm *chosen(const struct allfold_problem *problem)
{
    struct allfold_choice choice;
    assert_int_equal(allfold_choose(NULL, problem, &choice, NULL, 0), ALLFOLD_OK);
    return choice.algorithm;
}

/* What is offered for canonical sums alone is chosen there for long vectors, and never elsewhere.
 */
static void test_only_canonical(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 2; ranks++) {
        int64_t keys[8];
        for (int r = 0; r < 8; r++)
            keys[r] = r / ranks;
        struct allfold_nodes *nodes = allfold_nodes_make(keys, 8);
        for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 2) {
            struct allfold_problem problem = {.collective = ALLFOLD_REDUCE,
                                              .group = allfold_group_all(8, 0),
                                              .count = bytes / sizeof(double),
                                              .element_bytes = sizeof(double),
                                              .commutative = true,
                                              .nodes = nodes,
                                              .costs = &allfold_preset_costs};
            assert_string_not_equal(chosen(&problem)->name, "rotating_tree");
            problem.commutative = false;
            assert_string_not_equal(chosen(&problem)->name, "rotating_tree");
            problem.canonical = true;
            if (bytes >= 2 << 20)
                assert_string_equal(chosen(&problem)->name, "rotating_tree");
        }
        allfold_nodes_free(nodes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
