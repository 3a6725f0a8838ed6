/* Statistics of times: the median's interval against chances counted one by one, and when a
 * measurement is precise enough. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lab/measure/statistics.h"

static void assert_near(double got, double expected, double off)
{
    if (!(fabs(got - expected) <= off))
        fail_msg("%g instead of %g", got, expected);
}

/* There are 2^n ways in which n samples lie below or above the median. In how many does it lie
 * between the j-th smallest and the j-th largest? */
static double chance_of(int n, int j)
{
    unsigned long inside = 0;
    for (unsigned long way = 0; way < 1ul << n; way++) {
        const int below = __builtin_popcountl(way);
        inside += below >= j && n - below >= j;
    }
    return (double)inside / (double)(1ul << n);
}

static void test_rank_is_the_largest(void **state)
{
    (void)state;
    static const double confidences[] = {0.5, 0.75, 0.9, 0.95, 0.99};
    for (size_t c = 0; c < sizeof confidences / sizeof *confidences; c++)
        for (int n = 1; n <= 16; n++) {
            const int j = allfold_median_rank(n, confidences[c]);
            assert_in_range(j, 0, n / 2);
            if (j > 0)
                assert_true(chance_of(n, j) >= confidences[c]);
            if (2 * (j + 1) <= n)
                assert_true(chance_of(n, j + 1) < confidences[c]);
        }
}

/* The tables of textbooks (Conover, Practical Nonparametric Statistics). */
static void test_rank_known(void **state)
{
    (void)state;
    assert_int_equal(allfold_median_rank(0, 0.95), 0);
    assert_int_equal(allfold_median_rank(5, 0.95), 0);
    assert_int_equal(allfold_median_rank(6, 0.95), 1);
    assert_int_equal(allfold_median_rank(10, 0.95), 2);
    assert_int_equal(allfold_median_rank(30, 0.95), 10);
    assert_int_equal(allfold_median_rank(100, 0.95), 40);
    assert_int_equal(allfold_median_rank(1000, 0.95), 469);
    assert_int_equal(allfold_median_rank(100, 0.99), 37);
    assert_int_equal(allfold_median_rank(6, 0.96875), 1); /* just that */
    assert_int_equal(allfold_median_rank(6, 0.96876), 0);
}

static void test_figures(void **state)
{
    (void)state;
    struct allfold_statistics s;
    const double samples[] = {7, 1, 3, 100, 5, 2, 6, 4, 9, 8};
    assert_true(allfold_statistics_of(samples, 10, 0.95, &s));
    assert_int_equal(s.count, 10);
    assert_near(s.least, 1, 0);
    assert_near(s.most, 100, 0);
    assert_near(s.median, 5.5, 1e-12);
    assert_near(s.mean, 14.5, 1e-12);
    assert_near(s.deviation, 30.1524, 1e-4);
    assert_near(s.first, 3.25, 1e-12);
    assert_near(s.third, 7.75, 1e-12);
    assert_near(s.most_of_99, 100, 0);
    assert_true(s.has_interval);
    assert_near(s.from, 2, 0); /* the second of each end: 97.9 percent */
    assert_near(s.to, 9, 0);
    assert_int_equal(s.low, 0);
    assert_int_equal(s.high, 1);
    assert_near(samples[0], 7, 0); /* they stay in their order */
}

static void test_few(void **state)
{
    (void)state;
    struct allfold_statistics s;
    const double samples[] = {3, 1, 2};
    assert_true(allfold_statistics_of(samples, 0, 0.95, &s));
    assert_int_equal(s.count, 0);
    assert_false(s.has_interval);
    assert_true(allfold_statistics_of(samples, 1, 0.95, &s));
    assert_near(s.median, 3, 0);
    assert_near(s.deviation, 0, 0);
    assert_true(allfold_statistics_of(samples, 3, 0.95, &s));
    assert_near(s.median, 2, 0);
    assert_near(s.most_of_99, 3, 0);
    assert_false(s.has_interval);
}

/* The quartiles are 11.75 and 15.25, so the fences are 6.5 and 20.5. */
static void test_outliers_on_both_sides(void **state)
{
    (void)state;
    struct allfold_statistics s;
    const double samples[] = {10, 11, 12, 13, 14, 15, 16, 6, 20, 21, 13, 13};
    assert_true(allfold_statistics_of(samples, 12, 0.95, &s));
    assert_int_equal(s.low, 1);
    assert_int_equal(s.high, 1);
    assert_near(s.least, 6, 0); /* they count */
    assert_near(s.most, 21, 0);
}

static void test_repetitions(void **state)
{
    (void)state;
    const struct allfold_effort effort = {
        .confidence = 0.95, .width = 0.05, .least = 10, .most = 100, .longest_s = 2};
    struct allfold_statistics s = {
        .count = 20, .median = 100, .from = 97.6, .to = 102.5, .has_interval = true};
    assert_true(allfold_is_precise(&s, &effort));
    assert_false(allfold_needs_more(&s, &effort, 0.1));
    s.count = 9; /* fewer than the least, however precise, however long */
    assert_true(allfold_needs_more(&s, &effort, 0.1));
    assert_true(allfold_needs_more(&s, &effort, 1000));
    s.count = 20;
    s.to = 102.7; /* too wide */
    assert_false(allfold_is_precise(&s, &effort));
    assert_true(allfold_needs_more(&s, &effort, 1.9));
    assert_false(allfold_needs_more(&s, &effort, 2)); /* its time is over */
    s.count = 100;                                    /* as many as there may be */
    assert_false(allfold_needs_more(&s, &effort, 0.1));
    s.count = 20;
    s.has_interval = false;
    s.to = s.from;
    assert_true(allfold_needs_more(&s, &effort, 0.1));
}

/* A median of random samples lies in the interval as often as it says. */
static void test_coverage(void **state)
{
    (void)state;
    enum { LAUNCHES = 4000, SAMPLES = 25 };
    uint64_t random = 1;
    int inside = 0;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        double samples[SAMPLES];
        struct allfold_statistics s;
        for (int i = 0; i < SAMPLES; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const double even = (double)(random >> 11) * 0x1p-53;
            samples[i] =
                even < 0.5 ? even : 1 / (1 - even); /* a long tail; its median is 0.5 to 2 */
        }
        assert_true(allfold_statistics_of(samples, SAMPLES, 0.95, &s));
        inside += s.from <= 0.5 + 1e-9 && s.to >= 0.5 - 1e-9;
    }
    /* j = 8 of 25: 95.7 percent, with four standard errors of the count */
    assert_in_range(inside, (int)(LAUNCHES * 0.944), (int)(LAUNCHES * 0.970));
}

static void test_disturbed(void **state)
{
    (void)state;
    assert_false(allfold_is_disturbed(62, 77)); /* native on cores that ranks share */
    assert_false(allfold_is_disturbed(1, 2));
    assert_true(allfold_is_disturbed(67, 1339));           /* the same, beside a compiler */
    assert_true(allfold_is_disturbed(INFINITY, INFINITY)); /* nothing was measured */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_is_the_largest),
        cmocka_unit_test(test_rank_known),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_outliers_on_both_sides),
        cmocka_unit_test(test_repetitions),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_disturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
