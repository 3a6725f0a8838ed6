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
static void test_defaults(void **state)
{
    (void)state;
    struct allfold_settings settings = settings_read();
    assert_presets(&settings);
    assert_int_equal(complaints, 0);
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        settings = with_one(allfold_setting[i].name, "");
        assert_presets(&settings);
        assert_int_equal(complaints, 0);
    }
}

/* What people read of the default is what is taken. */
static void test_declared(void **state)
{
    (void)state;
    int settings_count = 0;
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        const struct allfold_setting *row = &allfold_setting[i];
        char text[100];
        const bool is_part = allfold_setting_is_part((enum allfold_setting_id)i);
        assert_true(row->help[strlen(row->help) - 1] == '.');
        assert_true(allfold_setting_is_default((enum allfold_setting_id)i, NULL));
        assert_true(allfold_setting_is_default((enum allfold_setting_id)i, row->value));
        snprintf(text, sizeof text, "%s%s%s", is_part ? row->name : "", is_part ? "=" : "",
                 row->value);
        const struct allfold_settings settings = with_one(allfold_setting[row->of].name, text);
        assert_string_equal(settings.broken_promise, "");
        assert_presets(&settings);
        assert_int_equal(complaints, 0);
        settings_count += !is_part && i != SETTING_TEST;
    }
    assert_int_equal(settings_count, 15);
    assert_false(allfold_setting_is_default(SETTING_REPORT, "1"));
    assert_false(allfold_setting_is_default(SETTING_TRACE, "0.trace"));
    assert_true(allfold_setting_is_default(SETTING_TRACE, "off"));
    assert_true(allfold_setting_is_default(SETTING_DEVICE_SEGMENT, "16384K"));
}

/* One grammar for all: a value and named parts. */
static void test_grammar(void **state)
{
    (void)state;
    struct allfold_settings settings =
        with_one("ALLFOLD_REPORT", "a,,b.csv,compare,sites=1,bits=on");
    assert_string_equal(settings.report, "a,b.csv");
    assert_true(settings.common.report_compare && settings.report_sites &&
                settings.common.compare_bits);
    settings = with_one("ALLFOLD_REPORT", "compare=0,x.csv"); /* the value comes first */
    assert_int_equal(complaints, 1);
    assert_string_equal(complaint[0],
                        "ALLFOLD_REPORT: 'x.csv' is no part of it and does nothing; expected one "
                        "of compare, sites, bits; a comma of a value is written twice");
    assert_null(settings.report);
    settings = with_one("ALLFOLD_NETWORK", "nodes=3,1,2,card=10Gbit/s");
    assert_string_equal(settings.nodes, "3,1,2");
    assert_int_equal(settings.common.card_mbit, 10000);
    assert_null(settings.network);
    settings = with_one("ALLFOLD_NETWORK", ",card=off");
    assert_null(settings.network);
    settings = with_one("ALLFOLD_TABLE", "t,2.json,tuned=off");
    assert_string_equal(settings.table, "t,2.json");
    assert_string_equal(settings.tuned_table, "off");
    settings = with_one("ALLFOLD_TRANSPORT", "mpi,provider=tcp;ofi_rxm,shared_memory=off");
    assert_string_equal(settings.fabric, "tcp;ofi_rxm");
    assert_int_equal(settings.common.shared_memory, 0);
    settings = with_one("ALLFOLD_TIMEOUT", "check");
    assert_int_equal(settings.common.check, 1);
    assert_int_equal(settings.common.timeout_ms, 0);
    settings = with_one("ALLFOLD_TRACE", "x,y");
    assert_int_equal(complaints, 1);
    assert_string_equal(settings.trace, "x");
}

static void test_numbers(void **state)
{
    (void)state;
    for (size_t window = 2; window <= 256; window *= 2) {
        char text[32];
        snprintf(text, sizeof text, "window=%zu", window);
        assert_int_equal(with_one("ALLFOLD_TEST", text).window, window);
        assert_int_equal(complaints, 0);
    }
    assert_int_equal(with_one("ALLFOLD_TEST", "cache=0").cache_bytes, 0);
    assert_int_equal(with_one("ALLFOLD_TEST", "cache=2g").cache_bytes, (size_t)2 << 30);
}

static void test_switches(void **state)
{
    (void)state;
    assert_int_equal(with_one("ALLFOLD_VERBOSE", "1").verbose, 1);
    assert_int_equal(with_one("ALLFOLD_TRANSPORT", "mpi").common.transport, ALLFOLD_TRANSPORT_MPI);
    assert_int_equal(with_one("ALLFOLD_TRANSPORT", "fabric").common.transport,
                     ALLFOLD_TRANSPORT_FABRIC);
    assert_string_equal(with_one("ALLFOLD_TRANSPORT", "provider=tcp;ofi_rxm").fabric,
                        "tcp;ofi_rxm");
    assert_int_equal(with_one("ALLFOLD_TRANSPORT", "provider=net").common.transport,
                     ALLFOLD_TRANSPORT_FASTER);
    assert_int_equal(with_one("ALLFOLD_VERBOSE", "1").common.transport, ALLFOLD_TRANSPORT_AUTO);
    assert_string_equal(with_one("ALLFOLD_REPORT", "1").report, "");
    assert_string_equal(with_one("ALLFOLD_REPORT", "on").report, "");
    assert_null(with_one("ALLFOLD_TRACE", "on").trace);
    assert_null(with_one("ALLFOLD_REPORT", "0").report);
    assert_string_equal(with_one("ALLFOLD_TABLE", "t.json").table, "t.json");
    assert_string_equal(with_one("ALLFOLD_TABLE", "tuned=off").tuned_table, "off");
    assert_string_equal(with_one("ALLFOLD_REPORT", "10").report, "10");
    assert_string_equal(with_one("ALLFOLD_REPORT", "/a/b.csv").report, "/a/b.csv");
    assert_string_equal(with_one("ALLFOLD_TRACE", "a b").trace, "a b");
    assert_null(with_one("ALLFOLD_TRACE", "0").trace);
    assert_string_equal(with_one("ALLFOLD_WATCH", "1").watch, "");
    assert_string_equal(with_one("ALLFOLD_WATCH", "/a").watch, "/a");
    assert_null(with_one("ALLFOLD_WATCH", "0").watch);
    assert_int_equal(complaints, 0);
    assert_int_equal(with_one("ALLFOLD_REPORT", "1").report_sites, 0);
    assert_int_equal(with_one("ALLFOLD_REPORT", "sites").report_sites, 1);
    assert_string_equal(with_one("ALLFOLD_REPORT", "sites").report, "");
    assert_int_equal(complaints, 0);
    /* comparing asks for a report, which goes where it was told to */
    struct allfold_settings settings = with_one("ALLFOLD_REPORT", "compare");
    assert_int_equal(settings.common.report_compare, 1);
    assert_string_equal(settings.report, "");
    settings = with_one("ALLFOLD_REPORT", "x.json,compare");
    assert_int_equal(settings.common.report_compare, 1);
    assert_string_equal(settings.report, "x.json");
    assert_int_equal(complaints, 0);
}

static void test_rules(void **state)
{
    (void)state;
    const struct allfold_settings settings = with_one(
        "ALLFOLD_ALGORITHM", "allreduce:0-4K=recursive_doubling;4K-=ring(segment=64K);reduce="
                             "binomial_tree,reduce_scatter_block=flat;circulant(radix=3); "
                             "barrier=dissemination(n=3),bcast=native");
    assert_int_equal(complaints, 0);
    static const char *const texts[ALLFOLD_COLLECTIVE_COUNT] = {
        "0-4K=recursive_doubling;4K-=ring(segment=64K)",
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
    const struct allfold_settings settings = with_one("ALLFOLD_GUARD", "any");
    assert_int_equal(settings.common.guard, ALLFOLD_GUARD_ANY);
    const struct allfold_settings hooked =
        with_one("ALLFOLD_TEST", "guard_share=500000,guard_first=16");
    assert_int_equal(hooked.common.guard_first, 16);
    assert_int_equal(hooked.common.guard_share_ppm, 500000);
    assert_string_equal(with_one("ALLFOLD_GUARD", "learn=x.json").learn, "x.json");
}

static struct allfold_settings with_card(const char *rate)
{
    static char text[40];
    snprintf(text, sizeof text, "card=%s", rate);
    return with_one("ALLFOLD_NETWORK", text);
}

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
        const struct allfold_settings settings = with_card(cases[i].value);
        assert_int_equal(complaints, 0);
        assert_int_equal(settings.common.card_mbit, cases[i].mbit);
    }
}

/* One complaint that names the value, what would be right, and the default that is taken. */
static void test_complaints(void **state)
{
    (void)state;
    static const char window[] = "a power of two from 2 to 256; 16 is taken";
    static const char size[] = "a size like 64K; ";
    static const struct {
        const char *name, *value, *expected, *preset;
    } cases[] = {
        {"ALLFOLD_TEST", "window=0", window, ""},
        {"ALLFOLD_TEST", "window=1", window, ""},
        {"ALLFOLD_TEST", "window=3", window, ""},
        {"ALLFOLD_TEST", "window=255", window, ""},
        {"ALLFOLD_TEST", "window=512", window, ""},
        {"ALLFOLD_TEST", "window=1K", window, ""},
        {"ALLFOLD_TEST", "window=-2", window, ""},
        {"ALLFOLD_TEST", "window=16 ", window, ""},
        {"ALLFOLD_TEST", "window=many", window, ""},
        {"ALLFOLD_TEST", "guard_share=2M", "a number from 1 to 1000000; 1000 is taken", ""},
        {"ALLFOLD_TEST", "cache=4MB", size, "4M is taken"},
        {"ALLFOLD_TEST", "cache=99999999999999999999", size, "4M is taken"},
        {"ALLFOLD_TEST", "cache=1.5M", size, "4M is taken"},
        {"ALLFOLD_GUARD", "on", "switch, off, report or any; switch is taken", ""},
        {"ALLFOLD_SPARSE", "1", "auto, off or on; auto is taken", ""},
        {"ALLFOLD_DEVICE", "1", "auto, off or on; auto is taken", ""},
        {"ALLFOLD_NETWORK", "card=100", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_NETWORK", "card=0", "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_NETWORK", "card=0.5Mbit/s", "a rate like 100Gbit/s, auto or off; auto is taken",
         ""},
        {"ALLFOLD_NETWORK", "card=9999999Gbit/s",
         "a rate like 100Gbit/s, auto or off; auto is taken", ""},
        {"ALLFOLD_NETWORK", "card=100Gbit/s.", "a rate like 100Gbit/s, auto or off; auto is taken",
         ""},
        {"ALLFOLD_VERBOSE", "2", "0 or 1; 0 is taken", ""},
        {"ALLFOLD_WATCH", "here", "0, 1 or a directory (/...); 0 is taken", ""},
        {"ALLFOLD_VERBOSE", "01", "0 or 1; 0 is taken", ""},
        {"ALLFOLD_REPORT", "compare=yes", "0 or 1; 0 is taken", ""},
        {"ALLFOLD_REPORT", "true", "0, 1 or a file; 0 is taken", ""},
        {"ALLFOLD_TRACE", "1", "0 or a file; 0 is taken", ""},
        {"ALLFOLD_TABLE", "no", "a file or off; off is taken", ""},
        {"ALLFOLD_REPORT", "bits=yes", "0 or 1; 0 is taken", ""},
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
    with("ALLFOLD_TEST", "window=7,cache=x"); /* several are complained of one by one */
    with_one("ALLFOLD_VERBOSE", "x");
    assert_int_equal(complaints, 3);
}

/* Old names give what the new ones give, and one hint with all of them, which can be taken as it
 * is; a new name wins. */
static void test_old_names(void **state)
{
    (void)state;
    with("ALLFOLD_BCAST", "chain(segment=4K)");
    with("ALLFOLD_TUNED", "t.json");
    with("ALLFOLD_CARD", "off");
    with("ALLFOLD_NODES", "3,1");
    with("ALLFOLD_PROGRESS", "thread");
    struct allfold_settings settings = with_one("ALLFOLD_NONBLOCKING", "1");
    assert_int_equal(complaints, 1);
    assert_string_equal(
        complaint[0],
        "old names are set, which work until version 0.3: set "
        "ALLFOLD_ALGORITHM='bcast=chain(segment=4K)' ALLFOLD_TABLE=tuned=t.json "
        "ALLFOLD_NETWORK=card=off,nodes=3,1 ALLFOLD_NONBLOCKING=1,thread instead of ALLFOLD_BCAST, "
        "ALLFOLD_TUNED, ALLFOLD_CARD, ALLFOLD_NODES, ALLFOLD_PROGRESS");
    assert_string_equal(settings.rule_text[ALLFOLD_BCAST], "chain(segment=4K)");
    assert_string_equal(settings.tuned_table, "t.json");
    assert_string_equal(settings.nodes, "3,1");
    assert_int_equal(settings.common.card_mbit, 0);
    assert_true(settings.progress_thread);
    with("ALLFOLD_LEARN", "old.json");
    settings = with_one("ALLFOLD_GUARD", "learn=new.json");
    assert_string_equal(settings.learn, "new.json");
    assert_int_equal(complaints, 1);
    assert_string_equal(complaint[0], "ALLFOLD_LEARN does nothing, because "
                                      "ALLFOLD_GUARD=learn=new.json is set");
    for (int i = 0; i < allfold_old_name_count; i++) {
        const struct allfold_setting *row = &allfold_setting[allfold_old_names[i].id];
        with_one(allfold_old_names[i].name, *row->value == '\0' ? "x" : row->value);
        assert_true(complaints >= 1);
        assert_non_null(strstr(complaint[0], row->name));
    }
}

/* What is written is read as the same. */
static void test_write(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
    } cases[] = {{"ALLFOLD_REPORT", "a,,b.csv,compare,bits=0"},
                 {"ALLFOLD_NETWORK", "off,nodes=3,1"},
                 {"ALLFOLD_TRANSPORT", "provider=tcp;ofi_rxm,shared_memory=0"},
                 {"ALLFOLD_ALGORITHM", "allreduce=0-4K:ring;4K-:chain(segment=4K),bcast=native"},
                 {"ALLFOLD_TIMEOUT", "30s,abort,check"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[200], expected[200];
        const struct allfold_settings settings = with_one(cases[i].name, cases[i].value);
        for (int k = 0; k < ALLFOLD_SETTINGS; k++)
            if (strcmp(allfold_setting[k].name, cases[i].name) == 0)
                allfold_texts_write(&settings.texts, (enum allfold_setting_id)k, line, sizeof line);
        snprintf(expected, sizeof expected, "%s=%s", cases[i].name, cases[i].value);
        assert_string_equal(line, expected);
    }
}

/* However long a value is, the complaint says what is taken. */
static void test_long_values(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memcpy(text, "cache=", 6);
    with_one("ALLFOLD_TEST", text);
    assert_int_equal(complaints, 1);
    assert_memory_equal(complaint[0], "ALLFOLD_TEST=cache=xxxxxxxxxx", 29);
    assert_non_null(strstr(complaint[0], "4M is taken"));
}

/* No complaint, but an error of each call that the rules are for, and of no other. */
static void test_rule_errors(void **state)
{
    (void)state;
    struct allfold_settings settings =
        with_one("ALLFOLD_ALGORITHM", "allreduce=ring(segment=x),reduce=binomial_tree");
    assert_int_equal(complaints, 0);
    assert_string_equal(settings.rule_error[ALLFOLD_ALLREDUCE],
                        "ALLFOLD_ALGORITHM: allreduce: segment: 'x' is not a number from 0 to 1T, "
                        "like 64K");
    assert_string_equal(settings.rule_text[ALLFOLD_ALLREDUCE], "ring(segment=x)");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 0);
    assert_string_equal(settings.rule_error[ALLFOLD_REDUCE], "");
    assert_int_equal(settings.rules[ALLFOLD_REDUCE].count, 1);
    assert_string_equal(settings.rule_error[ALLFOLD_BCAST], "");
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        char text[60];
        const char *name = allfold_collective_name((enum allfold_collective)c);
        snprintf(text, sizeof text, "%s=0-4K", name);
        const struct allfold_settings wrong = with_one("ALLFOLD_ALGORITHM", text);
        for (int other = 0; other < ALLFOLD_COLLECTIVE_COUNT; other++)
            assert_true((wrong.rule_error[other][0] != '\0') == (other == c));
        snprintf(text, sizeof text, "ALLFOLD_ALGORITHM: %s: ", name);
        assert_memory_equal(wrong.rule_error[c], text, strlen(text));
    }
    /* without a collective, it is an error of all */
    settings = with_one("ALLFOLD_ALGORITHM", "ring");
    assert_string_equal(settings.rule_error[ALLFOLD_SCAN], settings.broken_promise);
    assert_memory_equal(settings.broken_promise, "ALLFOLD_ALGORITHM: 'ring' is no part of it", 42);
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
                        "ALLFOLD_ALGORITHM: allreduce: rules longer than 1023 characters");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 0);
    text[ALLFOLD_RULES_BYTES - 1] = '\0';
    settings = with_one("ALLFOLD_ALLREDUCE", text);
    assert_string_equal(settings.rule_error[ALLFOLD_ALLREDUCE], "");
    assert_int_equal(settings.rules[ALLFOLD_ALLREDUCE].count, 1);
}

static void test_unknown_names(void **state)
{
    (void)state;
    static char longest[300] = "ALLFOLD_";
    memset(longest + 8, 'Y', 280);
    memcpy(longest + 150, "=5", 3);
    char *environment[] = {"PATH=/bin",
                           "ALLFOLD_VERBOSE=x",
                           "ALLFOLD_VERBOS=4",
                           "ALLFOLD_BCAST=",
                           "ALLFOLD_BCAS=",
                           "ALLFOLDED=1",
                           "allfold_verbose=1",
                           "ALLFOLD_=2",
                           "ALLFOLD_REPORT",
                           "X_ALLFOLD_VERBOSE=1",
                           longest,
                           "ALLFOLD_report=1",
                           "ALLFOLD=on",
                           "ALLFOLD=off",
                           "ALLFOLD=",
                           "ALLFOLD_MPI=/lib/libmpi.so",
                           "ALLFOLD_TEST=",
                           "ALLFOLD_TUNED=t.json",
                           NULL};
    complaints = 0;
    struct allfold_settings settings = settings_read();
    allfold_settings_check_names(&settings, environment, complain);
    static const char *const names[] = {"ALLFOLD_VERBOS", "ALLFOLD_BCAS", "ALLFOLD_", NULL,
                                        "ALLFOLD_report"},
                             *const similar[] = {"ALLFOLD_VERBOSE is one; ",
                                                 "ALLFOLD_ALGORITHM=bcast is one; ", "", "", ""};
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
    allfold_settings_check_names(&settings, environment + 18, complain);
    assert_int_equal(complaints, 0);
    assert_string_equal(settings.broken_promise, "");
}

/* Switched off by a word that is none. */
static void test_off(void **state)
{
    (void)state;
    char *environment[] = {"ALLFOLD=of", NULL};
    struct allfold_settings settings = settings_read();
    allfold_settings_check_names(&settings, environment, complain);
    assert_int_equal(complaints, 1);
    assert_string_equal(complaint[0], "ALLFOLD=of is not off or on; on is taken");
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
        {"ALLFOLD_TIMEOUT", "check=yes", "0 or 1"},
        {"ALLFOLD_TIMEOUT", "30sec", "a duration like 30s or 500ms"},
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
    /* a switch without a value ends at its comma, so what follows is not lost */
    static const char *const lost[] = {"check,1s",     "check,-1", "check,XYZ",
                                       "check,,abort", "0,abort",  "off,abort"};
    for (size_t i = 0; i < LENGTH(lost); i++)
        assert_string_not_equal(with_one("ALLFOLD_TIMEOUT", lost[i]).broken_promise, "");
    const struct allfold_settings both = with_one("ALLFOLD_TIMEOUT", "check, abort,");
    assert_string_not_equal(both.broken_promise, ""); /* to abort needs a time */
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
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        if (allfold_setting_is_part((enum allfold_setting_id)i))
            continue;
        char *const known[] = {(char *)(uintptr_t)allfold_setting[i].name, NULL};
        struct allfold_settings settings = settings_read();
        allfold_settings_check_names(&settings, known, complain);
        assert_int_equal(complaints, 0);
        assert_string_equal(settings.broken_promise, "");
    }
}

/* Each line: two environments of one variable that ranks must agree on, or need not. */
static const struct {
    const char *name, *first, *second;
    bool alike;
} pairs[] = {
    {"ALLFOLD_ALGORITHM", "", "allreduce=ring", false},
    {"ALLFOLD_ALGORITHM", "", "allreduce=native", false},
    {"ALLFOLD_ALGORITHM", "allreduce=ring", "allreduce=native", false},
    {"ALLFOLD_ALGORITHM", "allreduce=ring", "allreduce=recursive_doubling", false},
    {"ALLFOLD_ALGORITHM", "allreduce=ring", "allreduce=0-4K:ring", false},
    {"ALLFOLD_ALGORITHM", "allreduce=1-4K:ring", "allreduce=0-4K:ring", false},
    {"ALLFOLD_ALGORITHM", "allreduce=0-4K:ring", "allreduce=0-8K:ring", false},
    {"ALLFOLD_ALGORITHM", "allreduce=ring", "allreduce=ring(segment=64K)", false},
    {"ALLFOLD_ALGORITHM", "allreduce=ring", "allreduce=ring;ring", false},
    {"ALLFOLD_ALGORITHM", "allreduce=ring", "allreduce=rin", false},
    {"ALLFOLD_ALGORITHM", "", "allreduce=rin", false},
    {"ALLFOLD_ALGORITHM", "allreduce=native;ring", "allreduce=ring;native", false},
    {"ALLFOLD_ALGORITHM", "reduce=binomial_tree", "reduce=halving_doubling", false},
    {"ALLFOLD_ALGORITHM", "bcast=binomial_tree", "bcast=native", false},
    {"ALLFOLD_REPORT", "0", "1", false},
    {"ALLFOLD_REPORT", "compare=0", "compare=1", false},
    {"ALLFOLD_REPORT", "bits=0", "bits=1", false},
    {"ALLFOLD_NONBLOCKING", "0", "1", false},
    {"ALLFOLD_ALGORITHM", "bcast=chain;allreduce=ring", "allreduce=ring,bcast=chain", true},
    {"ALLFOLD_REPORT", "1", "x.csv", true},
    {"ALLFOLD_REPORT", "0", "", true},
    {"ALLFOLD_TEST", "window=4", "window=64", true},
    {"ALLFOLD_TEST", "cache=4", "cache=64", true},
    {"ALLFOLD_TEST", "simd=plain", "simd=avx2", true},
    {"ALLFOLD_SPARSE", "on", "auto", false},
    {"ALLFOLD_REPRODUCIBLE", "canonical", "off", false},
    {"ALLFOLD_REPRODUCIBLE", "canonical", "canonical:warn", false},
    {"ALLFOLD_GUARD", "off", "", false},
    {"ALLFOLD_GUARD", "switch", "", true},
    {"ALLFOLD_TEST", "guard_first=9", "guard_first=8", false},
    {"ALLFOLD_GUARD", "learn=a", "learn=b", true},
    {"ALLFOLD_DEVICE", "off", "on", true},
    {"ALLFOLD_NETWORK", "card=100Gbit/s", "card=200Gbit/s", false},
    {"ALLFOLD_NETWORK", "card=off", "card=auto", false},
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
    const struct allfold_settings compared = with_one("ALLFOLD_REPORT", "1,compare");
    assert_true(allfold_settings_fingerprint(&report) != allfold_settings_fingerprint(&compared));
    with("ALLFOLD_REPORT", "1");
    const struct allfold_settings wide = with_one("ALLFOLD_TEST", "window=64");
    assert_true(allfold_settings_fingerprint(&report) == allfold_settings_fingerprint(&wide));
    /* the same rule of another collective */
    const struct allfold_settings reduce = with_one("ALLFOLD_ALGORITHM", "reduce=binomial_tree");
    const struct allfold_settings bcast = with_one("ALLFOLD_ALGORITHM", "bcast=binomial_tree");
    assert_true(allfold_settings_fingerprint(&reduce) != allfold_settings_fingerprint(&bcast));
}

/* Rank 0's settings hold where they must be the same; the rest stays, and so do paths. */
static void test_received(void **state)
{
    (void)state;
    static char bytes[ALLFOLD_COMMON_BYTES];
    struct allfold_settings received;
    with("ALLFOLD_REPORT", "root.csv,compare");
    with("ALLFOLD_ALGORITHM", "allreduce=ring,bcast=rong");
    with("ALLFOLD_NETWORK", "nodes=2x2,card=off");
    const struct allfold_settings root = with_one("ALLFOLD_TIMEOUT", "30s,check");
    with("ALLFOLD_REPORT", "mine.csv");
    with("ALLFOLD_TRACE", "t");
    with("ALLFOLD_VERBOSE", "1");
    const struct allfold_settings mine = with_one("ALLFOLD_SPARSE", "on");
    allfold_settings_write_common(&root, bytes);
    assert_true(allfold_settings_take_common(&received, &mine, bytes));
    assert_string_equal(received.report, "mine.csv");
    assert_null(received.trace);
    assert_int_equal(received.verbose, 1);
    assert_string_equal(received.nodes, "2x2");
    assert_memory_equal(&received.common, &root.common, sizeof root.common);
    assert_string_equal(received.rule_text[ALLFOLD_ALLREDUCE], "ring");
    assert_string_equal(received.rule_error[ALLFOLD_BCAST], root.rule_error[ALLFOLD_BCAST]);
    assert_true(allfold_settings_fingerprint(&received) == allfold_settings_fingerprint(&root));
    const struct allfold_settings none = settings_read();
    allfold_settings_write_common(&none, bytes);
    assert_true(allfold_settings_take_common(&received, &mine, bytes));
    assert_null(received.report);
    allfold_settings_write_common(&root, bytes);
    assert_true(allfold_settings_take_common(&received, &none, bytes));
    assert_string_equal(received.report, "");
    allfold_settings_write_common(&mine, bytes); /* that rank 0 alone has a trace, all ranks know */
    assert_true(allfold_settings_take_common(&received, &none, bytes));
    assert_non_null(received.trace);
}

/* What is wrong on rank 0 is off on all ranks. */
static void test_received_wrong(void **state)
{
    (void)state;
    static char bytes[ALLFOLD_COMMON_BYTES];
    struct allfold_settings received;
    with("ALLFOLD_REPORT", "true");
    with("ALLFOLD_WATCH", "here");
    const struct allfold_settings root = with_one("ALLFOLD_TRACE", "1");
    const struct allfold_settings none = settings_read();
    allfold_settings_write_common(&root, bytes);
    assert_true(allfold_settings_take_common(&received, &none, bytes));
    assert_null(root.report);
    assert_null(received.report);
    assert_null(root.watch);
    assert_null(received.watch);
    assert_null(root.trace);
    assert_null(received.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_declared),
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_received),
        cmocka_unit_test(test_received_wrong),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_card),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_old_names),
        cmocka_unit_test(test_removed_names),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_rule_errors),
        cmocka_unit_test(test_long_rules),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
