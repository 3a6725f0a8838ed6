/* The measurement plan of `allfold bench` (see measurement_plan.h). */
#include "lab/measure/measurement_plan.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/measure/pattern.h"
#include "util/quantity.h"
#include "util/number.h"

/* Words that are read at the end, as they depend on the collective. */
enum { ALGORITHM, TYPE, OPERATION, ROOT, SIZES, LATE_WORDS };

static const char *const late_words[LATE_WORDS] = {"algorithm", "type", "operation", "root",
                                                   "bytes"};

struct text {
    char *message;
    size_t bytes;
};

static bool refuse(struct text text, const char *name, const char *value, const char *expected)
{
    snprintf(text.message, text.bytes, "--%s %.60s: expected %s", name, value, expected);
    return false;
}

void allfold_bench_plan_begin(struct allfold_bench_plan *plan)
{
    *plan = (struct allfold_bench_plan){
        .collective = ALLFOLD_ALLREDUCE,
        .effort = {.confidence = 0.95, .width = 0.05, .least = 10, .most = 1000, .longest_s = 1},
        .warmup = 10,
        .seed = 1,
        .words = {"allfold,native", "double", "", "0", "8:1M"},
    };
}

static bool read_collective(struct allfold_bench_plan *plan, const char *value, struct text text)
{
    char expected[200] = "one of:";
    const enum allfold_collective found = allfold_collective_find(value);
    if (found != ALLFOLD_COLLECTIVE_COUNT) {
        plan->collective = found;
        return true;
    }
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        const size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, "%s %s", c == 0 ? "" : ",",
                 allfold_collective_name((enum allfold_collective)c));
    }
    return refuse(text, "collective", value, expected);
}

static bool read_start(struct allfold_bench_plan *plan, const char *value, struct text text)
{
    static const char *const names[] = {"auto", "window", "barrier", "loop"};
    if (strcmp(value, "measured") == 0)
        return plan->measures_clocks = true;
    for (int i = 0; i < 4; i++) {
        plan->start = (enum allfold_bench_plan_start)i;
        if (strcmp(names[i], value) == 0)
            return true;
    }
    return refuse(text, "start", value, "auto, window, barrier or loop, or measured");
}

static bool read_buffers(struct allfold_bench_plan *plan, const char *value, struct text text)
{
    static const char cold[] = "cold:";
    const size_t most = (size_t)1 << 32;
    const bool is_kept = strcmp(value, "kept") == 0, is_mpi = strcmp(value, "mpi") == 0;
    const char *end;
    if (is_kept || strcmp(value, "in_place") == 0) {
        plan->keeps_inputs = is_kept;
        plan->is_in_place = !is_kept;
        return true;
    }
    if (is_mpi || strcmp(value, "malloc") == 0) {
        plan->allocates_by_mpi = is_mpi;
        return true;
    }
    return (strncmp(value, cold, strlen(cold)) == 0 &&
            allfold_size_read(value + strlen(cold), &plan->cold_bytes, &end) && *end == '\0' &&
            plan->cold_bytes > 0 && plan->cold_bytes <= most) ||
           refuse(text, "buffers", value, "kept, in_place, mpi, malloc, cold or cold:BYTES, to 4G");
}

/* A word that is a number, its place, and its unit in those of the plan. */
static const struct number {
    const char *name, *option;
    size_t place;
    bool is_whole;
    double least, most, unit;
    const char *expected;
} numbers[] = {
    {"confidence", "precision", offsetof(struct allfold_bench_plan, effort.confidence), false, 50,
     99.99, 0.01, "percent, from 50 to 99.99"},
    {"precision", "precision", offsetof(struct allfold_bench_plan, effort.width), false, 0.01, 100,
     0.01, "percent of the median, from 0.01 to 100"},
    {"time", "budget", offsetof(struct allfold_bench_plan, effort.longest_s), false, 0, 86400, 1,
     "seconds, up to 86400"},
    {"skew", "skew", offsetof(struct allfold_bench_plan, skew_s), false, 0, 1e7, 1e-6,
     "microseconds, up to 10000000"},
    {"least", "repetitions", offsetof(struct allfold_bench_plan, effort.least), true, 1, 1000000, 1,
     "a whole number from 1 to 1000000"},
    {"most", "repetitions", offsetof(struct allfold_bench_plan, effort.most), true, 1, 1000000, 1,
     "a whole number from 1 to 1000000"},
    {"warmup", "warmup", offsetof(struct allfold_bench_plan, warmup), true, 1, 1000000, 1,
     "a whole number from 1 to 1000000"},
    {"seed", "seed", offsetof(struct allfold_bench_plan, seed), true, 0, 2147483647, 1,
     "a whole number from 0 to 2147483647"},
};

static bool read_number(struct allfold_bench_plan *plan, const struct number *number,
                        const char *value, struct text text)
{
    double read;
    void *place = (char *)plan + number->place;
    if (!allfold_number_is(value, &read) || !(read >= number->least && read <= number->most) ||
        (number->is_whole && read != (int)read))
        return refuse(text, number->option, value, number->expected);
    if (number->is_whole)
        *(int *)place = (int)read;
    else
        *(double *)place = read * number->unit;
    return true;
}

bool allfold_bench_plan_take(struct allfold_bench_plan *plan, const char *name, const char *value,
                             char *message, size_t message_bytes)
{
    static const struct {
        const char *name;
        bool (*read)(struct allfold_bench_plan *plan, const char *value, struct text text);
    } readers[] = {
        {"collective", read_collective}, {"start", read_start}, {"buffers", read_buffers}};
    const struct text text = {message, message_bytes};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(readers[i].name, name) == 0)
            return readers[i].read(plan, value, text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0)
            return read_number(plan, &numbers[i], value, text);
    for (size_t i = 0; i < LATE_WORDS; i++)
        if (strcmp(late_words[i], name) == 0) {
            plan->words[i] = value;
            return true;
        }
    if (strcmp(name, "progress") == 0)
        return plan->tells_progress = true;
    if (strcmp(name, "guidelines") == 0)
        return plan->checks_guidelines = true;
    if (strcmp(name, "refuse") == 0)
        snprintf(message, message_bytes, "%s", value);
    else
        snprintf(message, message_bytes, "'%s' is no word of a plan", name);
    return false;
}

/* --- what depends on the collective --- */

static bool add_algorithm(struct allfold_bench_plan *plan,
                          struct allfold_bench_plan_algorithm algorithm, struct text text)
{
    for (int i = 0; i < plan->algorithm_count; i++)
        if (strcmp(plan->algorithms[i].name, algorithm.name) == 0) {
            plan->algorithms[i].is_named |= algorithm.is_named;
            return true;
        }
    if (plan->algorithm_count == ALLFOLD_PLAN_ALGORITHMS) {
        snprintf(text.message, text.bytes, "there are more than %d algorithms",
                 ALLFOLD_PLAN_ALGORITHMS);
        return false;
    }
    plan->algorithms[plan->algorithm_count++] = algorithm;
    return true;
}

static bool add_forced(struct allfold_bench_plan *plan, const struct allfold_algorithm *algorithm,
                       const struct allfold_parameters *parameters, bool is_named, struct text text)
{
    struct allfold_bench_plan_algorithm added = {.kind = algorithm == NULL ? ALLFOLD_PLAN_NATIVE
                                                                           : ALLFOLD_PLAN_FORCED,
                                                 .algorithm = algorithm,
                                                 .parameters = *parameters,
                                                 .is_named = is_named};
    allfold_algorithm_write(algorithm, parameters, added.name, sizeof added.name);
    return add_algorithm(plan, added, text);
}

static bool add_all(struct allfold_bench_plan *plan, struct text text)
{
    bool fits = true;
    for (size_t i = 0; fits && allfold_algorithms[i] != NULL; i++) {
        const struct allfold_parameters presets = allfold_parameter_presets(allfold_algorithms[i]);
        if (allfold_algorithms[i]->collective == plan->collective)
            fits = add_forced(plan, allfold_algorithms[i], &presets, false, text);
    }
    return fits;
}

/* One name of the list: of a contender that is no algorithm, or as a rule without a range. */
static bool read_algorithm(struct allfold_bench_plan *plan, const char *word, struct text text)
{
    const struct allfold_bench_plan_algorithm others[] = {
        {.name = "allfold", .kind = ALLFOLD_PLAN_CHOICE, .is_named = true},
        {.name = "copy", .kind = ALLFOLD_PLAN_COPY, .is_named = true}};
    char why[700];
    struct allfold_rules rules;
    if (strcmp(word, "all") == 0)
        return add_all(plan, text);
    if (plan->collective == ALLFOLD_BARRIER && strcmp(word, "copy") == 0)
        return refuse(text, "algorithm", word, "another one: a barrier has no vector");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word, others[i].name) == 0)
            return add_algorithm(plan, others[i], text);
    if (allfold_rules_read(plan->collective, word, &rules, why, sizeof why) != ALLFOLD_OK) {
        snprintf(text.message, text.bytes, "--algorithm %.60s: %s; or all, allfold or copy", word,
                 why);
        return false;
    }
    const struct allfold_rule *rule = &rules.rules[0];
    if (rules.count != 1 || rule->from_bytes != 0 || rule->to_bytes != SIZE_MAX)
        return refuse(text, "algorithm", word, "names without ranges of sizes");
    return add_forced(plan, rule->algorithm, &rule->parameters, true, text);
}

/* Cuts the next word off a list: up to a comma that is not within parentheses. False at its end. */
static bool cut(const char **list, char *word, size_t word_bytes)
{
    size_t length = 0;
    int depth = 0;
    const char *at = *list;
    if (at == NULL)
        return false;
    for (; at[length] != '\0' && (at[length] != ',' || depth > 0); length++)
        depth += (at[length] == '(') - (at[length] == ')');
    snprintf(word, word_bytes, "%.*s", (int)(length < word_bytes ? length : word_bytes - 1), at);
    *list = at[length] == ',' ? at + length + 1 : NULL;
    return true;
}

static bool read_algorithms(struct allfold_bench_plan *plan, struct text text)
{
    char word[ALLFOLD_NAME_BYTES];
    const char *list = plan->words[ALGORITHM];
    bool fits = true;
    while (fits && cut(&list, word, sizeof word))
        fits = read_algorithm(plan, word, text);
    return fits;
}

/* Refuses a word, and says which names there are; NULL among them: one that is none. */
static bool refuse_name(struct text text, const char *what, const char *word,
                        const char *(*name_of)(int), int count)
{
    char expected[300];
    int at = snprintf(expected, sizeof expected, "%ss of:", what);
    for (int i = 0; i < count && (size_t)at < sizeof expected; i++)
        if (name_of(i) != NULL)
            at += snprintf(expected + at, sizeof expected - (size_t)at, " %s", name_of(i));
    return refuse(text, what, word, expected);
}

static const char *type_with_pattern(int type)
{
    return allfold_pattern_has((enum allfold_type)type) ? allfold_type_name((enum allfold_type)type)
                                                        : NULL;
}

static const char *operation_name(int operation)
{
    return allfold_operation_name((enum allfold_operation)operation);
}

static bool find_type(const char *word, enum allfold_type *found, struct text text)
{
    static const char *const also[][2] = {
        {"char", "int8"}, {"short", "int16"}, {"int", "int32"}, {"long", "int64"}};
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        word = strcmp(also[i][0], word) == 0 ? also[i][1] : word;
    *found = allfold_type_find(word);
    return (*found != ALLFOLD_TYPE_COUNT && allfold_pattern_has(*found)) ||
           refuse_name(text, "type", word, type_with_pattern, ALLFOLD_TYPE_COUNT);
}

static bool find_operation(const struct allfold_bench_plan *plan, const char *word,
                           enum allfold_operation *found, struct text text)
{
    *found = ALLFOLD_OPERATION_COUNT;
    if (!allfold_traits(plan->collective)->reduces || plan->collective == ALLFOLD_BARRIER)
        return *word == '\0' || plan->checks_guidelines ||
               refuse(text, "operation", word, "none: the collective has none");
    *found = allfold_operation_find(*word == '\0' ? "sum" : word);
    return *found != ALLFOLD_OPERATION_COUNT ||
           refuse_name(text, "operation", word, operation_name, ALLFOLD_OPERATION_COUNT);
}

/* Ranks are known to be there only where there is MPI. */
static bool find_root(const struct allfold_bench_plan *plan, const char *word, int *root,
                      struct text text)
{
    long number;
    if (!allfold_whole_is(word, 0, 1 << 24, &number))
        return refuse(text, "root", word, "ranks, as 0,3");
    *root = (int)number;
    return number == 0 || allfold_traits(plan->collective)->has_root || plan->checks_guidelines ||
           refuse(text, "root", word, "none: the collective has none");
}

static bool add_series(struct allfold_bench_plan *plan, struct allfold_bench_plan_series series,
                       struct text text)
{
    if (series.operation != ALLFOLD_OPERATION_COUNT &&
        allfold_kernel_find(series.type, series.operation) == NULL) {
        snprintf(text.message, text.bytes, "MPI does not allow %s of %s",
                 allfold_operation_name(series.operation), allfold_type_name(series.type));
        return false;
    }
    if (plan->series_count == ALLFOLD_PLAN_SERIES) {
        snprintf(text.message, text.bytes, "there are more than %d types, operations and roots",
                 ALLFOLD_PLAN_SERIES);
        return false;
    }
    plan->series[plan->series_count++] = series;
    return true;
}

static bool read_series(struct allfold_bench_plan *plan, struct text text)
{
    char type[40], operation[40], root[40];
    struct allfold_bench_plan_series series;
    const char *types = plan->words[TYPE];
    bool fits = true;
    while (fits && cut(&types, type, sizeof type)) {
        const char *operations = plan->words[OPERATION];
        fits = find_type(type, &series.type, text);
        while (fits && cut(&operations, operation, sizeof operation)) {
            const char *roots = plan->words[ROOT];
            fits = find_operation(plan, operation, &series.operation, text);
            while (fits && cut(&roots, root, sizeof root))
                fits = find_root(plan, root, &series.root, text) && add_series(plan, series, text);
        }
    }
    return fits;
}

const char *allfold_bench_plan_outcome_name(int outcome)
{
    static const char *const names[] = {"measured", "refused", "wrong"};
    return outcome < 0 || outcome > ALLFOLD_PLAN_WRONG ? NULL : names[outcome];
}

size_t allfold_bench_plan_count(const struct allfold_bench_plan *plan,
                                const struct allfold_bench_plan_series *series, size_t bytes)
{
    return plan->collective == ALLFOLD_BARRIER ? 0 : bytes / allfold_type_bytes(series->type);
}

/* What is no whole number of elements loses the rest, but not all of it. */
static bool check_sizes(struct allfold_bench_plan *plan, struct text text)
{
    const size_t most = (size_t)1 << 30;
    if (plan->collective == ALLFOLD_BARRIER)
        plan->sizes = (struct allfold_size_list){.count = 1};
    for (int i = 0; i < plan->sizes.count; i++)
        for (int k = 0; k < plan->series_count; k++) {
            const size_t bytes = plan->sizes.sizes[i];
            const size_t element_bytes = allfold_type_bytes(plan->series[k].type);
            if (bytes <= most && (bytes == 0 || bytes >= element_bytes))
                continue;
            snprintf(text.message, text.bytes, "--bytes: %zu bytes are %s%s", bytes,
                     bytes > most ? "more than 1G" : "less than an element of ",
                     bytes > most ? "" : allfold_type_name(plan->series[k].type));
            return false;
        }
    return true;
}

bool allfold_bench_plan_may_loop(const struct allfold_bench_plan *plan)
{
    return allfold_has_all_of_all(plan->collective) && plan->skew_s == 0;
}

/* The start must suit the collective, which another word may have named. */
static bool check_start(const struct allfold_bench_plan *plan, struct text text)
{
    char expected[100];
    snprintf(expected, sizeof expected, "another one %s",
             plan->skew_s > 0 ? "with --skew"
                              : "where ranks do not wait for all others, as in this collective");
    return plan->start != ALLFOLD_START_LOOP || allfold_bench_plan_may_loop(plan) ||
           refuse(text, "start", "loop", expected);
}

/* In a loop each call would reduce what the one before it made. */
static bool check_in_place(const struct allfold_bench_plan *plan, struct text text)
{
    if (!plan->is_in_place)
        return true;
    if (!allfold_traits(plan->collective)->allows_in_place)
        return refuse(text, "collective", allfold_collective_name(plan->collective),
                      "one that MPI has in place, with --buffers in_place");
    return plan->start != ALLFOLD_START_LOOP ||
           refuse(text, "start", "loop",
                  "another start with --buffers in_place, whose inputs are written "
                  "before each call");
}

/* One call is compared with others of the same kind. */
static bool check_guidelines(const struct allfold_bench_plan *plan, struct text text)
{
    if (!plan->checks_guidelines)
        return true;
    for (int i = 0; i < plan->algorithm_count; i++)
        if (plan->algorithms[i].kind != ALLFOLD_PLAN_NATIVE &&
            plan->algorithms[i].kind != ALLFOLD_PLAN_CHOICE)
            return refuse(text, "algorithm", plan->algorithms[i].name,
                          "allfold or native, with --guidelines");
    if (plan->series_count > 1) {
        snprintf(text.message, text.bytes,
                 "--guidelines: expected one type, one operation and one root");
        return false;
    }
    if (plan->start == ALLFOLD_START_LOOP)
        return refuse(text, "start", "loop", "another one, with --guidelines");
    if (plan->is_in_place) {
        snprintf(text.message, text.bytes,
                 "--buffers in_place: expected none with --guidelines, as a broadcast has nothing "
                 "in place");
        return false;
    }
    return true;
}

bool allfold_bench_plan_end(struct allfold_bench_plan *plan, char *message, size_t message_bytes)
{
    const struct text text = {message, message_bytes};
    plan->algorithm_count = plan->series_count = 0;
    if (plan->effort.least > plan->effort.most)
        plan->effort.least = plan->effort.most;
    return (plan->checks_guidelines || check_start(plan, text)) &&
           (plan->checks_guidelines || check_in_place(plan, text)) && read_algorithms(plan, text) &&
           read_series(plan, text) &&
           allfold_size_list_read(plan->words[SIZES], &plan->sizes, message, message_bytes) &&
           check_sizes(plan, text) && check_guidelines(plan, text);
}
