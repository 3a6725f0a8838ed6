/* The claims on blocks of any lengths, against what walking their schedules counts, and the cases
 * and shapes that these lengths make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/problem.h"
#include "lab/verify/block_lengths.h"
#include "support_claims.h"

enum { MOST_RANKS = 40, PLACES = MOST_RANKS + 1, BLOCK = 3 };

static struct allfold_cost counted_of(enum allfold_collective collective, const char *name, int p,
                                      const size_t *begins)
{
    struct allfold_case of = {.algorithm = allfold_algorithm_find(collective, name), .p = p};
    struct allfold_schedule **schedules = NULL;
    struct allfold_cost cost = {0};
    char message[200] = "";
    size_t same[PLACES];
    assert_non_null(of.algorithm);
    of.parameters = allfold_parameter_presets(of.algorithm);
    of.begins = begins;
    of.count = allfold_layout_cut(begins, p, SIZE_MAX, same);
    if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, p = %d: %s", name, p, message);
    const struct allfold_claim claim = allfold_case_claim(&of);
    assert_true(claim.is_bound);
    assert_int_equal(allfold_walk((const struct allfold_schedule *const *)schedules, p,
                                  allfold_claim_ports(&claim), &cost, message, sizeof message),
                     ALLFOLD_OK);
    allfold_case_free(&of, schedules);
    return cost;
}

/* Traeff 2024, section 3, with m elements in all: ceil(lg p) rounds. A rank sends no more than all
 * blocks but its own, whatever their lengths. Where one rank gets all m, it reduces them in each
 * round. Pairwise exchange sends as much, but has that rank reduce all m p - 1 times. */
static void test_one_gets_all(void **state)
{
    (void)state;
    const size_t m = 12;
    for (int p = 2; p <= MOST_RANKS; p++) {
        size_t begins[PLACES];
        for (int i = 0; i <= p; i++)
            begins[i] = i > p / 2 ? m : 0;
        const size_t others = (size_t)p - 1;
        struct allfold_cost cost = counted_of(ALLFOLD_REDUCE_SCATTER, "circulant", p, begins);
        assert_cost(cost, (size_t)p, 0, ceil_lg((size_t)p), m, ceil_lg((size_t)p) * m);
        cost = counted_of(ALLFOLD_REDUCE_SCATTER, "pairwise_exchange", p, begins);
        assert_int_equal(cost.sent, m);
        assert_int_equal(cost.reduced, others * m);
        cost = counted_of(ALLFOLD_REDUCE_SCATTER, "bucket", p, begins);
        assert_cost(cost, (size_t)p, 0, others, m, m);
        cost = counted_of(ALLFOLD_REDUCE_SCATTER, "flat", p, begins);
        assert_int_equal(cost.reduced, others * m);
        cost = counted_of(ALLFOLD_ALLGATHERV, "circulant", p, begins);
        assert_cost(cost, (size_t)p, 0, ceil_lg((size_t)p), ceil_lg((size_t)p) * m, 0);
        cost = counted_of(ALLFOLD_ALLGATHERV, "ring", p, begins);
        assert_int_equal(cost.sent, m);
        assert_int_equal(cost.rounds, others);
        cost = counted_of(ALLFOLD_ALLGATHERV, "flat", p, begins);
        assert_int_equal(cost.sent, others * m);
        if (p % 2 == 0) {
            cost = counted_of(ALLFOLD_REDUCE_SCATTER, "bine", p, begins);
            assert_int_equal(cost.rounds, ceil_lg((size_t)p));
            assert_int_equal(cost.sent, m);
            assert_true(cost.reduced <= ceil_lg((size_t)p) * m);
        }
        if ((p & (p - 1)) == 0) {
            cost = counted_of(ALLFOLD_REDUCE_SCATTER, "bine", p, begins);
            assert_int_equal(cost.reduced, floor_lg((size_t)p) * m);
            cost = counted_of(ALLFOLD_ALLGATHERV, "bine", p, begins);
            assert_cost(cost, (size_t)p, 0, floor_lg((size_t)p), floor_lg((size_t)p) * m, 0);
            cost = counted_of(ALLFOLD_REDUCE_SCATTER, "recursive_halving", p, begins);
            assert_cost(cost, (size_t)p, 0, floor_lg((size_t)p), m, floor_lg((size_t)p) * m);
        }
    }
}

static struct allfold_cost alike(enum allfold_collective collective, const char *name, size_t p)
{
    return walked((struct built){collective, name, p, 0, BLOCK, PRESET, 0}).cost;
}

/* Where all blocks are alike, each costs what the collective of alike blocks does. */
static void test_alike(void **state)
{
    (void)state;
    static const char *const scattered[] = {"circulant", "pairwise_exchange", "flat", "bine",
                                            "bucket",    "recursive_halving"};
    static const char *const gathered[] = {"circulant", "ring", "flat", "bine"};
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        for (size_t i = 0; i < (is_power_of_two(p) ? 6 : 5); i++) {
            const struct allfold_cost cost = alike(ALLFOLD_REDUCE_SCATTER_BLOCK, scattered[i], p);
            assert_cost(alike(ALLFOLD_REDUCE_SCATTER, scattered[i], p), p, 0, cost.rounds,
                        cost.sent, cost.reduced);
        }
        for (size_t i = 0; i < 4; i++) {
            const struct allfold_cost cost = alike(ALLFOLD_ALLGATHER, gathered[i], p);
            assert_cost(alike(ALLFOLD_ALLGATHERV, gathered[i], p), p, 0, cost.rounds, cost.sent,
                        cost.reduced);
        }
    }
}

/* Layouts have the lengths that they are named for, and are cut as a smaller case is. */
static void test_layouts(void **state)
{
    (void)state;
    size_t begins[PLACES], cut[PLACES];
    for (int p = 1; p <= MOST_RANKS; p++) {
        allfold_layout_make(ALLFOLD_LAYOUT_ONE, p, 9, (uint64_t)p - 1, begins);
        assert_int_equal(begins[p - 1], 0);
        assert_int_equal(begins[p], 9);
        allfold_layout_make(ALLFOLD_LAYOUT_HUGE, p, 9, 0, begins);
        assert_int_equal(begins[1], 9);
        assert_int_equal(begins[p], 9 + p - 1);
        assert_int_equal(allfold_layout_cut(begins, p, 4, cut), 4);
        assert_int_equal(cut[p], 4 + p - 1);
        allfold_layout_make(ALLFOLD_LAYOUT_ENDS, p, 9, 7, begins);
        assert_int_equal(begins[1], 0);
        assert_int_equal(begins[p], begins[p - 1]);
        for (unsigned layout = 0; layout < ALLFOLD_LAYOUT_COUNT; layout++) {
            allfold_layout_make((enum allfold_layout)layout, p, 9, 3, begins);
            assert_true(allfold_layout_cut(begins, p, SIZE_MAX, cut) <= 9);
            assert_memory_equal(begins, cut, ((size_t)p + 1) * sizeof *begins);
        }
    }
}

/* Buffers of a problem: all blocks on one side, the rank's own on the other; in place where MPI has
 * them. */
static void test_shapes(void **state)
{
    (void)state;
    const size_t begins[] = {0, 3, 3, 8};
    struct allfold_problem problem = {.collective = ALLFOLD_REDUCE_SCATTER, .begins = begins};
    for (int r = 0; r < 3; r++) {
        const size_t own = begins[r + 1] - begins[r];
        problem.group = allfold_group_all(3, r);
        problem.collective = ALLFOLD_REDUCE_SCATTER;
        problem.in_place = false;
        struct allfold_shape shape = allfold_problem_shape(&problem);
        assert_int_equal(shape.in_length, 8);
        assert_int_equal(shape.out_length, own);
        problem.in_place = true;
        assert_int_equal(allfold_problem_shape(&problem).out_length, 8);
        problem.collective = ALLFOLD_ALLGATHERV;
        shape = allfold_problem_shape(&problem);
        assert_int_equal(shape.in_length, own);
        assert_int_equal(shape.out_length, 8);
        assert_int_equal(shape.in_place_offset, begins[r]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_gets_all),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
