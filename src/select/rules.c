/* Reads, writes and finds rules (see rules.h). */
#include "select/rules.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "util/quantity.h"
#include "util/word.h"

/* Where reading is, and where to say what is wrong. */
struct reader {
    enum allfold_collective collective;
    const char *at;
    char *message;
    size_t message_bytes;
};

enum { MOST_SHOWN = 80 };

static const char separators[] = ";:(),= \t", native[] = "native";

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t");
}

static bool take(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

static int word_length(const char *at)
{
    return (int)strcspn(at, separators);
}

/* Is that the next word? */
static bool is_word(const struct reader *reader, const char *word)
{
    return allfold_is_word(word, reader->at, (size_t)word_length(reader->at));
}

/* How many characters of the text a message shows: the next word, or what stands in its place. */
static int shown_length(const struct reader *reader)
{
    const int length = word_length(reader->at);
    return length == 0 ? 1 : length > MOST_SHOWN ? MOST_SHOWN : length;
}

static enum allfold_error refuse(struct reader *reader, const char *what, const char *expected)
{
    if (*reader->at == '\0')
        snprintf(reader->message, reader->message_bytes, "%s is missing at the end; expected %s",
                 what, expected);
    else
        snprintf(reader->message, reader->message_bytes, "%s: '%.*s' is not %s", what,
                 shown_length(reader), reader->at, expected);
    return ALLFOLD_BAD_INPUT;
}

/* The algorithm's name that was probably meant; NULL: none. In a short name two other letters make
 * another word. */
static const char *find_similar(const struct reader *reader, int length)
{
    enum { SHORT_NAME = 4 };
    for (int changes = 1; changes <= (length > SHORT_NAME ? 2 : 1); changes++) {
        if (allfold_is_similar(reader->at, (size_t)length, native, changes))
            return native;
        for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
            if (allfold_algorithms[i]->collective == reader->collective &&
                allfold_is_similar(reader->at, (size_t)length, allfold_algorithms[i]->name,
                                   changes))
                return allfold_algorithms[i]->name;
    }
    return NULL;
}

static enum allfold_error refuse_name(struct reader *reader)
{
    const char *collective = allfold_collective_name(reader->collective);
    const int length = word_length(reader->at);
    const char *similar = length > MOST_SHOWN ? NULL : find_similar(reader, length);
    char meant[80] = "";
    if (similar != NULL)
        snprintf(meant, sizeof meant, " did you mean '%s'?", similar);
    if (*reader->at == '\0')
        snprintf(reader->message, reader->message_bytes,
                 "algorithm for %s is missing at the end; `allfold list` prints all names",
                 collective);
    else
        snprintf(reader->message, reader->message_bytes,
                 "unknown algorithm for %s: '%.*s';%s `allfold list` prints all names", collective,
                 shown_length(reader), reader->at, meant);
    return ALLFOLD_BAD_INPUT;
}

/* A rule starts with a range if it starts with a digit. */
static enum allfold_error read_range(struct reader *reader, struct allfold_rule *rule)
{
    rule->from_bytes = 0;
    rule->to_bytes = SIZE_MAX;
    skip_blanks(reader);
    if (*reader->at < '0' || *reader->at > '9')
        return ALLFOLD_OK;
    const char *const whole = reader->at;
    bool ok = allfold_size_read(reader->at, &rule->from_bytes, &reader->at) && take(reader, '-');
    skip_blanks(reader);
    if (ok && *reader->at != ':' && *reader->at != '=')
        ok = allfold_size_read(reader->at, &rule->to_bytes, &reader->at);
    if (ok && (take(reader, ':') || take(reader, '=')) && rule->from_bytes < rule->to_bytes)
        return ALLFOLD_OK;
    reader->at = whole;
    return refuse(reader, "range of bytes", "a range like 0-4K: or 4K-:, from less to more");
}

static enum allfold_error read_name(struct reader *reader, struct allfold_rule *rule)
{
    skip_blanks(reader);
    const int length = word_length(reader->at);
    char name[64] = "";
    if (length < (int)sizeof name)
        snprintf(name, sizeof name, "%.*s", length, reader->at);
    rule->algorithm = allfold_algorithm_find(reader->collective, name);
    if (rule->algorithm == NULL && strcmp(name, native) != 0)
        return refuse_name(reader);
    if (rule->algorithm != NULL)
        rule->parameters = allfold_parameter_presets(rule->algorithm);
    reader->at += length;
    return ALLFOLD_OK;
}

static const char unordered[] = "unordered";

bool allfold_may_be_unordered(const struct allfold_algorithm *algorithm)
{
    return algorithm != NULL && !algorithm->consistent &&
           allfold_has_operation(algorithm->collective);
}

/* Appends one of the words that are expected; returns the length of the text. */
static size_t add_word(char *text, size_t bytes, size_t length, const char *word)
{
    snprintf(text + length, bytes - length, "%s%s", length == 0 ? "one of: " : ", ", word);
    return strlen(text);
}

static enum allfold_error refuse_parameter(struct reader *reader, const struct allfold_rule *rule,
                                           int level)
{
    char expected[200] = "a parameter: there is none";
    size_t length = 0;
    for (int i = 0; rule->algorithm != NULL && rule->algorithm->parameters[i].name != NULL; i++)
        length = add_word(expected, sizeof expected, length, rule->algorithm->parameters[i].name);
    if (level == 1 && allfold_may_be_unordered(rule->algorithm) && !rule->unordered)
        add_word(expected, sizeof expected, length, unordered);
    char what[100];
    snprintf(what, sizeof what, "parameter of %s",
             rule->algorithm == NULL ? "native" : rule->algorithm->name);
    return refuse(reader, what, expected);
}

static enum allfold_error read_parameters(struct reader *reader, struct allfold_rule *rule,
                                          int level);

/* An inner algorithm with its parameters: one level below `level`. */
static enum allfold_error read_inner(struct reader *reader,
                                     const struct allfold_parameter *parameter, int level,
                                     struct allfold_named *inner)
{
    char expected[400] = "one of:";
    bool is_first = true;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const char *name = allfold_algorithms[i]->name;
        if (!allfold_parameter_takes(parameter, i))
            continue;
        if (is_word(reader, name)) {
            struct allfold_rule rule = {.algorithm = allfold_algorithms[i]};
            rule.parameters = allfold_parameter_presets(rule.algorithm);
            reader->at += strlen(name);
            const enum allfold_error error = read_parameters(reader, &rule, level + 1);
            *inner = (struct allfold_named){rule.algorithm, rule.parameters};
            return error;
        }
        const size_t at = strlen(expected);
        snprintf(expected + at, sizeof expected - at, "%s %s", is_first ? "" : ",", name);
        is_first = false;
    }
    return refuse(reader, parameter->name, expected);
}

static enum allfold_error read_number(struct reader *reader,
                                      const struct allfold_parameter *parameter, size_t *value)
{
    const char *const whole = reader->at;
    if (allfold_size_read(reader->at, value, &reader->at) &&
        allfold_parameter_takes(parameter, *value))
        return ALLFOLD_OK;
    reader->at = whole;
    char least[32], most[32], expected[120];
    allfold_size_write(parameter->minimum, least, sizeof least);
    allfold_size_write(parameter->maximum, most, sizeof most);
    snprintf(expected, sizeof expected, "a number from %s to %s, like 64K", least, most);
    return refuse(reader, parameter->name, expected);
}

/* The value of the rule's parameter i. */
static enum allfold_error read_value(struct reader *reader, struct allfold_rule *rule, int i,
                                     int level)
{
    const struct allfold_parameter *parameter = &rule->algorithm->parameters[i];
    struct allfold_named inner;
    skip_blanks(reader);
    if (parameter->inner == NULL)
        return read_number(reader, parameter, &rule->parameters.value[i]);
    const enum allfold_error error = read_inner(reader, parameter, level, &inner);
    if (error == ALLFOLD_OK)
        allfold_name(&rule->parameters, i, &inner);
    return error;
}

static enum allfold_error refuse_second(struct reader *reader, const struct allfold_rule *rule,
                                        const char *name)
{
    snprintf(reader->message, reader->message_bytes, "parameter of %s: '%s' is given twice",
             rule->algorithm->name, name);
    return ALLFOLD_BAD_INPUT;
}

/* Bit i of *given says that parameter i was there before. */
static enum allfold_error read_parameter(struct reader *reader, struct allfold_rule *rule,
                                         int level, unsigned *given)
{
    skip_blanks(reader);
    if (level == 1 && allfold_may_be_unordered(rule->algorithm) && is_word(reader, unordered)) {
        if (rule->unordered)
            return refuse_second(reader, rule, unordered);
        reader->at += strlen(unordered);
        rule->unordered = true;
        return ALLFOLD_OK;
    }
    for (int i = 0; rule->algorithm != NULL && rule->algorithm->parameters[i].name != NULL; i++) {
        const struct allfold_parameter *parameter = &rule->algorithm->parameters[i];
        if (!is_word(reader, parameter->name))
            continue;
        if (*given & 1u << i)
            return refuse_second(reader, rule, parameter->name);
        *given |= 1u << i;
        reader->at += strlen(parameter->name);
        if (!take(reader, '='))
            return refuse(reader, parameter->name, "= and a value");
        return read_value(reader, rule, i, level);
    }
    return refuse_parameter(reader, rule, level);
}

static enum allfold_error refuse_end_of_parameters(struct reader *reader,
                                                   const struct allfold_rule *rule)
{
    if (*reader->at != '\0')
        return refuse(reader, "after a parameter", ", or )");
    snprintf(reader->message, reader->message_bytes, "the ) after the parameters of %s is missing",
             rule->algorithm->name);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error refuse_level(struct reader *reader, const struct allfold_rule *rule)
{
    snprintf(reader->message, reader->message_bytes,
             "parameters of %s: algorithms have parameters on %d levels; expected %s without any",
             rule->algorithm->name, ALLFOLD_MAX_LEVELS, rule->algorithm->name);
    return ALLFOLD_BAD_INPUT;
}

/* The outermost algorithm is on level 1. */
static enum allfold_error read_parameters(struct reader *reader, struct allfold_rule *rule,
                                          int level)
{
    unsigned given = 0;
    if (!take(reader, '('))
        return ALLFOLD_OK;
    if (level > ALLFOLD_MAX_LEVELS)
        return refuse_level(reader, rule);
    if (take(reader, ')')) /* smp() is smp */
        return ALLFOLD_OK;
    do {
        enum allfold_error error = read_parameter(reader, rule, level, &given);
        if (error != ALLFOLD_OK)
            return error;
    } while (take(reader, ','));
    return take(reader, ')') ? ALLFOLD_OK : refuse_end_of_parameters(reader, rule);
}

static enum allfold_error read_rule(struct reader *reader, struct allfold_rules *rules)
{
    if (rules->count == ALLFOLD_MAX_RULES) {
        snprintf(reader->message, reader->message_bytes, "more than %d rules", ALLFOLD_MAX_RULES);
        return ALLFOLD_BAD_INPUT;
    }
    struct allfold_rule *rule = &rules->rules[rules->count];
    enum allfold_error error = read_range(reader, rule);
    if (error == ALLFOLD_OK)
        error = read_name(reader, rule);
    if (error == ALLFOLD_OK)
        error = read_parameters(reader, rule, 1);
    if (error == ALLFOLD_OK)
        rules->count++;
    return error;
}

enum allfold_error allfold_rules_read(enum allfold_collective collective, const char *text,
                                      struct allfold_rules *rules, char *message,
                                      size_t message_bytes)
{
    struct reader reader = {
        .collective = collective, .at = text, .message = message, .message_bytes = message_bytes};
    enum allfold_error error = ALLFOLD_OK;
    memset(rules, 0, sizeof *rules);
    skip_blanks(&reader);
    while (*reader.at != '\0' && error == ALLFOLD_OK) {
        error = read_rule(&reader, rules);
        if (error == ALLFOLD_OK && !take(&reader, ';') && *reader.at != '\0')
            error = refuse(&reader, "after a rule", "; and the next rule");
        skip_blanks(&reader);
    }
    if (error != ALLFOLD_OK)
        rules->count = 0;
    return error;
}

static enum allfold_error refuse_second_algorithm(struct reader *reader)
{
    snprintf(reader->message, reader->message_bytes,
             "'%.*s' follows the algorithm; expected one algorithm alone", shown_length(reader),
             reader->at);
    return ALLFOLD_BAD_INPUT;
}

enum allfold_error allfold_algorithm_read(enum allfold_collective collective, const char *text,
                                          const struct allfold_algorithm **algorithm,
                                          struct allfold_parameters *parameters, char *message,
                                          size_t message_bytes)
{
    struct reader reader = {
        .collective = collective, .at = text, .message = message, .message_bytes = message_bytes};
    struct allfold_rule rule = {.algorithm = NULL};
    enum allfold_error error = read_name(&reader, &rule);
    if (error == ALLFOLD_OK)
        error = read_parameters(&reader, &rule, 1);
    skip_blanks(&reader);
    if (error == ALLFOLD_OK && *reader.at != '\0')
        error = refuse_second_algorithm(&reader);
    if (error == ALLFOLD_OK && rule.unordered) {
        snprintf(message, message_bytes, "the word %s is only for rules", unordered);
        error = ALLFOLD_BAD_INPUT;
    }
    *algorithm = rule.algorithm;
    *parameters = rule.parameters;
    return error;
}

void allfold_rule_write(const struct allfold_rule *rule, char *text, size_t text_bytes)
{
    allfold_algorithm_write(rule->algorithm, &rule->parameters, text, text_bytes);
    const size_t length = strlen(text);
    const bool has_parameters = length > 0 && text[length - 1] == ')';
    if (rule->unordered && has_parameters)
        snprintf(text + length - 1, text_bytes - length + 1, ",%s)", unordered);
    else if (rule->unordered)
        snprintf(text + length, text_bytes - length, "(%s)", unordered);
}

const char *allfold_rule_unmet(const struct allfold_rule *rule,
                               const struct allfold_problem *problem)
{
    const char *unmet = allfold_unmet_by_choice(rule->algorithm, problem, &rule->parameters);
    if (unmet == NULL && allfold_may_be_unordered(rule->algorithm) && !rule->unordered &&
        !problem->exact)
        return "an exact operation, because its ranks sum in different orders and may get "
               "different bits; the word unordered in the rule allows that";
    return unmet;
}

const struct allfold_rule *allfold_rules_find(const struct allfold_rules *rules, size_t bytes)
{
    for (int i = 0; i < rules->count; i++)
        if (bytes >= rules->rules[i].from_bytes && bytes < rules->rules[i].to_bytes)
            return &rules->rules[i];
    return NULL;
}
