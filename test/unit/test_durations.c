/* Durations as people write them, and the variables about waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/quantity.h"
#include "select/settings.h"
#include "support.h"

static double read(const char *text)
{
    double seconds = -1;
    const bool is_one = allfold_duration_read(text, strlen(text), &seconds);
    assert_true(is_one == (seconds > 0));
    return seconds;
}

static void test_units(void **state)
{
    (void)state;
    assert_true(read("30") == 30);
    assert_true(read("30s") == 30);
    assert_true(read("0.5s") == 0.5);
    assert_true(read("250ms") == 0.25);
    assert_true(read("5m") == 300);
    assert_true(read("2h") == 7200);
    assert_true(read("168h") == 7 * 86400);
}

static void test_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "s",
                                        "ms",
                                        "0",
                                        "0s",
                                        "-1s",
                                        "169h",
                                        "1d",
                                        "1s ",
                                        "1 s",
                                        "nan",
                                        "inf",
                                        "1S",
                                        "1sm",
                                        "x",
                                        "1e99s",
                                        "--1s",
                                        "1h1s",
                                        "1000000000000000000000000000000000"};
    for (size_t i = 0; i < LENGTH(texts); i++)
        assert_true(read(texts[i]) == -1);
}

/* Only a bounded number of characters is read. */
static void test_length(void **state)
{
    (void)state;
    double seconds = 0;
    assert_true(allfold_duration_read("30s,abort", 3, &seconds) && seconds == 30);
    assert_true(allfold_duration_read("12345", 2, &seconds) && seconds == 12);
    assert_false(allfold_duration_read("30s", 0, &seconds));
}

static const char *variable, *value;
static char complaint[ALLFOLD_MESSAGE_BYTES];

static const char *get(const char *name)
{
    return strcmp(name, variable) == 0 ? value : NULL;
}

static void complain(const char *message)
{
    assert_string_equal(complaint, "");
    snprintf(complaint, sizeof complaint, "%s", message);
}

static struct allfold_settings settings_with(const char *name, const char *text)
{
    struct allfold_settings settings;
    variable = name;
    value = text;
    complaint[0] = '\0';
    allfold_settings_read(&settings, get, complain);
    return settings;
}

static void test_timeout(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int ms, aborts;
    } cases[] = {{"30s", 30000, 0},       {"1", 1000, 0}, {"1ms,abort", 1, 1},
                 {"2m,abort", 120000, 1}, {"0", 0, 0},    {"", 0, 0}};
    static const char *const wrong[] = {"30s,Abort", ",abort", "abort", "30s,chek",
                                        "soon",      "-1s",    "0.1ms"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_settings settings = settings_with("ALLFOLD_TIMEOUT", cases[i].text);
        assert_string_equal(complaint, "");
        assert_int_equal(settings.common.timeout_ms, cases[i].ms);
        assert_int_equal(settings.common.timeout_aborts, cases[i].aborts);
    }
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char words[ALLFOLD_MESSAGE_BYTES];
        const struct allfold_settings settings = settings_with("ALLFOLD_TIMEOUT", wrong[i]);
        snprintf(words, sizeof words, "ALLFOLD_TIMEOUT=%s: expected a duration like 30s or 500ms",
                 wrong[i] + (*wrong[i] == ','));
        if (strcmp(wrong[i], "30s,chek") == 0)
            strcpy(words, "ALLFOLD_TIMEOUT: 'chek' is no part of it: expected abort, check");
        assert_memory_equal(settings.broken_promise, words, strlen(words));
        assert_string_equal(complaint, "");
    }
}

/* Each rank may have a thread or none. */
static void test_progress(void **state)
{
    (void)state;
    const struct allfold_settings calls = settings_with("ALLFOLD_NONBLOCKING", "thread=0");
    assert_false(calls.progress_thread);
    const struct allfold_settings thread = settings_with("ALLFOLD_NONBLOCKING", "thread");
    assert_true(thread.progress_thread);
    assert_true(allfold_settings_fingerprint(&calls) == allfold_settings_fingerprint(&thread));
    assert_string_equal(complaint, "");
    assert_false(settings_with("ALLFOLD_NONBLOCKING", "thread=2").progress_thread);
    assert_string_equal(complaint, "ALLFOLD_NONBLOCKING=thread=2 is not 0 or 1; 0 is taken");
}

/* Ranks that wait otherwise would not answer each other. */
static void test_fingerprint(void **state)
{
    (void)state;
    static const char *const texts[] = {"0", "30s", "31s", "30s,abort"};
    const struct allfold_settings checked = settings_with("ALLFOLD_TIMEOUT", "check");
    const struct allfold_settings unchecked = settings_with("ALLFOLD_TIMEOUT", "check=0");
    assert_true(checked.common.check && !unchecked.common.check);
    assert_true(allfold_settings_fingerprint(&checked) != allfold_settings_fingerprint(&unchecked));
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const struct allfold_settings one = settings_with("ALLFOLD_TIMEOUT", texts[i]);
        for (size_t k = 0; k < LENGTH(texts); k++) {
            const struct allfold_settings other = settings_with("ALLFOLD_TIMEOUT", texts[k]);
            assert_true((allfold_settings_fingerprint(&one) ==
                         allfold_settings_fingerprint(&other)) == (i == k));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),       cmocka_unit_test(test_none),
        cmocka_unit_test(test_length),      cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_fingerprint), cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
