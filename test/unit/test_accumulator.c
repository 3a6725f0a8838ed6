/* Exact sums: what random cases do not reach. test/tools/accumulator.py has those. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "allfold_accumulator.h"

enum { LIMBS = ALLFOLD_ACCUMULATOR_LIMBS };

static struct allfold_accumulator sum_of(const double *x, size_t n)
{
    struct allfold_accumulator acc = {0};
    allfold_accumulate(&acc, x, n);
    return acc;
}

static void assert_same_bits(double got, double expected)
{
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("%a instead of %a", got, expected);
}

static void assert_rounds_to(const struct allfold_accumulator *acc, double expected)
{
    assert_same_bits(allfold_accumulator_round(acc), expected);
}

static void test_nothing_and_zeros(void **state)
{
    (void)state;
    static const double zeros[] = {-0.0, -0.0, 0.0};
    assert_rounds_to(&(struct allfold_accumulator){0}, 0.0);
    const struct allfold_accumulator negative = sum_of(zeros, 2), both = sum_of(zeros, 3);
    assert_rounds_to(&negative, -0.0);
    assert_rounds_to(&both, 0.0);
    struct allfold_accumulator product = {0};
    allfold_accumulate_dot(&product, (double[]){-0.0}, (double[]){1.0}, 1);
    assert_rounds_to(&product, -0.0);
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double x[] = {INFINITY, 1.0, -INFINITY}, nan[] = {1.0, NAN};
    const struct allfold_accumulator one = sum_of(x, 2), both = sum_of(x, 3),
                                     other = sum_of(x + 1, 2), none = sum_of(nan, 2);
    assert_rounds_to(&one, INFINITY);
    assert_rounds_to(&other, -INFINITY);
    assert_true(isnan(allfold_accumulator_round(&both)));
    assert_true(isnan(allfold_accumulator_round(&none)));
    struct allfold_accumulator product = {0};
    allfold_accumulate_dot(&product, (double[]){INFINITY}, (double[]){0.0}, 1);
    assert_true(isnan(allfold_accumulator_round(&product)));
    assert_true(isnan(allfold_accumulator_round_float(&product)));
}

/* Sums beyond the range of a double are no infinities until they are rounded. */
static void test_beyond_the_range(void **state)
{
    (void)state;
    struct allfold_accumulator acc = sum_of((double[]){DBL_MAX}, 1);
    for (int i = 0; i < 60; i++)
        allfold_accumulator_add(&acc, &acc);
    assert_rounds_to(&acc, INFINITY);
    struct allfold_accumulator back = sum_of((double[]){-DBL_MAX}, 1);
    for (int i = 0; i < 60; i++)
        allfold_accumulator_add(&back, &back);
    assert_rounds_to(&back, -INFINITY);
    allfold_accumulator_add(&acc, &back);
    allfold_accumulate(&acc, (double[]){-0x1p-1074}, 1);
    assert_rounds_to(&acc, -0x1p-1074);

    struct allfold_accumulator products = {0};
    static const double most[] = {DBL_MAX, DBL_MAX, 0x1p-1074};
    static const double other[] = {DBL_MAX, -DBL_MAX, 0x1p1000};
    allfold_accumulate_dot(&products, most, other, 3);
    assert_rounds_to(&products, 0x1p-74);
}

/* The largest double, half a unit more, and a bit less than that. */
static void test_rounds_to_nearest(void **state)
{
    (void)state;
    static const struct {
        double x[3], expected;
    } cases[] = {
        {{1, 0x1p-53, 0}, 1},
        {{1, 0x1p-53, 0x1p-1074}, 1 + 0x1p-52},
        {{1 + 0x1p-52, 0x1p-53, 0}, 1 + 0x1p-51},
        {{1 + 0x1p-52, 0x1p-53, -0x1p-1074}, 1 + 0x1p-52},
        {{-1, -0x1p-53, -0x1p-1074}, -1 - 0x1p-52},
        {{DBL_MAX, 0x1p970, 0}, INFINITY},
        {{DBL_MAX, 0x1p970, -0x1p-1074}, DBL_MAX},
        {{DBL_MIN, -0x1p-1074, 0}, DBL_MIN - 0x1p-1074},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct allfold_accumulator acc = sum_of(cases[i].x, 3);
        assert_rounds_to(&acc, cases[i].expected);
    }
    struct allfold_accumulator tiny = {0};
    allfold_accumulate_dot(&tiny, (double[]){0x1p-1074}, (double[]){0.5}, 1);
    assert_rounds_to(&tiny, 0); /* a tie, to even */
    allfold_accumulate_dot(&tiny, (double[]){0x1p-1074}, (double[]){0x1p-1074}, 1);
    assert_rounds_to(&tiny, 0x1p-1074);
}

/* A sum that is rounded to a double first would be a tie for the float, and go the wrong way. */
static void test_rounds_once_to_float(void **state)
{
    (void)state;
    static const double x[] = {1, 0x1p-24, 0x1p-80};
    const struct allfold_accumulator acc = sum_of(x, 3);
    assert_true((float)allfold_accumulator_round(&acc) == 1.0f);
    assert_true(allfold_accumulator_round_float(&acc) == 1.0f + 0x1p-23f);
    const struct allfold_accumulator big = sum_of((double[]){FLT_MAX, 0x1p103}, 2);
    assert_true(isinf(allfold_accumulator_round_float(&big)));
}

/* Limbs as large as they may get leave room for what is added before they settle. */
static void test_full_limbs(void **state)
{
    (void)state;
    const int64_t most = INT64_C(1) << 30;
    static const double x[] = {-DBL_MAX, -DBL_MIN, -1.5, -0x1.fffffffffffffp40, -0x1p-1074};
    const size_t n = sizeof x / sizeof *x;
    for (int64_t unsettled = most - 3; unsettled <= most; unsettled++) {
        struct allfold_accumulator full = {.unsettled = unsettled};
        for (int i = 0; i < LIMBS - 1; i++)
            full.limbs[i] = -unsettled * (INT64_C(1) << 32);
        struct allfold_accumulator expected = full;
        allfold_accumulator_settle(&expected);
        const struct allfold_accumulator added = sum_of(x, n);
        allfold_accumulator_add(&expected, &added);
        allfold_accumulate(&full, x, n);
        assert_true(full.unsettled <= most + 2);
        allfold_accumulator_settle(&full);
        allfold_accumulator_settle(&expected);
        assert_memory_equal(&full, &expected, sizeof full);
    }
}

/* Settled ones add as integers, as a reduction over ranks does. */
static void test_adds_as_integers(void **state)
{
    (void)state;
    static const double x[] = {1e300, -1e300, 3.5, -0x1p-1074, -7e-200, -2};
    const size_t n = sizeof x / sizeof *x;
    struct allfold_accumulator whole = sum_of(x, n), parts = {0};
    for (size_t i = 0; i < n; i++) {
        struct allfold_accumulator one = sum_of(x + i, 1);
        allfold_accumulator_settle(&one);
        const int64_t *from = (const int64_t *)&one;
        int64_t *to = (int64_t *)&parts;
        for (size_t k = 0; k < sizeof one / sizeof *from; k++)
            to[k] += from[k];
    }
    assert_int_equal(parts.unsettled, (int64_t)n);
    allfold_accumulator_settle(&whole);
    allfold_accumulator_settle(&parts);
    assert_memory_equal(&whole, &parts, sizeof whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_and_zeros),    cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_beyond_the_range),     cmocka_unit_test(test_rounds_to_nearest),
        cmocka_unit_test(test_rounds_once_to_float), cmocka_unit_test(test_full_limbs),
        cmocka_unit_test(test_adds_as_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
