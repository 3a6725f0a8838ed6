/* Another rank's clock estimated from exchanges that take a random time each way, and the pattern
 * that results are checked by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/measure/clock.h"
#include "lab/measure/pattern.h"
#include "support.h"

static uint64_t seed = 7;

static double delay_s(void)
{
    const double least_s = 2e-6;
    return least_s + (random_below(&seed, 4) == 0 ? 0 : 1e-7 * random_below(&seed, 1000));
}

/* Exchanges at a time of our clock with one that is `ahead` at 0 and runs faster by `drift`. */
static double exchange(struct allfold_clock *clock, double at, double ahead, double drift)
{
    enum { PINGS = 30 };
    struct allfold_ping pings[PINGS];
    for (int i = 0; i < PINGS; i++) {
        pings[i].sent = at;
        at += delay_s();
        pings[i].answered = at + ahead + drift * at;
        at += delay_s();
        pings[i].received = at;
    }
    return allfold_clock_add(clock, pings, PINGS);
}

static double error_at(const struct allfold_clock *clock, double at, double ahead, double drift)
{
    return fabs(allfold_clock_tell(clock, at) - (at + ahead + drift * at));
}

static void test_nothing_known(void **state)
{
    (void)state;
    const struct allfold_clock clock = {0};
    assert_true(allfold_clock_tell(&clock, 17.5) == 17.5);
}

static void test_offset(void **state)
{
    (void)state;
    static const double offsets[] = {0, 1e-3, -5, 86400};
    for (size_t i = 0; i < LENGTH(offsets); i++) {
        struct allfold_clock clock = {0};
        const double bound_s = exchange(&clock, 100, offsets[i], 0);
        assert_true(bound_s < 20e-6);
        assert_true(error_at(&clock, 100.001, offsets[i], 0) <= bound_s);
    }
}

/* Ten exchanges over half a minute, then a second ahead. By then 30 ppm would be 30 us off, and 900
 * us if only the first exchange were known. */
static void test_drift(void **state)
{
    (void)state;
    struct allfold_clock clock = {0};
    for (int i = 0; i < 10; i++)
        exchange(&clock, 3.0 * i, -2, 30e-6);
    assert_true(error_at(&clock, 28, -2, 30e-6) < 10e-6);
    assert_true(fabs(clock.drift - 30e-6) < 1e-6);
}

/* Exchanges that follow at once say nothing of a drift. */
static void test_no_drift_of_noise(void **state)
{
    (void)state;
    struct allfold_clock clock = {0};
    for (int i = 0; i < 5; i++)
        exchange(&clock, 0.01 * i, 3, 0);
    assert_true(clock.drift == 0);
    assert_true(error_at(&clock, 10, 3, 0) < 20e-6);
}

/* What lies longer back than the last points is forgotten: the clock was set in between. */
static void test_forgets(void **state)
{
    (void)state;
    struct allfold_clock clock = {0};
    exchange(&clock, 0, 100, 0);
    for (int i = 1; i <= ALLFOLD_CLOCK_POINTS; i++)
        exchange(&clock, i, 3, 0);
    assert_true(error_at(&clock, ALLFOLD_CLOCK_POINTS + 1, 3, 0) < 20e-6);
}

static void test_shortest_exchange_counts(void **state)
{
    (void)state;
    struct allfold_clock clock = {0};
    const struct allfold_ping pings[] = {{0, 9, 1}, {10, 11, 14.5}, {20, 22, 30}};
    assert_true(allfold_clock_add(&clock, pings, 3) == 0.5);
    assert_true(allfold_clock_tell(&clock, 10.5) == 14.5);
}

/* --- patterns --- */

static char table[ALLFOLD_PATTERN_LENGTH * 16];

static void test_pattern_of_all_types(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    char *elements = malloc(COUNT * 16);
    int types = 0;
    for (int t = 0; t < ALLFOLD_TYPE_COUNT; t++) {
        const enum allfold_type type = (enum allfold_type)t;
        const size_t bytes = allfold_type_bytes(type), offset = allfold_pattern_offset(40, 3);
        if (!allfold_pattern_has(type))
            continue;
        types++;
        allfold_pattern_make(type, ALLFOLD_MAX, table);
        allfold_pattern_fill(table, bytes, offset, elements, COUNT);
        assert_int_equal(allfold_pattern_differs(table, bytes, offset, elements, COUNT), COUNT);
        assert_int_equal(allfold_pattern_differs(table, bytes, offset, elements, 0), 0);
        assert_true(allfold_pattern_differs(table, bytes, offset + 1, elements, COUNT) < 3);
        static const size_t wrong[] = {0, 1, ALLFOLD_PATTERN_LENGTH, 2047, COUNT - 1};
        for (size_t i = 0; i < LENGTH(wrong); i++) {
            char *last_byte = elements + (wrong[i] + 1) * bytes - 1;
            *last_byte ^= 1;
            assert_int_equal(allfold_pattern_differs(table, bytes, offset, elements, COUNT),
                             wrong[i]);
            *last_byte ^= 1;
        }
    }
    assert_int_equal(types, 13);
    free(elements);
}

/* Sums and products of many ranks are exact, so that no bracketing is taken for wrong. */
static void test_pattern_is_exact(void **state)
{
    (void)state;
    float values[ALLFOLD_PATTERN_LENGTH];
    allfold_pattern_make(ALLFOLD_FLOAT, ALLFOLD_SUM, values);
    for (int i = 0; i < ALLFOLD_PATTERN_LENGTH; i++)
        assert_true(values[i] >= 0 && values[i] < 16 && values[i] == floorf(values[i]));
    allfold_pattern_make(ALLFOLD_FLOAT, ALLFOLD_PROD, values);
    float product = 1;
    for (int i = 0; i < ALLFOLD_PATTERN_LENGTH; i++) {
        assert_true(values[i] == 1 || values[i] == 2);
        product *= values[i];
    }
    assert_true(product > 1 && product < 1e12f);
}

/* What a rank has at a call is neither what it had at the calls before nor what another rank has.
 */
static void test_pattern_differs_by_call(void **state)
{
    (void)state;
    enum { CALLS = 8 };
    assert_int_equal(allfold_pattern_offset(0, 0), 0);
    for (uint64_t call = 0; call < CALLS; call++)
        for (int rank = 1; rank < 390; rank++) {
            assert_int_not_equal(allfold_pattern_offset(0, call),
                                 allfold_pattern_offset(rank, call));
            assert_int_not_equal(allfold_pattern_offset(0, call),
                                 allfold_pattern_offset(rank, call + 1));
        }
    for (uint64_t call = 1; call < ALLFOLD_PATTERN_LENGTH; call++)
        assert_int_not_equal(allfold_pattern_offset(5, 0), allfold_pattern_offset(5, call));
}

/* All ranks' places shift alike, so one table of sums serves all calls. */
static void test_sums_move_with_the_call(void **state)
{
    (void)state;
    enum { N = ALLFOLD_PATTERN_LENGTH, CALL = 1000003 };
    double values[N], vectors[2][N], sums[N], at_call[N];
    allfold_pattern_make(ALLFOLD_DOUBLE, ALLFOLD_SUM, values);
    for (int moved = 0; moved < 2; moved++) {
        for (int rank = 0; rank < 2; rank++)
            allfold_pattern_fill(values, sizeof(double),
                                 allfold_pattern_offset(rank, moved ? CALL : 0), vectors[rank], N);
        for (int i = 0; i < N; i++)
            (moved ? at_call : sums)[i] = vectors[0][i] + vectors[1][i];
    }
    assert_int_equal(
        allfold_pattern_differs(sums, sizeof(double), allfold_pattern_offset(0, CALL), at_call, N),
        N);
}

static void test_pattern_varies_by_operation(void **state)
{
    (void)state;
    double values[ALLFOLD_PATTERN_LENGTH];
    allfold_pattern_make(ALLFOLD_DOUBLE, ALLFOLD_SUM, values);
    assert_true(allfold_pattern_varies(values, sizeof(double)));
    allfold_pattern_make(ALLFOLD_DOUBLE, ALLFOLD_PROD, values); /* nearly all are 1 */
    assert_false(allfold_pattern_varies(values, sizeof(double)));
}

static void test_pattern_is_printed(void **state)
{
    (void)state;
    char text[40];
    allfold_pattern_print(ALLFOLD_INT16, &(int16_t){7}, text, sizeof text);
    assert_string_equal(text, "7");
    allfold_pattern_print(ALLFOLD_DOUBLE, &(double){2.5}, text, sizeof text);
    assert_string_equal(text, "2.5");
    allfold_pattern_print(ALLFOLD_COMPLEX_FLOAT, (float[]){1, -3}, text, sizeof text);
    assert_string_equal(text, "(1, -3)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_no_drift_of_noise),
        cmocka_unit_test(test_forgets),
        cmocka_unit_test(test_shortest_exchange_counts),
        cmocka_unit_test(test_pattern_of_all_types),
        cmocka_unit_test(test_pattern_is_exact),
        cmocka_unit_test(test_pattern_differs_by_call),
        cmocka_unit_test(test_sums_move_with_the_call),
        cmocka_unit_test(test_pattern_varies_by_operation),
        cmocka_unit_test(test_pattern_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
