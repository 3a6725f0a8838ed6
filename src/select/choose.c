/* Choosing (see choose.h). */
#include "select/choose.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "algorithms/peers.h"

const char *allfold_choice_source_name(enum allfold_choice_source source)
{
    static const char *const names[] = {
        [ALLFOLD_CHOICE_FORCED] = "forced", [ALLFOLD_CHOICE_TABLE] = "table",
        [ALLFOLD_CHOICE_TUNED] = "tuned",   [ALLFOLD_CHOICE_MODEL] = "model",
        [ALLFOLD_CHOICE_ONLINE] = "online", [ALLFOLD_CHOICE_LEARNED] = "learned",
        [ALLFOLD_CHOICE_GUARD] = "guard",
    };
    return names[source];
}

const char *allfold_choice_reason(const struct allfold_choice *choice)
{
    if (choice->passed == NULL)
        return allfold_choice_source_name(choice->source);
    if (choice->source == ALLFOLD_CHOICE_LEARNED)
        return "learned, row passed over";
    return choice->source == ALLFOLD_CHOICE_TUNED ? "tuned, row passed over"
                                                  : "model, row passed over";
}

const struct allfold_cost_model *allfold_guides_costs(const struct allfold_guides *guides)
{
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        if (guides->tables[i] != NULL && guides->tables[i]->has_costs)
            return &guides->tables[i]->costs;
    return NULL;
}

/* What the MPI library's own broadcast is taken for: the textbooks' scatter by a binomial tree and
 * allgather round a ring (Thakur, Rabenseifner, Gropp 2005), which is not among ours. */
static struct allfold_claim native_bcast_claim(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    return (struct allfold_claim){
        .rounds = (size_t)(ceil_log2(p) + p - 1), .sent = 2 * problem->count, .divisor = 1};
}

double allfold_native_cost_s(const struct allfold_problem *problem)
{
    if (problem->collective != ALLFOLD_BCAST)
        return HUGE_VAL;
    const struct allfold_claim claim = native_bcast_claim(problem);
    return allfold_placed_cost_s(problem, &claim);
}

const char *allfold_why_not_offered(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const bool shares = problem->shares_cores && algorithm->on_shared_cores;
    if (algorithm->for_study != NULL && !shares)
        return "only where a rule or a table names it";
    if (algorithm->only_between_nodes && (nodes == NULL || problem->one_node))
        return "not on one node, unless a rule or a table names it";
    if ((algorithm->needs & ALLFOLD_NEEDS_NODES) != 0 && nodes != NULL && nodes->most == 1)
        return "with one rank on each node it is what its inner algorithm is";
    return NULL;
}

struct allfold_appraisal allfold_appraise(const struct allfold_algorithm *algorithm,
                                          const struct allfold_problem *problem)
{
    struct allfold_appraisal best = {.algorithm = algorithm,
                                     .breaks_bits = !algorithm->consistent && !problem->exact};
    bool serves = false;
    const unsigned count = allfold_tried_count(algorithm, true);
    best.unmet = allfold_unmet_listed_need(algorithm, problem);
    if (best.unmet != NULL) /* whatever the parameters, of which compositions have hundreds */
        return best;
    for (unsigned c = 0; c < count; c++) {
        const struct allfold_parameters parameters = allfold_tried(algorithm, true, c);
        const char *unmet = allfold_unmet_need(algorithm, problem, &parameters);
        if (unmet != NULL) {
            best.unmet = best.unmet == NULL ? unmet : best.unmet;
            continue;
        }
        const struct allfold_claim claim = algorithm->claim(problem, &parameters);
        const double cost_s = allfold_placed_cost_s(problem, &claim);
        if (serves && cost_s >= best.cost_s)
            continue;
        serves = true;
        best.parameters = parameters;
        best.cost_s = cost_s;
    }
    if (serves)
        best.unmet = NULL;
    return best;
}

/* The cheapest of ours, of those that are only forced, too, or not. */
static struct allfold_choice cheapest(const struct allfold_problem *problem, bool also_forced)
{
    struct allfold_choice best = {
        .algorithm = NULL, .source = ALLFOLD_CHOICE_MODEL, .chosen_for = problem->count};
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        if (allfold_algorithms[i]->collective != problem->collective ||
            (!also_forced && allfold_why_not_offered(allfold_algorithms[i], problem) != NULL))
            continue;
        const struct allfold_appraisal one = allfold_appraise(allfold_algorithms[i], problem);
        if (one.unmet != NULL || one.breaks_bits ||
            (best.algorithm != NULL && one.cost_s >= best.cost_s))
            continue;
        best.algorithm = one.algorithm;
        best.parameters = one.parameters;
        best.cost_s = one.cost_s;
    }
    return best;
}

static struct allfold_choice cheapest_of_ours(const struct allfold_problem *problem)
{
    const struct allfold_choice offered = cheapest(problem, false);
    return offered.algorithm != NULL ? offered : cheapest(problem, true);
}

static struct allfold_choice cheapest_of_all(const struct allfold_problem *problem)
{
    struct allfold_choice best = cheapest(problem, false);
    const double native_s = allfold_native_cost_s(problem);
    if (native_s < best.cost_s) {
        best.algorithm = NULL;
        best.cost_s = native_s;
    }
    return best;
}

/* The problem that the model chooses for: the first of its step. Uneven blocks are inner problems,
 * which nobody chooses for in a hurry. */
static struct allfold_problem first_of_step(const struct allfold_problem *problem)
{
    struct allfold_problem first = *problem;
    if (problem->length == 0)
        first.count = allfold_step_begin(problem->count);
    return first;
}

static bool serves(const struct allfold_choice *choice, const struct allfold_problem *problem)
{
    return choice->algorithm == NULL ||
           allfold_unmet_need(choice->algorithm, problem, &choice->parameters) == NULL;
}

struct allfold_choice allfold_choose_ours(const struct allfold_problem *problem)
{
    const struct allfold_problem first = first_of_step(problem);
    const struct allfold_choice choice = cheapest_of_ours(&first);
    return serves(&choice, problem) ? choice : cheapest_of_ours(problem);
}

static struct allfold_choice choose_at(struct allfold_steps *steps,
                                       const struct allfold_problem *problem)
{
    struct allfold_step_choice known;
    if (!allfold_steps_find(steps, problem, &known)) {
        const struct allfold_choice found = cheapest_of_all(problem);
        known = (struct allfold_step_choice){found.algorithm, found.parameters, found.cost_s};
        allfold_steps_note(steps, problem, &known);
    }
    return (struct allfold_choice){.algorithm = known.algorithm,
                                   .parameters = known.parameters,
                                   .cost_s = known.cost_s,
                                   .chosen_for = problem->count,
                                   .source = ALLFOLD_CHOICE_MODEL};
}

static struct allfold_choice choose_by_model(struct allfold_steps *steps,
                                             const struct allfold_problem *problem)
{
    const struct allfold_problem first = first_of_step(problem);
    const struct allfold_choice choice = choose_at(steps, &first);
    return serves(&choice, problem) ? choice : choose_at(steps, problem);
}

/* By the first row that holds and whose algorithm serves. False where there is none; *choice says
 * what was passed over. */
static bool choose_by_tables(const struct allfold_guides *guides,
                             const struct allfold_problem *problem, struct allfold_choice *choice)
{
    static const enum allfold_choice_source sources[] = {
        [ALLFOLD_USERS_TABLE] = ALLFOLD_CHOICE_TABLE,
        [ALLFOLD_LEARNED_TABLE] = ALLFOLD_CHOICE_LEARNED,
        [ALLFOLD_TUNED_TABLE] = ALLFOLD_CHOICE_TUNED,
    };
    *choice = (struct allfold_choice){.algorithm = NULL};
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++) {
        if (guides->tables[i] == NULL)
            continue;
        const struct allfold_table_key key = allfold_table_key_of(problem);
        const struct allfold_table_row *row = allfold_table_find(guides->tables[i], &key);
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
        if (choice->passed == NULL) {
            choice->passed = row;
            choice->unmet = unmet;
        }
    }
    return false;
}

static struct allfold_choice choose_freely(const struct allfold_guides *guides,
                                           const struct allfold_problem *problem)
{
    struct allfold_choice by_table;
    if (choose_by_tables(guides, problem, &by_table))
        return by_table;
    struct allfold_choice choice = choose_by_model(guides->steps, problem);
    choice.passed = by_table.passed;
    choice.unmet = by_table.unmet;
    return choice;
}

static const struct allfold_guides no_guides;

enum allfold_error allfold_choose(const struct allfold_guides *guides,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes)
{
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    guides = guides == NULL ? &no_guides : guides;
    const struct allfold_rule *rule =
        guides->rules == NULL ? NULL : allfold_rules_find(guides->rules, bytes);
    if (rule == NULL) {
        *choice = choose_freely(guides, problem);
        return ALLFOLD_OK;
    }
    *choice = (struct allfold_choice){.algorithm = rule->algorithm,
                                      .parameters = rule->parameters,
                                      .source = ALLFOLD_CHOICE_FORCED};
    const char *unmet = rule->algorithm == NULL
                            ? NULL
                            : allfold_unmet_need(rule->algorithm, problem, &rule->parameters);
    if (unmet == NULL)
        return ALLFOLD_OK;
    snprintf(message, message_bytes, "%s.%s is forced, but it needs %s",
             allfold_collective_name(problem->collective), rule->algorithm->name, unmet);
    return ALLFOLD_UNMET_NEED;
}

bool allfold_always_native(const struct allfold_guides *guides,
                           const struct allfold_problem *problem,
                           enum allfold_choice_source *source)
{
    guides = guides == NULL ? &no_guides : guides;
    const struct allfold_rules *rules = guides->rules;
    const struct allfold_table_key key = allfold_table_key_of(problem);
    for (int i = 0; rules != NULL && i < rules->count; i++) {
        const struct allfold_rule *rule = &rules->rules[i];
        *source = ALLFOLD_CHOICE_FORCED;
        if (rule->algorithm != NULL)
            return false;
        if (rule->from_bytes == 0 && rule->to_bytes == SIZE_MAX)
            return true;
    }
    *source = ALLFOLD_CHOICE_MODEL;
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        if (guides->tables[i] != NULL && allfold_table_has_rows(guides->tables[i], &key))
            return false;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == problem->collective &&
            allfold_algorithms[i]->for_study == NULL)
            return false;
    return rules == NULL || rules->count == 0;
}
