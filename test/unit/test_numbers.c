/* Numbers, read and written alike whatever the program's locale.
 *
 * test/tools/test_locale.sh runs this test, too, with a locale that has a decimal comma. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <cmocka.h>

#include "util/number.h"
#include "util/quantity.h"
#include "support.h"

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        size_t length;
    } of[] = {{"0", 0, 1},       {"12", 12, 2},   {"1.5", 1.5, 3},       {"-1.5x", -1.5, 4},
              {".5s", 0.5, 2},   {"1.s", 1, 2},   {"6.5e-9", 6.5e-9, 6}, {"2E+3", 2000, 4},
              {"1e", 1, 1},      {"1e+", 1, 1},   {"1,5", 1, 1},         {"0x10", 0, 1},
              {"1.5.5", 1.5, 3}, {"00012", 12, 5}};
    for (size_t i = 0; i < LENGTH(of); i++) {
        double value = -1;
        const char *end = NULL;
        assert_true(allfold_number_read(of[i].text, &value, &end));
        assert_true(value == of[i].value);
        assert_int_equal(end - of[i].text, of[i].length);
        const bool is_whole = strlen(of[i].text) == of[i].length;
        assert_int_equal(allfold_number_is(of[i].text, &value), is_whole);
    }
}

static void test_no_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "-",
                                        ".",
                                        "-.",
                                        "e5",
                                        "+1",
                                        " 1",
                                        "inf",
                                        "nan",
                                        ",5",
                                        "1e999",
                                        "x",
                                        "--1",
                                        "1000000000000000000000000000000000000000000000000000"
                                        "0000000000000000000000000"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        double value = 7;
        const char *end = texts[i];
        assert_false(allfold_number_read(texts[i], &value, &end));
        assert_false(allfold_number_is(texts[i], &value));
        assert_true(value == 7 && end == texts[i]);
    }
}

static void test_whole_numbers(void **state)
{
    (void)state;
    char text[40];
    long value = 7;
    const char *end;
    assert_true(allfold_whole_read("12x3", 1, 12, &value, &end) && value == 12 && *end == 'x');
    assert_true(allfold_whole_is("-3", -3, -3, &value) && value == -3);
    static const char *const wrong[] = {"",
                                        "-",
                                        "0",
                                        "11",
                                        "5x",
                                        " 5",
                                        "+5",
                                        "5.",
                                        "x",
                                        "99999999999999999999",
                                        "-99999999999999999999"};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_false(allfold_whole_is(wrong[i], 1, 10, &value));
    assert_int_equal(value, -3);
    const long ends[] = {LONG_MIN, LONG_MAX, 0};
    for (size_t i = 0; i < LENGTH(ends); i++) {
        snprintf(text, sizeof text, "%ld", ends[i]);
        assert_true(allfold_whole_is(text, LONG_MIN, LONG_MAX, &value));
        assert_true(value == ends[i]);
    }
    assert_false(allfold_whole_is("9223372036854775808", LONG_MIN, LONG_MAX, &value));
    assert_false(allfold_whole_is("-9223372036854775809", LONG_MIN, LONG_MAX, &value));
}

static void test_written(void **state)
{
    (void)state;
    char text[40], usual[40], again[40];
    snprintf(usual, sizeof usual, "%g", 1.5);
    const locale_t before = allfold_numbers_plain();
    snprintf(text, sizeof text, "%g", 1.5);
    allfold_numbers_restore(before);
    assert_string_equal(text, "1.5");
    snprintf(again, sizeof again, "%g", 1.5); /* the program's locale is as it was */
    assert_string_equal(again, usual);
    allfold_quantity_write(1.5e-6, allfold_time_units, text, sizeof text);
    assert_string_equal(text, "1.5us");
    snprintf(again, sizeof again, "%g", 1.5);
    assert_string_equal(again, usual);
}

static void test_quantities(void **state)
{
    (void)state;
    double value;
    const char *end;
    assert_true(allfold_quantity_read("1.5us", allfold_time_units, &value, &end));
    assert_true(value == 1.5e-6 && *end == '\0');
    static const char *const wrong[] = {"1,5us", "-1us", ".5us", "1.5", "us", ""};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_false(allfold_quantity_read(wrong[i], allfold_time_units, &value, &end));
}

/* The comma is really there where the script says so, or the run under it would prove nothing. */
static void test_the_locale(void **state)
{
    (void)state;
    char text[40];
    const char *point = getenv("ALLFOLD_TEST_POINT");
    if (point == NULL)
        skip();
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_int_equal(text[1], *point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_written),
        cmocka_unit_test(test_quantities),    cmocka_unit_test(test_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
