/* Fits, on times that were made up, so that the answers are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lab/measure/fit.h"

static void assert_near(double got, double expected, double share)
{
    if (!(fabs(got - expected) <= share * fabs(expected)))
        fail_msg("%g instead of %g", got, expected);
}

/* A number from -1 to 1, another one each time. */
static double noise(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

static struct allfold_fit_point point_of(double bytes, double latency_s, double byte_s)
{
    return (struct allfold_fit_point){.x = {1, bytes}, .time_s = latency_s + bytes * byte_s};
}

/* Sizes of 8 bytes to 4 MiB on one line. */
static int line(struct allfold_fit_point *points, double latency_s, double byte_s, double off)
{
    int count = 0;
    for (double bytes = 8; bytes <= 4 << 20; bytes *= 2) {
        points[count] = point_of(bytes, latency_s, byte_s);
        points[count++].time_s *= 1 + off * noise();
    }
    return count;
}

static void test_line(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit fit;
    const int count = line(points, 2e-6, 0.3e-9, 0);
    assert_true(allfold_fit(points, count, 2, &fit));
    assert_near(fit.value[0], 2e-6, 1e-9);
    assert_near(fit.value[1], 0.3e-9, 1e-9);
    assert_true(fit.most_error < 1e-9);
    assert_near(allfold_fit_time_s(&fit, &points[3]), points[3].time_s, 1e-9);
}

/* With times from microseconds to milliseconds, small ones count as much as long ones. */
static void test_noise(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit fit;
    const int count = line(points, 2e-6, 0.3e-9, 0.05);
    assert_true(allfold_fit(points, count, 2, &fit));
    assert_near(fit.value[0], 2e-6, 0.05);
    assert_near(fit.value[1], 0.3e-9, 0.05);
    assert_true(fit.median_error > 0.001 && fit.most_error < 0.1);
}

/* One of twenty times is ten times too long: least squares alone would make the line useless. */
static void test_outlier(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit fit;
    const int count = line(points, 2e-6, 0.3e-9, 0.01);
    points[4].time_s *= 10;
    points[15].time_s *= 10;
    assert_true(allfold_fit(points, count, 2, &fit));
    assert_near(fit.value[0], 2e-6, 0.03);
    assert_near(fit.value[1], 0.3e-9, 0.03);
    assert_true(fit.median_error < 0.02);
    assert_true(fit.most_error > 0.8); /* it is not left out of the report */
}

/* Rounds, messages beside the first, bytes sent, bytes reduced. */
static void test_four_terms(void **state)
{
    (void)state;
    static const double value[ALLFOLD_FIT_TERMS] = {30e-6, 8e-6, 40e-9, 0.1e-9};
    struct allfold_fit_point points[ALLFOLD_FIT_POINTS] = {{.time_s = 0}};
    struct allfold_fit fit;
    int count = 0;
    for (int messages = 1; messages <= 4; messages *= 2)
        for (double bytes = 8; bytes <= 1 << 20; bytes *= 4)
            for (int reduces = 0; reduces < 2; reduces++) {
                struct allfold_fit_point *point = &points[count++];
                *point = (struct allfold_fit_point){.x = {1, messages - 1, bytes, reduces * bytes}};
                for (int i = 0; i < ALLFOLD_FIT_TERMS; i++)
                    point->time_s += value[i] * point->x[i];
            }
    assert_true(allfold_fit(points, count, 4, &fit));
    for (int i = 0; i < ALLFOLD_FIT_TERMS; i++)
        assert_near(fit.value[i], value[i], 1e-6);
}

/* Times that fall with the bytes have none; what no point shows is 0. */
static void test_no_negatives(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit fit;
    const int count = line(points, 2e-6, -0.1e-12, 0);
    assert_true(allfold_fit(points, count, 3, &fit));
    assert_true(fit.value[1] == 0);
    assert_true(fit.value[2] == 0);
    assert_near(fit.value[0], 2e-6, 0.1);
}

static void test_refused(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit fit;
    struct allfold_fit_class classes[ALLFOLD_FIT_CLASSES];
    const int count = line(points, 2e-6, 0.3e-9, 0);
    assert_false(allfold_fit(points, 0, 2, &fit));
    assert_false(allfold_fit(points, count, 0, &fit));
    assert_false(allfold_fit(points, count, ALLFOLD_FIT_TERMS + 1, &fit));
    assert_int_equal(allfold_fit_classes(points, 0, 3, classes), 0);
    points[1].time_s = 0;
    assert_false(allfold_fit(points, count, 2, &fit));
    points[1].time_s = NAN;
    assert_false(allfold_fit(points, count, 2, &fit));
}

static void test_one_class(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit_class classes[ALLFOLD_FIT_CLASSES];
    for (int i = 0; i < 2; i++) {
        const int count = line(points, 2e-6, 0.3e-9, i * 0.03);
        assert_int_equal(allfold_fit_classes(points, count, 4, classes), 1);
        assert_int_equal(classes[0].from_bytes, 0);
        assert_near(classes[0].latency_s, 2e-6, i * 0.05 + 1e-9);
        assert_near(classes[0].byte_s, 0.3e-9, i * 0.05 + 1e-9);
    }
    assert_int_equal(allfold_fit_classes(points, 2, 4, classes), 1);
    assert_int_equal(allfold_fit_classes(points, 1, 4, classes), 1);
}

/* Three ways of sending, as MPI libraries have them: the cuts are found, up to the sizes between
 * which they lie. */
static void test_three_classes(void **state)
{
    (void)state;
    struct allfold_fit_point points[40];
    struct allfold_fit_class classes[ALLFOLD_FIT_CLASSES];
    int count = 0;
    for (double bytes = 8; bytes <= 4 << 20; bytes *= 2) {
        points[count] = bytes <= 512     ? point_of(bytes, 1e-6, 2e-9)
                        : bytes <= 65536 ? point_of(bytes, 3e-6, 0.5e-9)
                                         : point_of(bytes, 50e-6, 0.1e-9);
        points[count++].time_s *= 1 + 0.01 * noise();
    }
    assert_int_equal(allfold_fit_classes(points, count, 6, classes), 3);
    assert_int_equal(classes[0].from_bytes, 0);
    assert_in_range(classes[1].from_bytes, 513, 1024);
    assert_in_range(classes[2].from_bytes, 65537, 131072);
    assert_near(classes[0].latency_s, 1e-6, 0.05);
    assert_near(classes[1].latency_s, 3e-6, 0.05);
    assert_near(classes[1].byte_s, 0.5e-9, 0.05);
    assert_near(classes[2].latency_s, 50e-6, 0.05);
    assert_near(classes[2].byte_s, 0.1e-9, 0.05);
    assert_int_equal(allfold_fit_classes(points, count, 2, classes), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),         cmocka_unit_test(test_noise),
        cmocka_unit_test(test_outlier),      cmocka_unit_test(test_four_terms),
        cmocka_unit_test(test_no_negatives), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_one_class),    cmocka_unit_test(test_three_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
