/* Rules: the grammar, which rule holds for which size, and the words of each refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "select/rules.h"
#include "support.h"

static struct allfold_rules rules_of(enum allfold_collective collective, const char *text)
{
    struct allfold_rules rules;
    char message[700] = "untouched";
    memset(&rules, 0x5a, sizeof rules);
    if (allfold_rules_read(collective, text, &rules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("'%s': %s", text, message);
    assert_string_equal(message, "untouched");
    return rules;
}

/* The name of the rule that holds for a number of bytes; "" if none does. */
static const char *name_at(const struct allfold_rules *rules, size_t bytes)
{
    const struct allfold_rule *rule = allfold_rules_find(rules, bytes);
    if (rule == NULL)
        return "";
    return rule->algorithm == NULL ? "native" : rule->algorithm->name;
}

static void test_no_rules(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " ", "\t \t"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, texts[i]);
        assert_int_equal(rules.count, 0);
        assert_null(allfold_rules_find(&rules, 0));
        assert_null(allfold_rules_find(&rules, SIZE_MAX));
    }
}

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        const struct allfold_rules rules = rules_of(algorithm->collective, algorithm->name);
        const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
        assert_int_equal(rules.count, 1);
        assert_ptr_equal(rules.rules[0].algorithm, algorithm);
        assert_memory_equal(&rules.rules[0].parameters, &presets, sizeof presets);
        assert_int_equal(rules.rules[0].from_bytes, 0);
        assert_true(rules.rules[0].to_bytes == SIZE_MAX);
    }
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        const struct allfold_rules rules = rules_of((enum allfold_collective)c, "native");
        assert_int_equal(rules.count, 1);
        assert_null(rules.rules[0].algorithm);
        assert_string_equal(name_at(&rules, 12345), "native");
    }
}

/* From is in the range, to is not; a size in no range is free. */
static void test_ranges(void **state)
{
    (void)state;
    const struct allfold_rules rules =
        rules_of(ALLFOLD_ALLREDUCE, "16-4K:recursive_doubling;8K-1M:halving_doubling;2M-:ring");
    static const struct {
        size_t bytes;
        const char *name;
    } sizes[] = {
        {0, ""},
        {15, ""},
        {16, "recursive_doubling"},
        {4095, "recursive_doubling"},
        {4096, ""},
        {8191, ""},
        {8192, "halving_doubling"},
        {(1 << 20) - 1, "halving_doubling"},
        {1 << 20, ""},
        {(2 << 20) - 1, ""},
        {2 << 20, "ring"},
        {SIZE_MAX - 1, "ring"},
    };
    assert_int_equal(rules.count, 3);
    for (size_t i = 0; i < LENGTH(sizes); i++)
        assert_string_equal(name_at(&rules, sizes[i].bytes), sizes[i].name);
}

static void test_first_match(void **state)
{
    (void)state;
    const struct allfold_rules rules =
        rules_of(ALLFOLD_ALLREDUCE, "8-16:native;0-1K:ring;8-:recursive_doubling;ring");
    assert_string_equal(name_at(&rules, 7), "ring");
    assert_string_equal(name_at(&rules, 8), "native");
    assert_string_equal(name_at(&rules, 16), "ring");
    assert_string_equal(name_at(&rules, 1024), "recursive_doubling");
    assert_int_equal(rules.count, 4);
}

static void test_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t segment;
    } texts[] = {
        {"ring(segment=64K)", 65536},  {"ring(segment=0)", 0},
        {"ring(segment=1)", 1},        {"ring(segment=12345)", 12345},
        {"ring(segment=1T)", 1 << 20}, {"ring(segment=1024g)", 1 << 20},
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, texts[i].text);
        const size_t expected = i < 4 ? texts[i].segment : texts[i].segment << 20;
        assert_int_equal(rules.count, 1);
        assert_int_equal(rules.rules[0].parameters.value[0], expected);
    }
}

/* The word that allows ranks different bits, for those algorithms alone whose ranks get them. */
static void test_unordered(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool unordered;
        size_t n; /* 0: the preset */
    } texts[] = {
        {"bruck", false, 0},
        {"bruck(unordered)", true, 0},
        {"bruck(n=2)", false, 2},
        {"bruck(n=2,unordered)", true, 2},
        {"bruck( unordered )", true, 0},
        {"bruck(unordered, n=2)", true, 2},
    };
    static const char *const refused[] = {"ring(unordered)", "native(unordered)", "bruck(ordered)",
                                          "bruck(unordered,unordered)", "bruck(unordered=1)"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, texts[i].text);
        const struct allfold_rule *rule = &rules.rules[0];
        char written[100];
        assert_int_equal(rule->unordered, texts[i].unordered);
        if (texts[i].n > 0)
            assert_int_equal(rule->parameters.value[0], texts[i].n);
        allfold_rule_write(rule, written, sizeof written);
        const struct allfold_rules again = rules_of(ALLFOLD_ALLREDUCE, written);
        assert_memory_equal(&again, &rules, sizeof rules);
    }
    for (size_t i = 0; i < LENGTH(refused); i++) {
        struct allfold_rules rules;
        char message[700] = "";
        assert_int_equal(
            allfold_rules_read(ALLFOLD_ALLREDUCE, refused[i], &rules, message, sizeof message),
            ALLFOLD_BAD_INPUT);
        assert_true(strlen(message) > 0);
    }
}

/* A rule without it serves exact operations alone; with it, all. */
static void test_unordered_needs(void **state)
{
    (void)state;
    struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                      .group = allfold_group_all(3, 0),
                                      .count = 10,
                                      .element_bytes = 8,
                                      .commutative = true};
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        struct allfold_rule rule = {.algorithm = allfold_algorithms[i],
                                    .parameters = allfold_parameter_presets(allfold_algorithms[i])};
        if (rule.algorithm->collective != ALLFOLD_ALLREDUCE)
            continue;
        problem.exact = true;
        const char *of_all = allfold_rule_unmet(&rule, &problem);
        problem.exact = false;
        const char *unmet = allfold_rule_unmet(&rule, &problem);
        if (of_all == NULL)
            assert_true((unmet == NULL) == rule.algorithm->consistent);
        if (of_all == NULL && unmet != NULL)
            assert_non_null(strstr(unmet, "different bits"));
        rule.unordered = !rule.algorithm->consistent;
        assert_ptr_equal(allfold_rule_unmet(&rule, &problem), of_all);
    }
}

/* Whether a rule with this value of the first parameter is read, and read as that. */
static bool takes(const struct allfold_algorithm *algorithm, size_t value)
{
    struct allfold_rules rules;
    char text[200], message[700];
    snprintf(text, sizeof text, "%s(%s=%zu)", algorithm->name, algorithm->parameters[0].name,
             value);
    if (allfold_rules_read(algorithm->collective, text, &rules, message, sizeof message) !=
        ALLFOLD_OK)
        return false;
    assert_int_equal(rules.rules[0].parameters.value[0], value);
    return true;
}

static void test_bounds_of_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_parameter *parameter = &allfold_algorithms[i]->parameters[0];
        if (parameter->name == NULL || parameter->inner != NULL)
            continue;
        assert_true(takes(allfold_algorithms[i], parameter->minimum));
        assert_true(takes(allfold_algorithms[i], parameter->maximum));
        assert_true(takes(allfold_algorithms[i], parameter->preset));
        assert_false(takes(allfold_algorithms[i], parameter->maximum + 1));
        if (parameter->minimum > 0)
            assert_false(takes(allfold_algorithms[i], parameter->minimum - 1));
    }
}

static void test_blanks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0-4K:recursive_doubling;4K-:ring(segment=64K)",
        " 0 - 4K : recursive_doubling ; 4K - : ring ( segment = 64K ) ",
        "\t0-4K:\trecursive_doubling\t;\t4K-\t:ring(\tsegment\t=64K\t)\t",
        "0-4K:recursive_doubling;4K-:ring(segment=64K);",
        "0-4K:recursive_doubling;4K-:ring(segment=64K) ; ",
    };
    const struct allfold_rules expected = rules_of(ALLFOLD_ALLREDUCE, texts[0]);
    assert_int_equal(expected.count, 2);
    for (size_t i = 1; i < LENGTH(texts); i++) {
        const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, texts[i]);
        assert_memory_equal(&rules, &expected, sizeof rules);
    }
}

static const char many[] =
    "0-1:ring;1-2:ring;2-3:ring;3-4:ring;4-5:ring;5-6:ring;6-7:ring;7-8:ring;"
    "8-9:ring;9-10:ring;10-11:ring;11-12:ring;12-13:ring;13-14:ring;"
    "14-15:ring;15-16:native";

/* That a text is refused in these words, gives no rules, and that shorter messages are cut. */
static void assert_refused(enum allfold_collective collective, const char *text, const char *words)
{
    struct allfold_rules rules;
    char message[700] = "";
    memset(&rules, 0x5a, sizeof rules);
    assert_int_equal(allfold_rules_read(collective, text, &rules, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_string_equal(message, words);
    assert_int_equal(rules.count, 0);
    assert_null(allfold_rules_find(&rules, 0));
    char *cut = malloc(10);
    assert_non_null(cut);
    assert_int_equal(allfold_rules_read(collective, text, &rules, cut, 10), ALLFOLD_BAD_INPUT);
    assert_int_equal(strlen(cut), 9);
    assert_memory_equal(cut, words, 9);
    free(cut);
}

static void test_number_of_rules(void **state)
{
    (void)state;
    char text[sizeof many + 40];
    const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, many);
    assert_int_equal(rules.count, ALLFOLD_MAX_RULES);
    assert_string_equal(name_at(&rules, 14), "ring");
    assert_string_equal(name_at(&rules, 15), "native");
    assert_string_equal(name_at(&rules, 16), "");
    snprintf(text, sizeof text, "%s ; ", many);
    assert_int_equal(rules_of(ALLFOLD_ALLREDUCE, text).count, ALLFOLD_MAX_RULES);
    snprintf(text, sizeof text, "%s;ring", many);
    assert_refused(ALLFOLD_ALLREDUCE, text, "more than 16 rules");
}

static void test_wrong_names(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        const char *text, *shown, *meant; /* NULL: no name is similar */
    } wrong[] = {
        {ALLFOLD_ALLREDUCE, "rnig", "rnig", "ring"},
        {ALLFOLD_ALLREDUCE, "rng", "rng", "ring"},
        {ALLFOLD_ALLREDUCE, "ringg(segment=4)", "ringg", "ring"},
        {ALLFOLD_ALLREDUCE, "Ring", "Ring", "ring"},
        {ALLFOLD_ALLREDUCE, "rxxg", "rxxg", NULL},
        {ALLFOLD_ALLREDUCE, "natve", "natve", "native"},
        {ALLFOLD_ALLREDUCE, "recursive_dubling", "recursive_dubling", "recursive_doubling"},
        {ALLFOLD_REDUCE, "dual_root", "dual_root", NULL},
        {ALLFOLD_BCAST, "0-4K:native; x(y=1)", "x", NULL},
        {ALLFOLD_ALLREDUCE, ";ring", ";", NULL},
        {ALLFOLD_ALLREDUCE, "ring;;ring", ";", NULL},
        {ALLFOLD_ALLREDUCE, "(segment=4)", "(", NULL},
        {ALLFOLD_ALLREDUCE, ":ring", ":", NULL},
        {ALLFOLD_ALLREDUCE, "-4K:ring", "-4K", NULL},
        {ALLFOLD_ALLREDUCE, "ring_ring_ring_ring_ring_ring_ring_ring_ring_ring_ring_ring_ring",
         "ring_ring_ring_ring_ring_ring_ring_ring_ring_ring_ring_ring_ring", NULL},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char words[300];
        int length = snprintf(words, sizeof words, "unknown algorithm for %s: '%s';",
                              allfold_collective_name(wrong[i].collective), wrong[i].shown);
        if (wrong[i].meant != NULL)
            length += snprintf(words + length, sizeof words - (size_t)length, " did you mean '%s'?",
                               wrong[i].meant);
        snprintf(words + length, sizeof words - (size_t)length, " `allfold list` prints all names");
        assert_refused(wrong[i].collective, wrong[i].text, words);
    }
    assert_refused(ALLFOLD_REDUCE, "0-4K: ",
                   "algorithm for reduce is missing at the end; `allfold list` prints all names");
}

static void test_wrong_ranges(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"4K-0:ring", "4K-0"},
        {"4K-4096:ring", "4K-4096"},
        {"0-0:ring", "0-0"},
        {"18446744073709551615-:ring", "18446744073709551615-"},
        {"99999999999999999999-:ring", "99999999999999999999-"},
        {"0-99999999999999999999:ring", "0-99999999999999999999"},
        {"0-4P:ring", "0-4P"},
        {"4K:ring", "4K"},
        {"4Kring", "4Kring"},
        {"4096", "4096"},
        {"0-4K", "0-4K"},
        {"0-", "0-"},
        {"0-4K ring", "0-4K"},
        {"0-x:ring", "0-x"},
        {"ring;1-0:ring", "1-0"},
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        char words[200];
        snprintf(words, sizeof words,
                 "range of bytes: '%s' is not a range like 0-4K: or 4K-:, from less to more",
                 texts[i][1]);
        assert_refused(ALLFOLD_ALLREDUCE, texts[i][0], words);
    }
}

static void test_wrong_parameters(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"ring(radix=2)", "parameter of ring: 'radix' is not one of: segment"},
        {"ring(segmen=2)", "parameter of ring: 'segmen' is not one of: segment"},
        {"ring(segments=2)", "parameter of ring: 'segments' is not one of: segment"},
        {"ring(,)", "parameter of ring: ',' is not one of: segment"},
        {"ring(segment=2,)", "parameter of ring: ')' is not one of: segment"},
        {"ring(", "parameter of ring is missing at the end; expected one of: segment"},
        {"native(segment=2)", "parameter of native: 'segment' is not a parameter: there is none"},
        {"recursive_doubling(segment=2)",
         "parameter of recursive_doubling: 'segment' is not a parameter: there is none"},
        {"ring(segment)", "segment: ')' is not = and a value"},
        {"ring(segment 5)", "segment: '5' is not = and a value"},
        {"ring(segment=x)", "segment: 'x' is not a number from 0 to 1T, like 64K"},
        {"ring(segment=-1)", "segment: '-1' is not a number from 0 to 1T, like 64K"},
        {"ring(segment= 2T)", "segment: '2T' is not a number from 0 to 1T, like 64K"},
        {"ring(segment=1099511627777)",
         "segment: '1099511627777' is not a number from 0 to 1T, like 64K"},
        {"ring(segment=)", "segment: ')' is not a number from 0 to 1T, like 64K"},
        {"ring(segment=",
         "segment is missing at the end; expected a number from 0 to 1T, like 64K"},
        {"ring(segment=4 x", "after a parameter: 'x' is not , or )"},
        {"ring(segment=4Kx)", "after a parameter: 'x' is not , or )"},
        {"ring(segment=4;ring", "after a parameter: ';' is not , or )"},
        {"ring(segment=4", "the ) after the parameters of ring is missing"},
        {"ring(segment=4 ", "the ) after the parameters of ring is missing"},
        {"ring(segment=1,segment=2)", "parameter of ring: 'segment' is given twice"},
        {"ring(segment=1, segment", "parameter of ring: 'segment' is given twice"},
        {"ring;ring(segment=1,segment=1)", "parameter of ring: 'segment' is given twice"},
        {"bruck(unordered,unordered)", "parameter of bruck: 'unordered' is given twice"},
        {"ring ring", "after a rule: 'ring' is not ; and the next rule"},
        {"ring(segment=4)ring", "after a rule: 'ring' is not ; and the next rule"},
        {"ring,native", "after a rule: ',' is not ; and the next rule"},
        {"ring)", "after a rule: ')' is not ; and the next rule"},
    };
    for (size_t i = 0; i < LENGTH(texts); i++)
        assert_refused(ALLFOLD_ALLREDUCE, texts[i][0], texts[i][1]);
}

/* However long the wrong word is, the message says what would be right. */
static void test_long_wrong_word(void **state)
{
    (void)state;
    char text[1000], message[700] = "";
    struct allfold_rules rules;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(allfold_rules_read(ALLFOLD_ALLREDUCE, text, &rules, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "algorithm for allreduce: 'xxxxxxxxxxxxxxx"));
    assert_non_null(strstr(message, "`allfold list` prints all names"));
}

static void test_write(void **state)
{
    (void)state;
    const struct allfold_algorithm *ring = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring");
    static const struct {
        size_t segment;
        const char *text;
    } texts[] = {
        {0, "ring"},
        {65536, "ring(segment=64K)"},
        {1000, "ring(segment=1000)"},
        {1536, "ring(segment=1536)"}, /* exact, so that it can be read back */
        {(1 << 20) + 1, "ring(segment=1048577)"},
        {1025 << 10, "ring(segment=1025K)"},
        {3 << 20, "ring(segment=3M)"},
    };
    char text[64];
    for (size_t i = 0; i < LENGTH(texts); i++) {
        const struct allfold_parameters parameters = {{texts[i].segment}};
        allfold_algorithm_write(ring, &parameters, text, sizeof text);
        assert_string_equal(text, texts[i].text);
    }
    allfold_algorithm_write(NULL, NULL, text, sizeof text);
    assert_string_equal(text, "native");
    for (size_t bytes = 1; bytes < 20; bytes++) {
        const struct allfold_parameters parameters = {{65536}};
        char *cut = malloc(bytes);
        assert_non_null(cut);
        allfold_algorithm_write(ring, &parameters, cut, bytes);
        assert_int_equal(strlen(cut), bytes - 1 < 17 ? bytes - 1 : 17);
        assert_memory_equal(cut, "ring(segment=64K)", strlen(cut));
        free(cut);
    }
}

/* --- by chance -------------------------------------------------------------------------------- */

/* Rules from random and mutated texts: they are refused with a message and no rules, or give rules
 * that print and read back the same. Texts and messages have just their memory, so that sanitizers
 * see every byte too far. */

enum { TEXTS = 200000, TEXT_BYTES = 900, PRINTED_BYTES = 4096 };

static uint64_t seed = 1;

static const char *const pieces[] = {"ring",
                                     "native",
                                     "recursive_doubling",
                                     "halving_doubling",
                                     "binomial_tree",
                                     "0-4K:",
                                     "4K-:",
                                     "64-65536:",
                                     "1M-3G:",
                                     "0-:",
                                     ";",
                                     ":",
                                     "(",
                                     ")",
                                     "=",
                                     ",",
                                     "-",
                                     " ",
                                     "\t",
                                     "segment",
                                     "segment=",
                                     "(segment=64K)",
                                     "(segment=0)",
                                     "(segment=1)",
                                     "(segment=12345)",
                                     "0",
                                     "7",
                                     "64K",
                                     "1T",
                                     "2T",
                                     "4096",
                                     "18446744073709",
                                     "18446744073709551615",
                                     "9999999999999999",
                                     "x",
                                     "\xff",
                                     "%s%n",
                                     "'",
                                     "\n",
                                     "."};

static void add(char *text, const char *piece)
{
    if (strlen(text) + strlen(piece) < TEXT_BYTES)
        strcat(text, piece);
}

/* An algorithm of the collective; NULL for native. */
static const struct allfold_algorithm *random_algorithm(enum allfold_collective collective)
{
    const struct allfold_algorithm *of[64];
    uint32_t count = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == collective && count < LENGTH(of))
            of[count++] = allfold_algorithms[i];
    const uint32_t which = random_below(&seed, count + 1);
    return which == count ? NULL : of[which];
}

/* A value of a parameter, if any, and on some levels the parameters of what it names. */
static void add_parameters(const struct allfold_algorithm *algorithm, int level, char *text)
{
    const bool has_second = algorithm->parameters[0].name != NULL && random_below(&seed, 2) == 0 &&
                            algorithm->parameters[1].name != NULL;
    const struct allfold_parameter *parameter = &algorithm->parameters[has_second];
    char words[64];
    if (parameter->name == NULL || level > ALLFOLD_MAX_LEVELS || random_below(&seed, 3) == 0)
        return;
    snprintf(words, sizeof words, "(%s=", parameter->name);
    add(text, words);
    if (parameter->inner != NULL) {
        const unsigned count = allfold_parameter_tried_count(parameter);
        const struct allfold_algorithm *inner = allfold_inner(
            parameter, allfold_parameter_tried(parameter, random_below(&seed, count)));
        add(text, inner->name);
        add_parameters(inner, level + 1, text);
    } else {
        const size_t most = parameter->maximum - parameter->minimum;
        const uint32_t bound = most < 1u << 30 ? (uint32_t)most + 1 : 1u << 30;
        snprintf(words, sizeof words, "%zu",
                 parameter->minimum + (random_below(&seed, bound) >> random_below(&seed, 30)));
        add(text, words);
    }
    add(text, ")");
}

/* A rule as the grammar has it. */
static void add_rule(enum allfold_collective collective, char *text)
{
    const struct allfold_algorithm *algorithm = random_algorithm(collective);
    char words[64];
    const size_t from = (size_t)random_below(&seed, 1u << 20) >> random_below(&seed, 20);
    const size_t length = 1 + (size_t)random_below(&seed, 1u << 20);
    snprintf(words, sizeof words, "%zu-%zu%s", from, from + length,
             random_below(&seed, 2) == 0 ? "K:" : ":");
    if (random_below(&seed, 3) > 0)
        add(text, words);
    add(text, algorithm == NULL ? "native" : algorithm->name);
    if (algorithm != NULL)
        add_parameters(algorithm, 1, text);
}

static void write_text(enum allfold_collective collective, char *text)
{
    text[0] = '\0';
    const uint32_t parts = random_below(&seed, 19);
    const bool by_grammar = random_below(&seed, 3) > 0;
    for (uint32_t i = 0; i < parts; i++) {
        if (!by_grammar)
            add(text, pieces[random_below(&seed, LENGTH(pieces))]);
        else
            add_rule(collective, text);
        if (by_grammar && i + 1 < parts)
            add(text, ";");
    }
    const size_t length = strlen(text);
    for (uint32_t i = random_below(&seed, 3); length > 0 && i > 0; i--) {
        /* another byte; a 0 cuts the text */
        const char byte = (char)random_below(&seed, 256);
        const char *piece = pieces[random_below(&seed, LENGTH(pieces))];
        text[random_below(&seed, (uint32_t)length)] = random_below(&seed, 2) == 0 ? byte : *piece;
    }
}

static void *copied(const void *bytes, size_t count)
{
    void *copy = malloc(count);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    return copy;
}

static void print_rules(const struct allfold_rules *rules, char *text)
{
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < rules->count; i++) {
        const struct allfold_rule *rule = &rules->rules[i];
        char name[ALLFOLD_NAME_BYTES];
        allfold_rule_write(rule, name, sizeof name);
        at += (size_t)snprintf(text + at, PRINTED_BYTES - at, "%s%zu-%zu:%s", i == 0 ? "" : ";",
                               rule->from_bytes, rule->to_bytes, name);
    }
    assert_true(at < PRINTED_BYTES);
}

static void check_reads_back(enum allfold_collective collective, const char *text,
                             const struct allfold_rules *rules)
{
    char printed[PRINTED_BYTES], message[700] = "";
    struct allfold_rules again;
    print_rules(rules, printed);
    if (allfold_rules_read(collective, printed, &again, message, sizeof message) != ALLFOLD_OK)
        fail_msg("'%s' prints as '%s', which is refused: %s", text, printed, message);
    if (memcmp(&again, rules, sizeof again) != 0)
        fail_msg("'%s' prints as '%s', which is read as something else", text, printed);
}

static void test_fuzz(void **state)
{
    (void)state;
    size_t read = 0, of_many = 0, refused = 0;
    for (int i = 0; i < TEXTS; i++) {
        char whole[TEXT_BYTES] = "";
        const enum allfold_collective collective =
            (enum allfold_collective)(random_below(&seed, 4) % ALLFOLD_COLLECTIVE_COUNT);
        write_text(collective, whole);
        char *text = copied(whole, strlen(whole) + 1);
        const size_t message_bytes = 2 + random_below(&seed, 300);
        char *message = copied(whole, message_bytes);
        message[0] = '\0';
        struct allfold_rules *rules = malloc(sizeof *rules);
        assert_non_null(rules);
        memset(rules, 0x5a, sizeof *rules);
        if (allfold_rules_read(collective, text, rules, message, message_bytes) == ALLFOLD_OK) {
            assert_string_equal(message, "");
            assert_true(rules->count >= 0 && rules->count <= ALLFOLD_MAX_RULES);
            check_reads_back(collective, text, rules);
            read++;
            of_many += rules->count > 3;
        } else {
            assert_true(strlen(message) > 0 && strlen(message) < message_bytes);
            assert_int_equal(rules->count, 0);
            refused++;
        }
        free(rules);
        free(message);
        free(text);
    }
    print_message("%zu texts read, %zu of them more than 3 rules; %zu refused\n", read, of_many,
                  refused);
    assert_true(read > TEXTS / 10 && of_many > TEXTS / 50 && refused > TEXTS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_rules),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_first_match),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_unordered),
        cmocka_unit_test(test_unordered_needs),
        cmocka_unit_test(test_bounds_of_parameters),
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_number_of_rules),
        cmocka_unit_test(test_wrong_names),
        cmocka_unit_test(test_wrong_ranges),
        cmocka_unit_test(test_wrong_parameters),
        cmocka_unit_test(test_long_wrong_word),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
