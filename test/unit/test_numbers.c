/* Numbers, read and written alike whatever the program's locale.
 *
 * test/tools/test_locale.sh runs this test, too, with a locale that has a decimal comma. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support.h"
#include "util/number.h"
#include "util/quantity.h"

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
    static const struct {
        double value;
        const struct allfold_unit *units;
        const char *text;
    } same[] = {
        {440e-9, allfold_time_units, "440ns"},     {0.1e-9, allfold_time_units, "100ps"},
        {299.5e-9, allfold_time_units, "299.5ns"}, {3e-6, allfold_time_units, "3us"},
        {10e9, allfold_rate_units, "10GB/s"},      {480e6, allfold_rate_units, "480MB/s"},
        {120e9, allfold_rate_units, "120GB/s"},    {12.5e9, allfold_rate_units, "12.5GB/s"},
        {30, allfold_time_units, "30s"},           {1e-12, allfold_time_units, "1ps"},
    };
    for (size_t i = 0; i < LENGTH(same); i++) {
        char text[40];
        allfold_quantity_write(same[i].value, same[i].units, text, sizeof text);
        assert_string_equal(text, same[i].text);
        assert_true(allfold_quantity_read(text, same[i].units, &value, &end));
        assert_true(value == same[i].value);
    }
    assert_true(allfold_quantity_read("0.2us", allfold_time_units, &value, &end) && value == 2e-7);
    assert_true(allfold_quantity_read("2e-1us", allfold_time_units, &value, &end));
    assert_true(value > 1.999e-7 && value < 2.001e-7);
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

/* --- sizes ------------------------------------------------------------------------------------ */

/* Sizes: what is read and where it ends, what is written, and that the one undoes the other. */

static void test_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *rest;
    } sizes[] = {
        {"0", 0, ""},
        {"00017", 17, ""},
        {"4096", 4096, ""},
        {"1K", (size_t)1 << 10, ""},
        {"64k", (size_t)64 << 10, ""},
        {"3M", (size_t)3 << 20, ""},
        {"3m", (size_t)3 << 20, ""},
        {"2G", (size_t)2 << 30, ""},
        {"2g", (size_t)2 << 30, ""},
        {"5T", (size_t)5 << 40, ""},
        {"5t", (size_t)5 << 40, ""},
        {"0T", 0, ""},
        {"18446744073709551615", SIZE_MAX, ""},
        {"18014398509481983K", SIZE_MAX - 1023, ""},
        {"16777215T", SIZE_MAX - (((size_t)1 << 40) - 1), ""},
        {"7P", 7, "P"},
        {"7KK", (size_t)7 << 10, "K"},
        {"7KB", (size_t)7 << 10, "B"},
        {"1.5M", 1, ".5M"},
        {"12-34", 12, "-34"},
        {"8 K", 8, " K"},
    };
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        size_t size = 99;
        const char *end = NULL;
        assert_true(allfold_size_read(sizes[i].text, &size, &end));
        assert_int_equal(size, sizes[i].size);
        assert_string_equal(end, sizes[i].rest);
    }
}

/* Where nothing is read, nothing is changed. */
static void test_read_refuses(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "K",
        " 1",
        "-1",
        "+1",
        "x1",
        ".5",
        "18446744073709551616",
        "18446744073709551620",
        "99999999999999999999999999",
        "18014398509481984K",
        "17592186044416M",
        "17179869184G",
        "16777216T",
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        size_t size = 99;
        const char *end = "before";
        if (allfold_size_read(texts[i], &size, &end))
            fail_msg("'%s' was read as %zu", texts[i], size);
        assert_int_equal(size, 99);
        assert_string_equal(end, "before");
    }
}

static void test_write(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *text;
    } sizes[] = {
        {0, "0"},
        {1, "1"},
        {1023, "1023"},
        {1024, "1K"},
        {1025, "1.0K"},
        {1536, "1.5K"},
        {65536, "64K"},
        {10188, "9.9K"},
        {10189, "10.0K"},
        {1024 * 1024 - 52, "1023.9K"},
        {1024 * 1024 - 51, "1.0M"},
        {1024 * 1024 - 1, "1.0M"},
        {1024 * 1024, "1M"},
        {1024 * 1024 + 512 * 1024, "1.5M"},
        {(size_t)1023 << 20, "1023M"},
        {(size_t)1 << 30, "1G"},
        {(size_t)5 << 39, "2.5T"},
        {((size_t)1 << 40) - 1, "1.0T"},
        {((size_t)1024 << 40) - 1, "1024.0T"},
        {(size_t)1024 << 40, "1024T"},
        {SIZE_MAX - (((size_t)1 << 40) - 1), "16777215T"},
    };
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        char text[32];
        allfold_size_write(sizes[i].size, text, sizeof text);
        assert_string_equal(text, sizes[i].text);
    }
}

static void test_write_keeps_within_its_text(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= 8; bytes++) {
        char *text = malloc(bytes); /* as long as said, so that sanitizers see more */
        assert_non_null(text);
        allfold_size_write((size_t)1023 << 20, text, bytes);
        assert_int_equal(strlen(text), bytes - 1 < 5 ? bytes - 1 : 5);
        assert_memory_equal(text, "1023M", strlen(text));
        free(text);
    }
}

/* Exact where it is a whole number of its unit; with one digit else, so off by less than a
 * twentieth of the unit. */
static void test_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++) {
        char text[32];
        const unsigned bits = random_below(&seed, 64);
        const size_t size = ((size_t)random_below(&seed, 1u << 30) << 34 |
                             (size_t)random_below(&seed, 1u << 30) << 4) >>
                            bits;
        const size_t read_from = i % 2 == 0 ? size : size >> 10 << 10; /* whole ones, too */
        allfold_size_write(read_from, text, sizeof text);
        char *point = strchr(text, '.');
        const size_t unit_bits =
            strchr("KMGT", text[strlen(text) - 1]) == NULL
                ? 0
                : 10 * (size_t)(strchr("KMGT", text[strlen(text) - 1]) - "KMGT" + 1);
        size_t size_read;
        const char *end;
        assert_true(allfold_size_read(text, &size_read, &end));
        assert_true((point == NULL) == (read_from % ((size_t)1 << unit_bits) == 0));
        if (point == NULL) {
            assert_string_equal(end, "");
            assert_int_equal(size_read, read_from);
            continue;
        }
        assert_ptr_equal(end, point);
        double told;
        assert_true(allfold_number_read(text, &told, &end));
        told *= (double)((size_t)1 << unit_bits);
        const double off = told - (double)read_from;
        assert_true((off < 0 ? -off : off) <= 0.0501 * (double)((size_t)1 << unit_bits));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_written),
        cmocka_unit_test(test_quantities),    cmocka_unit_test(test_the_locale),
        cmocka_unit_test(test_read),          cmocka_unit_test(test_read_refuses),
        cmocka_unit_test(test_write),         cmocka_unit_test(test_write_keeps_within_its_text),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
