/* Settings: presets, what each variable does, what is complained of and how, and the number that
 * ranks compare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "select/settings.h"
#include "support.h"

/* The environment of a test, and what it was complained of. */
static struct {
    const char *name, *value;
} set[8];
static int set_count, complaints;
static char complaint[8][ALLFOLD_MESSAGE_BYTES];

static const char *get(const char *name)
{
    assert_memory_equal(name, "ALLFOLD_", 8);
    for (int i = 0; i < set_count; i++)
        if (strcmp(set[i].name, name) == 0)
            return set[i].value;
    return NULL;
}

static void complain(const char *message)
{
    assert_true(complaints < 8 && strlen(message) < ALLFOLD_MESSAGE_BYTES);
    strcpy(complaint[complaints++], message);
}

static void with(const char *name, const char *value)
{
    assert_true(set_count < 8);
    set[set_count].name = name;
    set[set_count++].value = value;
}

/* Reads the environment that is set up, and empties it. */
static struct allfold_settings settings_read(void)
{
    struct allfold_settings settings;
    complaints = 0;
    memset(&settings, 0x5a, sizeof settings);
    allfold_settings_read(&settings, get, complain);
    set_count = 0;
    return settings;
}

static struct allfold_settings with_one(const char *name, const char *value)
{
    with(name, value);
    return settings_read();
}

static void assert_presets(const struct allfold_settings *settings)
{
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        assert_string_equal(settings->rule_text[c], "");
        assert_string_equal(settings->rule_error[c], "");
        assert_int_equal(settings->rules[c].count, 0);
    }
    assert_int_equal(settings->window, 16);
    assert_int_equal(settings->cache_bytes, 4 << 20);
    assert_int_equal(settings->verbose, 0);
    assert_null(settings->report);
    assert_null(settings->trace);
    assert_null(settings->watch);
    assert_int_equal(settings->common.report_compare, 0);
    assert_int_equal(settings->common.sparse, ALLFOLD_SPARSE_AUTO);
    assert_int_equal(settings->common.reproducible, ALLFOLD_REPRODUCIBLE_OFF);
    assert_int_equal(settings->common.guard, ALLFOLD_GUARD_SWITCH);
    assert_int_equal(settings->device, ALLFOLD_DEVICE_AUTO);
    assert_int_equal(settings->device_segment_bytes, 16 << 20);
    assert_int_equal(settings->common.guard_share_ppm, 1000);
    assert_int_equal(settings->common.guard_first, 0);
    assert_null(settings->learn);
    assert_int_equal(settings->common.card_mbit, ALLFOLD_CARD_UNSET);
}

/* Variables without a value count as not set. */
static void test_presets(void **state)
{
    (void)state;
    struct allfold_settings settings = settings_read();
    assert_presets(&settings);
    assert_int_equal(complaints, 0);
    for (const struct allfold_variable *known = allfold_variables; known->name != NULL; known++) {
        settings = with_one(known->name, "");
        assert_presets(&settings);
        assert_int_equal(complaints, 0);
    }
}

/* What is printed is what is used. */
static void test_told_presets(void **state)
{
    (void)state;
    int count = 0;
    for (const struct allfold_variable *known = allfold_variables; known->name != NULL; known++) {
        assert_memory_equal(known->name, "ALLFOLD_", 8);
        assert_true(strlen(known->meaning) > 10);
        const struct allfold_settings settings = with_one(known->name, known->preset);
        assert_presets(&settings);
        assert_int_equal(complaints, 0);
        for (const struct allfold_variable *other = allfold_variables; other < known; other++)
            assert_string_not_equal(other->name, known->name);
        count++;
    }
    assert_int_equal(count, 30 + ALLFOLD_COLLECTIVE_COUNT);
}

static void test_numbers(void **state)
{
    (void)state;
    for (size_t window = 2; window <= 256; window *= 2) {
        char text[16];
        snprintf(text, sizeof text, "%zu", window);
        assert_int_equal(with_one("ALLFOLD_WINDOW", text).window, window);
        assert_int_equal(complaints, 0);
    }
    assert_int_equal(with_one("ALLFOLD_CACHE", "0").cache_bytes, 0);
    assert_int_equal(with_one("ALLFOLD_CACHE", "2g").cache_bytes, (size_t)2 << 30);
}

static void test_switches(void **state)
{
    (void)state;
    assert_int_equal(with_one("ALLFOLD_VERBOSE", "1").verbose, 1);
    assert_int_equal(with_one("ALLFOLD_TRANSPORT", "mpi").common.transport, ALLFOLD_TRANSPORT_MPI);
    assert_int_equal(with_one("ALLFOLD_TRANSPORT", "fabric").common.transport,
                     ALLFOLD_TRANSPORT_FABRIC);
    assert_string_equal(with_one("ALLFOLD_FABRIC", "tcp;ofi_rxm").fabric, "tcp;ofi_rxm");
    assert_int_equal(with_one("ALLFOLD_FABRIC", "net").common.transport, ALLFOLD_TRANSPORT_FASTER);
    assert_int_equal(with_one("ALLFOLD_VERBOSE", "1").common.transport, ALLFOLD_TRANSPORT_AUTO);
    assert_string_equal(with_one("ALLFOLD_REPORT", "1").report, "");
    assert_null(with_one("ALLFOLD_REPORT", "0").report);
    assert_string_equal(with_one("ALLFOLD_TABLE", "t.json").table, "t.json");
    assert_string_equal(with_one("ALLFOLD_TUNED_TABLE", "0").tuned_table, "0");
    assert_string_equal(with_one("ALLFOLD_REPORT", "10").report, "10");
    assert_string_equal(with_one("ALLFOLD_REPORT", "/a/b.csv").report, "/a/b.csv");
    assert_string_equal(with_one("ALLFOLD_TRACE", "a b").trace, "a b");
    assert_null(with_one("ALLFOLD_TRACE", "0").trace);
    assert_string_equal(with_one("ALLFOLD_WATCH", "1").watch, "");
    assert_string_equal(with_one("ALLFOLD_WATCH", "/a").watch, "/a");
    assert_null(with_one("ALLFOLD_WATCH", "0").watch);
    assert_int_equal(complaints, 0);
    assert_int_equal(with_one("ALLFOLD_REPORT", "1").report_sites, 0);
    assert_int_equal(with_one("ALLFOLD_REPORT_SITES", "1").report_sites, 1);
    assert_string_equal(with_one("ALLFOLD_REPORT_SITES", "1").report, "");
    assert_int_equal(complaints, 0);
    /* comparing asks for a report, which goes to its file */
    struct allfold_settings settings = with_one("ALLFOLD_REPORT_COMPARE", "1");
    assert_int_equal(settings.common.report_compare, 1);
    assert_string_equal(settings.report, "");
    with("ALLFOLD_REPORT_COMPARE", "1");
    settings = with_one("ALLFOLD_REPORT", "x.json");
    assert_int_equal(settings.common.report_compare, 1);
    assert_string_equal(settings.report, "x.json");
    assert_int_equal(complaints, 0);
}

static void test_rules(void **state)
{
    (void)state;
    with("ALLFOLD_ALLREDUCE", "0-4K:recursive_doubling;4K-:ring(segment=64K)");
    with("ALLFOLD_REDUCE", "binomial_tree");
    with("ALLFOLD_REDUCE_SCATTER_BLOCK", "flat;circulant(radix=3)");
    with("ALLFOLD_BARRIER", "dissemination(n=3)");
    const struct allfold_settings settings = with_one("ALLFOLD_BCAST", "native");
    assert_int_equal(complaints, 0);
    static const char *const texts[ALLFOLD_COLLECTIVE_COUNT] = {
        "0-4K:recursive_doubling;4K-:ring(segment=64K)",
        "binomial_tree",
        "native",
        "flat;circulant(radix=3)",
        "",
        "",
        "",
        "dissemination(n=3)",
        "",
        ""};
    static const int counts[ALLFOLD_COLLECTIVE_COUNT] = {2, 1, 1, 2, 0, 0, 0, 1};
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        assert_string_equal(settings.rule_text[c], texts[c]);
        assert_string_equal(settings.rule_error[c], "");
        assert_int_equal(settings.rules[c].count, counts[c]);
    }
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].rules[1].parameters.value[0], 65536);
    assert_string_equal(settings.rules[ALLFOLD_REDUCE].rules[0].algorithm->name, "binomial_tree");
    assert_null(settings.rules[ALLFOLD_BCAST].rules[0].algorithm);
}

static void test_guard(void **state)
{
    (void)state;
    assert_int_equal(with_one("ALLFOLD_GUARD", "off").common.guard, ALLFOLD_GUARD_OFF);
    assert_int_equal(with_one("ALLFOLD_GUARD", "report").common.guard, ALLFOLD_GUARD_REPORT);
    const struct allfold_settings settings = with_one("ALLFOLD_GUARD", "any,share=500000,first=16");
    assert_int_equal(settings.common.guard, ALLFOLD_GUARD_ANY);
    assert_int_equal(settings.common.guard_first, 16);
    assert_int_equal(settings.common.guard_share_ppm, 500000);
    assert_string_equal(with_one("ALLFOLD_LEARN", "x.json").learn, "x.json");
}

/* One complaint that names the value, what would be right, and the preset that is taken. */
static void test_card(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int mbit;
    } cases[] = {{"100Gbit/s", 100000},
                 {"2.5Gbit/s", 2500},
                 {"40Mbit/s", 40},
                 {"off", 0},
                 {"auto", ALLFOLD_CARD_UNSET}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_settings settings = with_one("ALLFOLD_CARD", cases[i].value);
        assert_int_equal(complaints, 0);
        assert_int_equal(settings.common.card_mbit, cases[i].mbit);
    }
}

static void test_complaints(void **state)
{
    (void)state;
    static const char window[] = "a power of two from 2 to 256; 16 is taken";
    static const char size[] = "a size like 64K; ";
    static const struct {
        const char *name, *value, *expected, *preset;
    } cases[] = {
        {"ALLFOLD_WINDOW", "0", window, ""},
        {"ALLFOLD_WINDOW", "1", window, ""},
        {"ALLFOLD_WINDOW", "3", window, ""},
        {"ALLFOLD_WINDOW", "255", window, ""},
        {"ALLFOLD_WINDOW", "512", window, ""},
        {"ALLFOLD_WINDOW", "1K", window, ""},
        {"ALLFOLD_WINDOW", "-2", size, "16 is taken"},
        {"ALLFOLD_WINDOW", "16 ", size, "16 is taken"},
        {"ALLFOLD_WINDOW", "many", size, "16 is taken"},
        {"ALLFOLD_CACHE", "4MB", size, "4M is taken"},
        {"ALLFOLD_CACHE", "99999999999999999999", size, "4M is taken"},
        {"ALLFOLD_CACHE", "1.5M", size, "4M is taken"},
        {"ALLFOLD_GUARD", "on", "off, report, switch or any; switch is taken", ""},
        {"ALLFOLD_GUARD", "any,after=1s", "off, report, switch or any; switch is taken", ""},
        {"ALLFOLD_GUARD", "any,first=9,share=2M", "off, report, switch or any; switch is taken",
         ""},
        {"ALLFOLD_GUARD", "off,later=1s", "off, report, switch or any; switch is taken", ""},
        {"ALLFOLD_SPARSE", "1", "off, auto or on; auto is taken", ""},
        {"ALLFOLD_DEVICE", "1", "auto, off or on; auto is taken", ""},
        {"ALLFOLD_CARD", "100", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_CARD", "0", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_CARD", "0.5Mbit/s", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_CARD", "9999999Gbit/s", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_CARD", "100Gbit/s.", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_VERBOSE", "2", "0 or 1; 0 is taken", ""},
        {"ALLFOLD_WATCH", "here", "0, 1 or a directory (/...); 0 is taken", ""},
        {"ALLFOLD_VERBOSE", "01", "0 or 1; 0 is taken", ""},
        {"ALLFOLD_REPORT_COMPARE", "on", "0 or 1; 0 is taken", ""},
        {"ALLFOLD_COMPARE_BITS", "on", "0 or 1; 0 is taken", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char words[ALLFOLD_MESSAGE_BYTES];
        const struct allfold_settings settings = with_one(cases[i].name, cases[i].value);
        snprintf(words, sizeof words, "%s=%s is not %s%s", cases[i].name, cases[i].value,
                 cases[i].expected, cases[i].preset);
        assert_int_equal(complaints, 1);
        assert_string_equal(complaint[0], words);
        assert_presets(&settings);
    }
    with("ALLFOLD_WINDOW", "7"); /* several are complained of one by one */
    with("ALLFOLD_CACHE", "x");
    with_one("ALLFOLD_VERBOSE", "x");
    assert_int_equal(complaints, 3);
}

/* A name of version 0.1 gives what the present name gives, and one hint; the present name wins. */
static void test_old_names(void **state)
{
    (void)state;
    static const struct {
        const char *old, *value, *now, *means;
    } names[] = {
        {"ALLFOLD_TUNED", "t.json", "ALLFOLD_TUNED_TABLE", "t.json"},
    };
    for (size_t i = 0; i < LENGTH(names); i++) {
        char words[ALLFOLD_MESSAGE_BYTES];
        const struct allfold_settings now = with_one(names[i].now, names[i].means);
        assert_int_equal(complaints, 0);
        const struct allfold_settings old = with_one(names[i].old, names[i].value);
        snprintf(words, sizeof words,
                 "%s is called %s now: set %s=%s; the old name works until version 0.3",
                 names[i].old, names[i].now, names[i].now, names[i].means);
        assert_int_equal(complaints, 1);
        assert_string_equal(complaint[0], words);
        assert_string_equal(old.tuned_table, now.tuned_table);
    }
    with("ALLFOLD_TUNED_TABLE", "new.json");
    assert_string_equal(with_one("ALLFOLD_TUNED", "t.json").tuned_table, "new.json");
    assert_int_equal(complaints, 0);
}

/* However long a value is, the complaint says what is taken. */
static void test_long_values(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    with_one("ALLFOLD_CACHE", text);
    assert_int_equal(complaints, 1);
    assert_memory_equal(complaint[0], "ALLFOLD_CACHE=xxxxxxxxxx", 24);
    assert_non_null(strstr(complaint[0], "4M is taken"));
}

/* No complaint, but an error of each call that the rules are for, and of no other. */
static void test_rule_errors(void **state)
{
    (void)state;
    with("ALLFOLD_ALLREDUCE", "ring(segment=x)");
    const struct allfold_settings settings = with_one("ALLFOLD_REDUCE", "binomial_tree");
    assert_int_equal(complaints, 0);
    assert_string_equal(settings.rule_error[ALLFOLD_ALLREDUCE],
                        "ALLFOLD_ALLREDUCE: segment: 'x' is not a number from 0 to 1T, like 64K");
    assert_string_equal(settings.rule_text[ALLFOLD_ALLREDUCE], "ring(segment=x)");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 0);
    assert_string_equal(settings.rule_error[ALLFOLD_REDUCE], "");
    assert_int_equal(settings.rules[ALLFOLD_REDUCE].count, 1);
    assert_string_equal(settings.rule_error[ALLFOLD_BCAST], "");
    static const char *const names[ALLFOLD_COLLECTIVE_COUNT] = {
        "ALLFOLD_ALLREDUCE",      "ALLFOLD_REDUCE",
        "ALLFOLD_BCAST",          "ALLFOLD_REDUCE_SCATTER_BLOCK",
        "ALLFOLD_REDUCE_SCATTER", "ALLFOLD_ALLGATHER",
        "ALLFOLD_ALLGATHERV",     "ALLFOLD_BARRIER",
        "ALLFOLD_SCAN",           "ALLFOLD_EXSCAN"};
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        const struct allfold_settings wrong = with_one(names[c], "0-4K");
        for (int other = 0; other < ALLFOLD_COLLECTIVE_COUNT; other++)
            assert_true((wrong.rule_error[other][0] != '\0') == (other == c));
        assert_memory_equal(wrong.rule_error[c], names[c], strlen(names[c]));
    }
}

static void test_long_rules(void **state)
{
    (void)state;
    char text[ALLFOLD_RULES_BYTES + 1];
    memset(text, ' ', sizeof text);
    memcpy(text, "ring", 4);
    text[ALLFOLD_RULES_BYTES] = '\0';
    struct allfold_settings settings = with_one("ALLFOLD_ALLREDUCE", text);
    assert_string_equal(settings.rule_error[ALLFOLD_ALLREDUCE],
                        "ALLFOLD_ALLREDUCE: longer than 1023 characters");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 0);
    text[ALLFOLD_RULES_BYTES - 1] = '\0';
    settings = with_one("ALLFOLD_ALLREDUCE", text);
    assert_string_equal(settings.rule_error[ALLFOLD_ALLREDUCE], "");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 1);
}

/* Later rules take the place of the first, and of their error. */
static void test_set_rules(void **state)
{
    (void)state;
    struct allfold_settings settings = with_one("ALLFOLD_ALLREDUCE", "nonsense");
    allfold_settings_set_rules(&settings, ALLFOLD_ALLREDUCE, "ring;native");
    assert_string_equal(settings.rule_error[ALLFOLD_ALLREDUCE], "");
    assert_string_equal(settings.rule_text[ALLFOLD_ALLREDUCE], "ring;native");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 2);
    allfold_settings_set_rules(&settings, ALLFOLD_ALLREDUCE, "nonsense");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 0);
    assert_string_not_equal(settings.rule_error[ALLFOLD_ALLREDUCE], "");
    char text[ALLFOLD_RULES_BYTES + 1]; /* too long, which is seen before anything is read */
    memset(text, ' ', ALLFOLD_RULES_BYTES);
    text[ALLFOLD_RULES_BYTES] = '\0';
    allfold_settings_set_rules(&settings, ALLFOLD_ALLREDUCE, "ring");
    allfold_settings_set_rules(&settings, ALLFOLD_ALLREDUCE, text);
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 0);
    allfold_settings_set_rules(&settings, ALLFOLD_ALLREDUCE, "");
    assert_presets(&settings);
}

static void test_unknown_names(void **state)
{
    (void)state;
    static char longest[300] = "ALLFOLD_";
    memset(longest + 8, 'Y', 280);
    memcpy(longest + 150, "=5", 3);
    char *environment[] = {"PATH=/bin",
                           "ALLFOLD_WINDOW=x",
                           "ALLFOLD_WINDOWS=4",
                           "ALLFOLD_BCAST=",
                           "ALLFOLD_BCAS=",
                           "ALLFOLDED=1",
                           "allfold_window=1",
                           "ALLFOLD_=2",
                           "ALLFOLD_REPORT",
                           "X_ALLFOLD_WINDOW=1",
                           longest,
                           "ALLFOLD_report=1",
                           "ALLFOLD=1",
                           "ALLFOLD_TUNED=t.json",
                           NULL};
    complaints = 0;
    struct allfold_settings settings = settings_read();
    allfold_settings_check_names(&settings, environment, complain);
    static const char *const names[] = {"ALLFOLD_WINDOWS", "ALLFOLD_BCAS", "ALLFOLD_", NULL,
                                        "ALLFOLD_report"},
                             *const similar[] = {"ALLFOLD_WINDOW is one; ",
                                                 "ALLFOLD_BCAST is one; ", "", "", ""};
    assert_int_equal(complaints, LENGTH(names));
    for (size_t i = 0; i < LENGTH(names); i++) {
        char words[ALLFOLD_MESSAGE_BYTES];
        snprintf(
            words, sizeof words,
            "%.100s is not a variable of Allfold and does nothing; %s`allfold info` lists them",
            names[i] == NULL ? longest : names[i], similar[i]);
        assert_string_equal(complaint[i], words);
    }
    complaints = 0;
    allfold_settings_check_names(&settings, environment + 14, complain);
    assert_int_equal(complaints, 0);
    assert_string_equal(settings.broken_promise, "");
}

/* Names of earlier versions that are no variables any more: what replaces them. */
static void test_removed_names(void **state)
{
    (void)state;
    static const char *const names[] = {"ALLFOLD_TUNE", "ALLFOLD_TRIALS"};
    char *environment[] = {"ALLFOLD_TUNE=online", "ALLFOLD_TRIALS=any", NULL};
    complaints = 0;
    struct allfold_settings settings = settings_read();
    allfold_settings_check_names(&settings, environment, complain);
    assert_int_equal(complaints, LENGTH(names));
    for (size_t i = 0; i < LENGTH(names); i++) {
        char words[ALLFOLD_MESSAGE_BYTES];
        snprintf(words, sizeof words,
                 "%s is not a variable of Allfold and does nothing; ALLFOLD_GUARD=any replaces it; "
                 "`allfold info` lists them",
                 names[i]);
        assert_string_equal(complaint[i], words);
    }
    assert_string_equal(settings.broken_promise, "");
}

/* Misspelled, in its value or its name, it breaks what it promises, so nothing may run. */
static void test_promises(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *expected;
    } values[] = {
        {"ALLFOLD_REPRODUCIBLE", "canonicl", "off, canonical, canonical:warn, exact or exact:warn"},
        {"ALLFOLD_REPRODUCIBLE", "1", "off, canonical, canonical:warn, exact or exact:warn"},
        {"ALLFOLD_CHECK", "yes", "0 or 1"},
        {"ALLFOLD_TIMEOUT", "30sec", "a duration like 30s, 500ms or 30s,abort"},
    };
    for (size_t i = 0; i < LENGTH(values); i++) {
        const struct allfold_settings settings = with_one(values[i].name, values[i].value);
        char words[ALLFOLD_MESSAGE_BYTES];
        snprintf(words, sizeof words, "%s=%s: expected %s; nothing runs, as", values[i].name,
                 values[i].value, values[i].expected);
        assert_memory_equal(settings.broken_promise, words, strlen(words));
        assert_int_equal(complaints, 0); /* it is said once, as an error */
        assert_string_equal(settings.rule_error[ALLFOLD_BCAST], settings.broken_promise);
        assert_int_equal(settings.common.timeout_ms, 0);
    }
    static char *const names[][2] = {
        {"ALLFOLD_REPRODUCIBEL=canonical", NULL},
        {"ALLFOLD_REPRODUCABLE=exact", NULL},
        {"ALLFOLD_CHEKC=1", NULL},
        {"ALLFOLD_TIME_OUT=30s", NULL},
        {"ALLFOLD_TIMEOUTS=3s", NULL},
    };
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct allfold_settings settings = settings_read();
        allfold_settings_check_names(&settings, names[i], complain);
        assert_non_null(
            strstr(settings.broken_promise, " is not a variable of Allfold: expected "));
        assert_string_equal(settings.rule_error[ALLFOLD_SCAN], settings.broken_promise);
        assert_int_equal(complaints, 0);
    }
    for (const struct allfold_variable *one = allfold_variables; one->name != NULL; one++) {
        char *const known[] = {(char *)(uintptr_t)one->name, NULL};
        struct allfold_settings settings = settings_read();
        allfold_settings_check_names(&settings, known, complain);
        assert_int_equal(complaints, 0);
        assert_string_equal(settings.broken_promise, "");
        assert_true(one->is_everyday || !one->is_promise);
    }
}

/* Each line: two environments of one variable that ranks must agree on, or need not. */
static const struct {
    const char *name, *first, *second;
    bool alike;
} pairs[] = {
    {"ALLFOLD_ALLREDUCE", "", "ring", false},
    {"ALLFOLD_ALLREDUCE", "", "native", false},
    {"ALLFOLD_ALLREDUCE", "ring", "native", false},
    {"ALLFOLD_ALLREDUCE", "ring", "recursive_doubling", false},
    {"ALLFOLD_ALLREDUCE", "ring", "0-4K:ring", false},
    {"ALLFOLD_ALLREDUCE", "1-4K:ring", "0-4K:ring", false},
    {"ALLFOLD_ALLREDUCE", "0-4K:ring", "0-8K:ring", false},
    {"ALLFOLD_ALLREDUCE", "ring", "ring(segment=64K)", false},
    {"ALLFOLD_ALLREDUCE", "ring", "ring;ring", false},
    {"ALLFOLD_ALLREDUCE", "ring", "rin", false},
    {"ALLFOLD_ALLREDUCE", "", "rin", false},
    {"ALLFOLD_ALLREDUCE", "native;ring", "ring;native", false},
    {"ALLFOLD_REDUCE", "binomial_tree", "halving_doubling", false},
    {"ALLFOLD_BCAST", "binomial_tree", "native", false},
    {"ALLFOLD_REPORT", "0", "1", false},
    {"ALLFOLD_REPORT_COMPARE", "0", "1", false},
    {"ALLFOLD_COMPARE_BITS", "0", "1", false},
    {"ALLFOLD_NONBLOCKING", "0", "1", false},
    {"ALLFOLD_ALLREDUCE", "ring", " ring ;", true},
    {"ALLFOLD_ALLREDUCE", "ring(segment=64K)", "0-:ring(segment=65536)", true},
    {"ALLFOLD_REPORT", "1", "x.csv", true},
    {"ALLFOLD_REPORT", "0", "", true},
    {"ALLFOLD_WINDOW", "4", "64", true},
    {"ALLFOLD_CACHE", "4", "64", true},
    {"ALLFOLD_SIMD", "plain", "avx2", true},
    {"ALLFOLD_SPARSE", "on", "auto", false},
    {"ALLFOLD_REPRODUCIBLE", "canonical", "off", false},
    {"ALLFOLD_REPRODUCIBLE", "canonical", "canonical:warn", false},
    {"ALLFOLD_GUARD", "off", "", false},
    {"ALLFOLD_GUARD", "switch", "", true},
    {"ALLFOLD_GUARD", "any,first=9", "any,first=8", false},
    {"ALLFOLD_LEARN", "a", "b", true},
    {"ALLFOLD_DEVICE", "off", "on", true},
    {"ALLFOLD_CARD", "100Gbit/s", "200Gbit/s", false},
    {"ALLFOLD_CARD", "off", "auto", false},
    {"ALLFOLD_VERBOSE", "0", "1", true},
};

static void test_fingerprint(void **state)
{
    (void)state;
    assert_true(with_one("ALLFOLD_REPRODUCIBLE", "canonical:warn").common.nonblocking);
    const struct allfold_settings exact = with_one("ALLFOLD_REPRODUCIBLE", "exact"),
                                  warns = with_one("ALLFOLD_REPRODUCIBLE", "exact:warn");
    assert_true(allfold_reproducible_is_exact(exact.common.reproducible));
    assert_false(allfold_reproducible_warns(exact.common.reproducible));
    assert_true(allfold_reproducible_is_exact(warns.common.reproducible));
    assert_true(allfold_reproducible_warns(warns.common.reproducible));
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        struct allfold_settings first = with_one(pairs[i].name, pairs[i].first);
        const struct allfold_settings second = with_one(pairs[i].name, pairs[i].second);
        if ((allfold_settings_fingerprint(&first) == allfold_settings_fingerprint(&second)) !=
            pairs[i].alike)
            fail_msg("%s=%s and %s: the wrong one of equal and different", pairs[i].name,
                     pairs[i].first, pairs[i].second);
        const struct allfold_settings again = with_one(pairs[i].name, pairs[i].first);
        assert_true(allfold_settings_fingerprint(&first) == allfold_settings_fingerprint(&again));
    }
    /* comparing matters where there is a report anyway; the window does not there either */
    const struct allfold_settings report = with_one("ALLFOLD_REPORT", "1");
    with("ALLFOLD_REPORT", "1");
    const struct allfold_settings compared = with_one("ALLFOLD_REPORT_COMPARE", "1");
    assert_true(allfold_settings_fingerprint(&report) != allfold_settings_fingerprint(&compared));
    with("ALLFOLD_REPORT", "1");
    const struct allfold_settings wide = with_one("ALLFOLD_WINDOW", "64");
    assert_true(allfold_settings_fingerprint(&report) == allfold_settings_fingerprint(&wide));
    /* the same rule of another collective; what stood there before is forgotten */
    struct allfold_settings reduce = with_one("ALLFOLD_REDUCE", "binomial_tree");
    const struct allfold_settings bcast = with_one("ALLFOLD_BCAST", "binomial_tree");
    assert_true(allfold_settings_fingerprint(&reduce) != allfold_settings_fingerprint(&bcast));
    allfold_settings_set_rules(&reduce, ALLFOLD_REDUCE, "");
    const struct allfold_settings none = settings_read();
    assert_true(allfold_settings_fingerprint(&reduce) == allfold_settings_fingerprint(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),     cmocka_unit_test(test_told_presets),
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_switches),
        cmocka_unit_test(test_rules),       cmocka_unit_test(test_guard),
        cmocka_unit_test(test_card),        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_old_names),   cmocka_unit_test(test_removed_names),
        cmocka_unit_test(test_promises),    cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_rule_errors), cmocka_unit_test(test_long_rules),
        cmocka_unit_test(test_set_rules),   cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
