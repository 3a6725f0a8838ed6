/* The order of precedence of rules and tables (see choose.h). */
#include "select/choose.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "topology/nodes.h"
#include "select/simulated.h"

const char *allfold_choice_source_name(enum allfold_choice_source source)
{
    static const char *const names[] = {
        [ALLFOLD_CHOICE_FORCED] = "forced",     [ALLFOLD_CHOICE_TABLE] = "table",
        [ALLFOLD_CHOICE_TUNED] = "tuned",       [ALLFOLD_CHOICE_PRICE] = "price",
        [ALLFOLD_CHOICE_LEARNED] = "learned",   [ALLFOLD_CHOICE_GUARD] = "guard",
        [ALLFOLD_CHOICE_BUILT_IN] = "built-in",
    };
    return names[source];
}

const char *allfold_choice_reason(const struct allfold_choice *choice)
{
    if (choice->skipped_row == NULL)
        return allfold_choice_source_name(choice->source);
    switch (choice->source) {
    case ALLFOLD_CHOICE_LEARNED:
        return "learned, row passed over";
    case ALLFOLD_CHOICE_TUNED:
        return "tuned, row passed over";
    case ALLFOLD_CHOICE_BUILT_IN:
        return "built-in, row passed over";
    default:
        return "price, row passed over";
    }
}

/* The lowest price, with default parameters, of those that serve. */
static void choose_by_price(const struct allfold_problem *problem, struct allfold_choice *choice)
{
    struct allfold_named best = {.algorithm = NULL};
    double least_s = HUGE_VAL;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_named one = allfold_with_presets(allfold_algorithms[i]);
        if (one.algorithm->collective != problem->collective ||
            (!one.algorithm->consistent && !problem->exact) ||
            allfold_unmet_need(one.algorithm, problem, &one.parameters) != NULL)
            continue;
        const double price_s = allfold_price_s(one.algorithm, problem, &one.parameters);
        if (price_s > least_s || (price_s >= least_s && !allfold_wins_tie(problem, &one, &best)))
            continue;
        least_s = price_s;
        best = one;
    }
    *choice = (struct allfold_choice){
        .algorithm = best.algorithm, .parameters = best.parameters, .source = ALLFOLD_CHOICE_PRICE};
}

void allfold_choose_default(const struct allfold_problem *problem, struct allfold_choice *choice)
{
    struct allfold_simulated_choice found;
    if (!allfold_simulated_find(problem, &found)) {
        choose_by_price(problem, choice);
        return;
    }
    *choice = (struct allfold_choice){.algorithm = found.algorithm,
                                      .parameters = found.parameters,
                                      .source = ALLFOLD_CHOICE_BUILT_IN,
                                      .simulated = found.row,
                                      .is_runner_up = found.is_runner_up};
}

/* Chooses by the first row that matches and whose algorithm can handle the problem. False if there
 * is none; *choice has the skipped row. */
static bool choose_by_tables(const struct allfold_choice_inputs *inputs,
                             const struct allfold_problem *problem, struct allfold_choice *choice)
{
    static const enum allfold_choice_source sources[] = {
        [ALLFOLD_USERS_TABLE] = ALLFOLD_CHOICE_TABLE,
        [ALLFOLD_LEARNED_TABLE] = ALLFOLD_CHOICE_LEARNED,
        [ALLFOLD_TUNED_TABLE] = ALLFOLD_CHOICE_TUNED,
    };
    *choice = (struct allfold_choice){.algorithm = NULL};
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++) {
        if (inputs->tables[i] == NULL)
            continue;
        const struct allfold_table_key key = allfold_table_key_of(problem);
        const struct allfold_table_row *row = allfold_table_find(inputs->tables[i], &key);
        if (row == NULL)
            continue;
        const char *unmet = allfold_table_unmet(row, problem);
        if (unmet == NULL) {
            choice->algorithm = row->algorithm;
            choice->parameters = row->parameters;
            choice->source = sources[i];
            choice->row = row;
            return true;
        }
        if (choice->skipped_row == NULL) {
            choice->skipped_row = row;
            choice->unmet = unmet;
        }
    }
    return false;
}

static void choose_freely(const struct allfold_choice_inputs *inputs,
                          const struct allfold_problem *problem, struct allfold_choice *choice)
{
    struct allfold_choice by_table;
    if (choose_by_tables(inputs, problem, &by_table)) {
        *choice = by_table;
        return;
    }
    allfold_choose_default(problem, choice);
    choice->skipped_row = by_table.skipped_row;
    choice->unmet = by_table.unmet;
}

static const struct allfold_choice_inputs no_inputs;

enum allfold_error allfold_choose(const struct allfold_choice_inputs *inputs,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes)
{
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    inputs = inputs == NULL ? &no_inputs : inputs;
    const struct allfold_rule *rule =
        inputs->rules == NULL ? NULL : allfold_rules_find(inputs->rules, bytes);
    if (rule == NULL) {
        choose_freely(inputs, problem, choice);
        return ALLFOLD_OK;
    }
    *choice = (struct allfold_choice){.algorithm = rule->algorithm,
                                      .parameters = rule->parameters,
                                      .source = ALLFOLD_CHOICE_FORCED};
    const char *unmet = allfold_rule_unmet(rule, problem);
    if (unmet == NULL)
        return ALLFOLD_OK;
    snprintf(message, message_bytes, "%s.%s is forced, but it needs %s",
             allfold_collective_name(problem->collective),
             rule->algorithm == NULL ? "native" : rule->algorithm->name, unmet);
    return ALLFOLD_UNMET_NEED;
}

bool allfold_always_native(const struct allfold_choice_inputs *inputs,
                           const struct allfold_problem *problem,
                           enum allfold_choice_source *source)
{
    inputs = inputs == NULL ? &no_inputs : inputs;
    if (problem->canonical)
        return false;
    const struct allfold_rules *rules = inputs->rules;
    const struct allfold_table_key key = allfold_table_key_of(problem);
    for (int i = 0; rules != NULL && i < rules->count; i++) {
        const struct allfold_rule *rule = &rules->rules[i];
        *source = ALLFOLD_CHOICE_FORCED;
        if (rule->algorithm != NULL)
            return false;
        if (rule->from_bytes == 0 && rule->to_bytes == SIZE_MAX)
            return true;
    }
    *source = ALLFOLD_CHOICE_PRICE;
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        if (inputs->tables[i] != NULL && allfold_table_has_rows(inputs->tables[i], &key))
            return false;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == problem->collective)
            return false;
    return rules == NULL || rules->count == 0;
}
