/* Sizes: what is read and where it ends, what is written, and that the one undoes the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/sizes.h"
#include "support.h"
#include "util/number.h"

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
        cmocka_unit_test(test_read),       cmocka_unit_test(test_read_refuses),
        cmocka_unit_test(test_write),      cmocka_unit_test(test_write_keeps_within_its_text),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
