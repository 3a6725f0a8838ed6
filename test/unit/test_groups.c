/* Groups of nodes, from times between them that are off by chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lab/measure/groups.h"

static uint64_t seed;

/* From 0 to 1. */
static double chance(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (1 << 24);
}

/* Times between n nodes, of which node i is in group i / size or, cyclic, i mod (n / size); off by
 * up to a fifth. */
static struct allfold_groups groups_of(int n, int size, bool is_cyclic, double inside_s,
                                       double between_s)
{
    double times_s[ALLFOLD_GROUPED_NODES * ALLFOLD_GROUPED_NODES];
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            const bool is_inside =
                is_cyclic ? a % (n / size) == b % (n / size) : a / size == b / size;
            times_s[a * n + b] = (is_inside ? inside_s : between_s) * (0.9 + 0.2 * chance());
        }
    return allfold_groups_find(times_s, n);
}

static void clear_groups_are_found(void **context)
{
    (void)context;
    for (seed = 1; seed < 50; seed += 7) {
        const struct allfold_groups blocks = groups_of(16, 4, false, 10e-6, 20e-6);
        assert_int_equal(blocks.count, 4);
        for (int i = 0; i < 16; i++)
            assert_int_equal(blocks.group_of[i], i / 4);
        assert_true(blocks.inside_s > 9e-6 && blocks.inside_s < 11e-6);
        assert_true(blocks.between_s > 18e-6 && blocks.between_s < 22e-6);
        const struct allfold_groups cyclic = groups_of(12, 4, true, 10e-6, 100e-6);
        assert_int_equal(cyclic.count, 3);
        for (int i = 0; i < 12; i++)
            assert_int_equal(cyclic.group_of[i], i % 3);
    }
}

static void without_a_gap_there_are_none(void **context)
{
    (void)context;
    for (seed = 1; seed < 50; seed += 7) {
        const struct allfold_groups alike = groups_of(16, 4, false, 10e-6, 10e-6);
        assert_int_equal(alike.count, 1);
        assert_true(alike.inside_s == alike.between_s);
        assert_int_equal(groups_of(16, 4, false, 10e-6, 13e-6).count, 1);
        assert_int_equal(groups_of(1, 1, false, 10e-6, 30e-6).count, 1);
        assert_int_equal(groups_of(2, 1, false, 10e-6, 30e-6).count, 1);
    }
}

/* One pair of many that was disturbed makes no group and hides none. */
static void one_disturbed_pair_changes_nothing(void **context)
{
    double times_s[8 * 8];
    (void)context;
    for (int a = 0; a < 8; a++)
        for (int b = a + 1; b < 8; b++)
            times_s[a * 8 + b] = a / 4 == b / 4 ? 10e-6 : 30e-6;
    times_s[0 * 8 + 2] = 200e-6;
    const struct allfold_groups two = allfold_groups_find(times_s, 8);
    assert_int_equal(two.count, 2);
    assert_true(allfold_groups_are_alike(&two, &two, 8));
    struct allfold_groups other = two;
    other.group_of[3] = 1;
    assert_false(allfold_groups_are_alike(&two, &other, 8));
    other.count = 1;
    assert_false(allfold_groups_are_alike(&two, &other, 8));
    for (int a = 0; a < 8; a++) /* one node far from all others */
        for (int b = a + 1; b < 8; b++)
            times_s[a * 8 + b] = a == 0 ? 30e-6 : 10e-6;
    assert_int_equal(allfold_groups_find(times_s, 8).count, 1);
    for (int i = 0; i < 64; i++)
        times_s[i] = 10e-6;
    times_s[0 * 8 + 2] = 200e-6;
    assert_int_equal(allfold_groups_find(times_s, 8).count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_groups_are_found),
        cmocka_unit_test(without_a_gap_there_are_none),
        cmocka_unit_test(one_disturbed_pair_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
