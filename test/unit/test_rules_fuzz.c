/* Rules from random and mutated texts: they are refused with a message and no rules, or give rules
 * that print and read back the same. Texts and messages have just their memory, so that sanitizers
 * see every byte too far. */
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

enum { TEXTS = 200000, TEXT_BYTES = 900, PRINTED_BYTES = 2048 };

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
    if (algorithm == NULL || algorithm->parameters[0].name == NULL || random_below(&seed, 3) == 0)
        return;
    const struct allfold_parameter *parameter = &algorithm->parameters[0];
    if (parameter->inner[0] != NULL) {
        snprintf(words, sizeof words, "(%s=%s)", parameter->name,
                 parameter->inner[random_below(&seed, parameter->tried_count)]->name);
        add(text, words);
        return;
    }
    const size_t most = parameter->maximum - parameter->minimum;
    const uint32_t bound = most < 1u << 30 ? (uint32_t)most + 1 : 1u << 30;
    snprintf(words, sizeof words, "(%s=%zu)", parameter->name,
             parameter->minimum + (random_below(&seed, bound) >> random_below(&seed, 30)));
    add(text, words);
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
        char name[100];
        allfold_algorithm_write(rule->algorithm, &rule->parameters, name, sizeof name);
        at += (size_t)snprintf(text + at, PRINTED_BYTES - at, "%s%zu-%zu:%s", i == 0 ? "" : ";",
                               rule->from_bytes, rule->to_bytes, name);
    }
    assert_true(at < PRINTED_BYTES);
}

static void check_reads_back(enum allfold_collective collective, const char *text,
                             const struct allfold_rules *rules)
{
    char printed[PRINTED_BYTES], message[480] = "";
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
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
