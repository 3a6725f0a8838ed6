/* The order of lanes: where lanes and their blocks begin, also of blocks that differ, what is
 * copied, and what happens without memory for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/lane_order.h"
#include "support.h"
#include "support_builder.h"

enum { NODES = 3, PPN = 2, P = NODES * PPN };

static const struct allfold_nodes *placed(bool in_turn)
{
    int64_t keys[P];
    for (int r = 0; r < P; r++)
        keys[r] = in_turn ? r % NODES : r / PPN;
    const struct allfold_nodes *nodes = allfold_nodes_make(keys, P);
    assert_non_null(nodes);
    return nodes;
}

static struct allfold_problem problem_on(const struct allfold_nodes *nodes, int r, size_t count)
{
    return (struct allfold_problem){.collective = ALLFOLD_REDUCE_SCATTER,
                                    .group = allfold_group_all(P, r),
                                    .count = count,
                                    .element_bytes = 8,
                                    .nodes = nodes};
}

/* In blocks lane 0 is ranks 0, 2 and 4; dealt out it is 0, 1 and 2. */
static void test_blocks_that_differ(void **state)
{
    static const size_t begins[] = {0, 5, 5, 8, 9, 15, 17}; /* 5, 0, 3, 1, 6, 2 */
    static const size_t expected[2][PPN][NODES + 1] = {{{0, 5, 8, 14}, {0, 0, 1, 3}},
                                                       {{0, 5, 5, 8}, {0, 1, 7, 9}}};
    (void)state;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        const struct allfold_nodes *nodes = placed(in_turn);
        for (int r = 0; r < P; r++) {
            struct allfold_problem problem = problem_on(nodes, r, 6);
            problem.begins = begins;
            struct allfold_builder *s = builder_of(P, r, 17, 6, false);
            struct lane_order order;
            const int lane = nodes->index_of[r];
            const size_t *own = expected[in_turn][lane];
            assert_true(allfold_lane_order_make(s, &problem, &order));
            assert_memory_equal(order.nodes, own, (NODES + 1) * sizeof *own);
            const size_t first = expected[in_turn][0][NODES];
            const size_t lanes[] = {0, first, 17};
            assert_memory_equal(order.lanes, lanes, sizeof lanes);
            assert_int_equal(order.begin, lane == 0 ? 0 : first);
            assert_int_equal(order.length, own[NODES]);
            assert_int_equal(allfold_longest_lane(&problem), in_turn ? 9 : 14);
            assert_int_equal(allfold_lane_copies(&problem), in_turn ? 0 : 17);
            allfold_lane_order_free(&order);
            allfold_builder_free(s);
        }
        allfold_nodes_free(nodes);
    }
}

/* Blocks that are alike need no list. In blocks they are copied, dealt out they lie there. */
static void test_copies(void **state)
{
    (void)state;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        const struct allfold_nodes *nodes = placed(in_turn);
        const struct allfold_problem problem = problem_on(nodes, 3, 4);
        struct allfold_builder *s = builder_of(P, 3, 4 * P, 4, false);
        struct lane_order order;
        assert_true(allfold_lane_order_make(s, &problem, &order));
        assert_null(order.lanes);
        assert_null(order.nodes);
        assert_int_equal(order.begin, (size_t)nodes->index_of[3] * NODES * 4);
        assert_int_equal(order.length, NODES * 4);
        const struct allfold_span all = allfold_by_lanes(s, &order, ALLFOLD_IN);
        assert_int_equal(all.length, P * 4);
        assert_int_equal(all.buffer == ALLFOLD_IN, in_turn);
        allfold_to_lanes(s, &order, ALLFOLD_IN, all);
        struct allfold_schedule *schedule = frozen(s);
        size_t copied = 0;
        for (uint32_t i = 0; i < schedule->step_count; i++)
            copied += schedule->steps[i].length;
        assert_int_equal(copied, allfold_lane_copies(&problem));
        assert_int_equal(copied, in_turn ? 0 : P * 4);
        allfold_schedule_free(schedule);
        allfold_lane_order_free(&order);
        allfold_nodes_free(nodes);
    }
}

static void test_lack_of_memory(void **state)
{
    (void)state;
    struct allfold_builder *s = builder_of(P, 0, 4, 4, false);
    allfold_builder_lacks_memory(s);
    assert_int_equal(allfold_builder_error(s), ALLFOLD_NO_MEMORY);
    allfold_builder_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_that_differ),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
