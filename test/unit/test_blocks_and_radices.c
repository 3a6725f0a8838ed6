/* The arithmetic of binary blocks, mixed radices and segments against its definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/binary_blocks.h"
#include "algorithms/costs.h"
#include "algorithms/levels.h"
#include "algorithms/multiplying.h"
#include "algorithms/pairwise.h"
#include "algorithms/radix.h"
#include "support.h"

enum { MOST_RANKS = 300 };

/* The binary digits of p, the largest block first over ascending ranks. */
static void test_blocks_are_the_digits_of_p(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST_RANKS; p++) {
        int r = 0, larger = 0;
        for (int size = 512; size > 0; size /= 2) {
            if (p / size % 2 == 0)
                continue;
            int smaller = size / 2;
            while (smaller > 0 && p / smaller % 2 == 0)
                smaller /= 2;
            for (int i = 0; i < size; i++, r++) {
                const struct binary_block block = allfold_binary_block(p, r);
                assert_int_equal(block.core.size, size);
                assert_int_equal(block.core.index, i);
                assert_int_equal(core_rank(&block.core, i, 0), r);
                assert_int_equal(block.larger, larger);
                assert_int_equal(block.smaller, smaller);
            }
            larger = size;
        }
        assert_int_equal(r, p);
    }
    assert_int_equal(allfold_binary_block(INT32_MAX, INT32_MAX - 1).core.size, 1);
    assert_int_equal(allfold_binary_block(INT32_MAX, INT32_MAX - 1).larger, 2);
}

static void test_rounds_of_blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        assert_int_equal(allfold_scatter_blocks_rounds(1 << k), k);
        assert_int_equal(allfold_return_blocks_rounds(1 << k), 2 * k);
    }
    assert_int_equal(allfold_scatter_blocks_rounds(3), 3);
    assert_int_equal(allfold_return_blocks_rounds(3), 5);
    assert_int_equal(allfold_scatter_blocks_rounds(7), 5);
    assert_int_equal(allfold_scatter_blocks_rounds(INT32_MAX), 30 + 30 + 1 - 1 + 1);
}

/* The best rounds and messages for exactly q ranks, by trying each first factor. */
static void best_for(int q, int radix, int *rounds, int *messages)
{
    *rounds = *messages = q == 1 ? 0 : 1 << 20;
    for (int k = 2; k <= radix && q > 1; k++) {
        int rest_rounds, rest_messages;
        if (q % k != 0)
            continue;
        best_for(q / k, radix, &rest_rounds, &rest_messages);
        rest_rounds += 1;
        rest_messages += k - 1;
        if (rest_rounds < *rounds || (rest_rounds == *rounds && rest_messages < *messages)) {
            *rounds = rest_rounds;
            *messages = rest_messages;
        }
    }
}

static void check_factors(int p, int radix)
{
    int rounds = 1 << 21, messages = 0;
    for (int q = (p + 1) / 2; q <= p; q++) {
        int q_rounds, q_messages;
        best_for(q, radix, &q_rounds, &q_messages);
        q_rounds += q < p ? 2 : 0;
        q_messages += q < p ? 2 : 0;
        if (q_rounds < rounds || (q_rounds == rounds && q_messages < messages)) {
            rounds = q_rounds;
            messages = q_messages;
        }
    }
    const struct factors found = allfold_factors(p, radix);
    assert_int_equal(found.rounds, rounds);
    assert_int_equal(found.messages, messages);

    int product = 1, sum = 0;
    for (int i = 0; i < found.count; i++) {
        assert_in_range(found.factor[i], 2, i == 0 ? radix : found.factor[i - 1]);
        product *= found.factor[i];
        sum += found.factor[i] - 1;
    }
    const int removal = product < p ? 2 : 0;
    assert_int_equal(found.core, product);
    assert_in_range(product, (p + 1) / 2, p);
    assert_int_equal(found.rounds, found.count + removal);
    assert_int_equal(found.messages, sum + removal);
}

static void test_factors_are_the_best(void **state)
{
    (void)state;
    for (int radix = 2; radix <= 16; radix++)
        for (int p = 1; p <= MOST_RANKS; p++)
            check_factors(p, radix);
}

/* Powers of two go first, in their order; all else is as it was. */
static void test_factors_for_the_tree(void **state)
{
    (void)state;
    const struct factors six = allfold_tree_factors(6, 3);
    assert_int_equal(six.count, 2);
    assert_int_equal(six.factor[0], 2);
    assert_int_equal(six.factor[1], 3);
    assert_int_equal(allfold_largest_factor(&six), 3);
    for (int radix = 2; radix <= 16; radix++)
        for (int p = 1; p <= MOST_RANKS; p++) {
            const struct factors descending = allfold_factors(p, radix);
            const struct factors found = allfold_tree_factors(p, radix);
            int sum = 0, others = 0;
            assert_int_equal(found.core, descending.core);
            assert_int_equal(found.rounds, descending.rounds);
            assert_int_equal(found.messages, descending.messages);
            assert_int_equal(allfold_largest_factor(&found),
                             p == 1 ? 1 : allfold_largest_factor(&descending));
            for (int i = 0; i < found.count; i++) {
                const bool is_power = (found.factor[i] & (found.factor[i] - 1)) == 0;
                assert_false(is_power && others > 0);
                others += !is_power;
                sum += found.factor[i] - descending.factor[i];
            }
            assert_int_equal(sum, 0);
            assert_true(allfold_radices_keep_tree(&found, p) ==
                        (found.core < p ? others == 0 : others <= 1));
        }
    assert_false(
        allfold_radices_keep_tree(&(struct factors){.core = 6, .count = 2, .factor = {3, 2}}, 6));
}

static void test_factors_of_many_ranks(void **state)
{
    (void)state;
    assert_int_equal(allfold_factors(1 << 24, 2).rounds, 24);
    assert_int_equal(allfold_factors(1 << 24, 4).rounds, 12);
    assert_int_equal(allfold_factors(1 << 24, 16).rounds, 6);
    assert_int_equal(allfold_factors(INT32_MAX, 2).rounds, 32);
    assert_int_equal(allfold_factors(INT32_MAX, 2).core, 1 << 30);
    assert_int_equal(allfold_factors(INT32_MAX, 16).rounds, 10);
}

/* The ranks of a digit: those that a common index without it has, in order. */
static void test_digits_and_pieces(void **state)
{
    (void)state;
    for (int radix = 2; radix <= 5; radix++)
        for (int stride = 1; stride <= 12; stride++)
            for (int index = 0; index < 200; index++) {
                const struct radix_group group = allfold_radix_group(index, radix, stride);
                assert_in_range(group.position, 0, radix - 1);
                assert_int_equal(group.first + group.position * stride, index);
                assert_int_equal(group.first / stride % radix, 0);
                assert_int_equal(group.first / stride / radix, index / stride / radix);
                assert_int_equal(group.first % stride, index % stride);
            }
    const struct bounds held = {10, 17}; /* 7 = 3 + 2 + 2 */
    static const size_t ends[] = {13, 15, 17};
    size_t at = held.lo;
    for (int j = 0; j < 3; j++) {
        assert_int_equal(allfold_piece(held, 3, j).lo, at);
        at = ends[j];
        assert_int_equal(allfold_piece(held, 3, j).hi, at);
    }
}

static void test_cores_of_other_sizes(void **state)
{
    (void)state;
    /* 11 ranks to 9: pairs 0-1 and 2-3 */
    static const int index[] = {0, -1, 1, -1, 2, 3, 4, 5, 6, 7, 8};
    for (int r = 0; r < 11; r++) {
        const struct core core = core_of_size(11, 9, r, 0);
        assert_int_equal(core.index, index[r]);
        assert_int_equal(core.partner, r < 4 ? r ^ 1 : -1);
        if (core.index >= 0)
            assert_int_equal(core_rank(&core, core.index, 0), r);
    }
}

static void test_segments(void **state)
{
    (void)state;
    static const struct {
        size_t count, bytes, length, segments;
    } table[] = {{10, 0, 4, 1}, {10, 4, 1, 4}, {10, 8, 2, 2}, {10, 12, 2, 2},
                 {10, 1, 1, 4}, {0, 0, 1, 0},  {1, 0, 1, 1},  {10, 99, 4, 1}};
    for (size_t i = 0; i < LENGTH(table); i++) {
        const struct allfold_problem problem = {
            .group = allfold_group_all(3, 0), .count = table[i].count, .element_bytes = 4};
        const struct segments segments = allfold_block_segments(&problem, table[i].bytes);
        assert_int_equal(segments.length, table[i].length);
        assert_int_equal(segments.count, table[i].segments);
        size_t at = 0;
        for (int b = 0; b < 3; b++) {
            const struct allfold_span block = allfold_block(ALLFOLD_OUT, &problem, b);
            for (size_t j = 0; j < segments.count; j++) {
                const struct allfold_span segment = segment_of(block, segments, j);
                assert_int_equal(segment.offset, at);
                at += segment.length;
            }
        }
        assert_int_equal(at, table[i].count);
    }
}

static void test_levels_are_the_digits_of_a_number(void **state)
{
    (void)state;
    const struct levels levels = allfold_levels_of(6273, 40); /* halves 2, doubles 2, cuts 3, 3 */
    static const struct level expected[] = {{2, true}, {2, false}, {3, true}, {3, false}};
    assert_int_equal(levels.count, 4);
    assert_int_equal(levels.core, 36);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(levels.level[i].radix, expected[i].radix);
        assert_int_equal(levels.level[i].scatters, expected[i].scatters);
    }
    /* at least p/2 and at most p ranks, no other digits */
    static const struct {
        size_t number;
        int p, count;
    } table[] = {{4, 3, 0},       {4, 4, 1},  {4, 8, 1},  {4, 9, 0},   {0, 1, 0},
                 {2, 1, 0},       {12, 2, 0}, {20, 2, 0}, {92, 10, 2}, {SIZE_MAX, INT32_MAX, 0},
                 {55555, 6250, 5}};
    for (size_t i = 0; i < LENGTH(table); i++)
        assert_int_equal(allfold_levels_of(table[i].number, table[i].p).count, table[i].count);
}

/* Short vectors double at all levels, long ones scatter at all. In between, with the same radices
 * no fewer levels scatter for a longer vector. Nothing that a number can say is cheaper. */
/* They are of those ranks, with the radices of the number, and cut into as many pieces at most. */
static void test_levels_like(void **state)
{
    (void)state;
    static const struct {
        size_t number, like;
        int p;
    } cases[] = {{2222, 22222, 32}, {44, 442, 32},  {8442, 842, 32},  {6666, 6666, 17},
                 {88, 8842, 128},   {5, 55, 41},    {3, 33, 9},       {7, 73, 9},
                 {2, 0, 1},         {6622, 662, 8}, {6622, 66222, 32}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(allfold_levels_like(cases[i].number, cases[i].p, false), cases[i].like);
    for (int p = 2; p <= 64; p++)
        for (size_t number = 2; number <= 9; number++) {
            const struct levels levels =
                allfold_levels_of(allfold_levels_like(number, p, false), p);
            assert_true(levels.count > 0);
            const struct levels tree = allfold_levels_of(allfold_levels_like(number, p, true), p);
            assert_true(tree.count > 0 && allfold_levels_keep_tree(&tree, p));
        }
}

static void test_best_levels(void **state)
{
    (void)state;
    for (int p = 2; p <= 70; p++) {
        struct allfold_problem problem = {
            .group = allfold_group_all(p, 0), .count = 1, .element_bytes = 4};
        const struct levels few = allfold_best_levels(&problem);
        for (int i = 0; i < few.count; i++)
            assert_false(few.level[i].scatters);
        assert_int_equal(few.core, allfold_factors(p, few.level[0].radix).core);
        problem.count = (size_t)1 << 30;
        const struct levels many = allfold_best_levels(&problem);
        for (int i = 0; i < many.count; i++)
            assert_true(many.level[i].scatters);
    }
    struct allfold_problem problem = {.group = allfold_group_all(64, 0), .element_bytes = 4};
    bool mixes = false;
    for (problem.count = 64; problem.count < 1 << 20; problem.count *= 2) {
        const struct levels best = allfold_best_levels(&problem);
        const struct allfold_claim claim = allfold_levels_claim(&best, &problem);
        const double best_s = allfold_cost_s(allfold_costs_of(&problem), &claim, 4);
        static const size_t others[] = {222222, 622222, 666222, 666666, 444, 844, 884, 888};
        for (size_t i = 0; i < LENGTH(others); i++) {
            const struct levels other = allfold_levels_of(others[i], 64);
            const struct allfold_claim of_other = allfold_levels_claim(&other, &problem);
            assert_true(best_s <= allfold_cost_s(allfold_costs_of(&problem), &of_other, 4));
        }
        mixes = mixes || best.level[0].scatters != best.level[best.count - 1].scatters;
    }
    assert_true(mixes);
}

static void test_room_of_levels(void **state)
{
    (void)state;
    const struct levels doubling = allfold_levels_of(54, 20), halving = allfold_levels_of(66, 4);
    const struct levels mixed = allfold_levels_of(65, 10);
    assert_int_equal(allfold_levels_room(&doubling, 10), 40);
    assert_int_equal(allfold_levels_room(&halving, 10), 10);
    assert_int_equal(allfold_levels_room(&mixed, 11), 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_the_digits_of_p),
        cmocka_unit_test(test_rounds_of_blocks),
        cmocka_unit_test(test_factors_are_the_best),
        cmocka_unit_test(test_factors_for_the_tree),
        cmocka_unit_test(test_factors_of_many_ranks),
        cmocka_unit_test(test_digits_and_pieces),
        cmocka_unit_test(test_cores_of_other_sizes),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_levels_are_the_digits_of_a_number),
        cmocka_unit_test(test_levels_like),
        cmocka_unit_test(test_best_levels),
        cmocka_unit_test(test_room_of_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
