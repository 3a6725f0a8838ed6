/* Choosing (see choose.h). */
#include "select/choose.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "algorithms/nodes.h"
#include "algorithms/offers.h"
#include "algorithms/peers.h"
#include "select/simulated.h"

/* Or nothing is known of nodes. */
static bool is_on_one_node(const struct allfold_problem *problem)
{
    return problem->one_node || problem->nodes == NULL || problem->nodes->count == 1;
}

const char *allfold_choice_source_name(enum allfold_choice_source source)
{
    static const char *const names[] = {
        [ALLFOLD_CHOICE_FORCED] = "forced",     [ALLFOLD_CHOICE_TABLE] = "table",
        [ALLFOLD_CHOICE_TUNED] = "tuned",       [ALLFOLD_CHOICE_MODEL] = "model",
        [ALLFOLD_CHOICE_LEARNED] = "learned",   [ALLFOLD_CHOICE_GUARD] = "guard",
        [ALLFOLD_CHOICE_BUILT_IN] = "built-in",
    };
    return names[source];
}

const char *allfold_choice_reason(const struct allfold_choice *choice)
{
    if (choice->passed == NULL)
        return allfold_choice_source_name(choice->source);
    switch (choice->source) {
    case ALLFOLD_CHOICE_LEARNED:
        return "learned, row passed over";
    case ALLFOLD_CHOICE_TUNED:
        return "tuned, row passed over";
    case ALLFOLD_CHOICE_BUILT_IN:
        return "built-in, row passed over";
    default:
        return "model, row passed over";
    }
}

const struct allfold_cost_model *allfold_guides_costs(const struct allfold_guides *guides)
{
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        if (guides->tables[i] != NULL && guides->tables[i]->has_costs)
            return &guides->tables[i]->costs;
    return NULL;
}

/* What the native broadcast on one node is taken for: the textbooks' scatter by a binomial tree and
 * allgather round a ring (Thakur, Rabenseifner, Gropp 2005), which is not among ours. */
double allfold_native_cost_s(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    if (problem->canonical || problem->collective != ALLFOLD_BCAST || !is_on_one_node(problem))
        return HUGE_VAL;
    const struct allfold_claim claim = {
        .rounds = (size_t)(ceil_log2(p) + p - 1), .sent = 2 * problem->count, .divisor = 1};
    return allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
}

/* Why an offer does not hold. */
static const char *why_not(const struct allfold_offer *offer, const struct allfold_problem *problem)
{
    static const char *const names[ALLFOLD_OFFER_PLACES] = {
        [ALLFOLD_BETWEEN_NODES] = "not on one node, unless a rule or a table names it",
        [ALLFOLD_ON_ONE_NODE] = "only where ranks of one node have longer vectors, unless a rule "
                                "or a table names it",
        [ALLFOLD_ON_SHARED_CORES] =
            "only where ranks share cores, unless a rule or a table names it",
        [ALLFOLD_IN_PLACE] = "only where ranks read in place, unless a rule or a table names it",
        [ALLFOLD_CANONICAL_SUMS] = "only for canonical sums, unless a rule or a table names it",
    };
    const bool are_many = offer->most_ranks > 0 && problem->group.size > offer->most_ranks;
    return are_many ? "only for few ranks, unless a rule or a table names it" : names[offer->place];
}

const char *allfold_why_idle(const struct allfold_algorithm *algorithm,
                             const struct allfold_nodes *nodes)
{
    const unsigned of_nodes = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_GROUPS | ALLFOLD_NEEDS_CABLES;
    if ((algorithm->needs & of_nodes) == ALLFOLD_NEEDS_NODES && !algorithm->renumbers &&
        nodes->most == 1)
        return "with one rank on each node it is what its inner algorithm is";
    if (algorithm->renumbers && nodes->is_in_order)
        return "with ranks in the order of their nodes it is what its inner algorithm is";
    return NULL;
}

const char *allfold_why_not_offered(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct allfold_offer *missing = allfold_missing_offer(algorithm, problem);
    if (algorithm->for_study != NULL)
        return "only where a rule or a table names it";
    if (missing != NULL)
        return why_not(missing, problem);
    if ((algorithm->needs & ALLFOLD_NEEDS_NODES) && problem->one_node)
        return "not between the sockets of a node, unless a rule or a table names it";
    return nodes == NULL ? NULL : allfold_why_idle(algorithm, nodes);
}

/* An algorithm with values of those parameters that name another one. */
struct contender {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double cost_s;
};

/* What is entered of one algorithm: its cheapest so far, and the first need of its others. */
struct entry {
    struct allfold_parameters best;
    double best_s;
    const char *unmet;
};

/* Enters the algorithm with these values, unless it does not serve. */
static void enter_one(const struct allfold_problem *problem,
                      const struct allfold_algorithm *algorithm,
                      const struct allfold_parameters *parameters, struct entry *entry)
{
    const char *unmet = allfold_unmet_need(algorithm, problem, parameters);
    if (unmet != NULL) {
        entry->unmet = entry->unmet == NULL ? unmet : entry->unmet;
        return;
    }
    const double price_s = allfold_price_s(algorithm, problem, parameters);
    if (price_s >= entry->best_s)
        return;
    entry->best = *parameters;
    entry->best_s = price_s;
}

/* Enters the algorithm with its presets, and with all that a parameter may name: one parameter
 * after the other, that between the nodes first. The parts of a composition follow each other, so
 * the cheapest of one part is nearly the cheapest whatever the others are. Of hundreds of
 * combinations some tens are weighed so. */
static struct entry enter(const struct allfold_problem *problem,
                          const struct allfold_algorithm *algorithm)
{
    struct entry entry = {.best = allfold_parameter_presets(algorithm), .best_s = HUGE_VAL};
    entry.unmet = allfold_unmet_listed_need(algorithm, problem);
    if (entry.unmet != NULL) /* whatever the parameters */
        return entry;
    enter_one(problem, algorithm, &entry.best, &entry);
    for (int i = ALLFOLD_MAX_PARAMETERS - 1; i >= 0; i--) {
        const struct allfold_parameter *parameter = &algorithm->parameters[i];
        struct allfold_parameters tried = entry.best;
        const size_t preset = tried.value[i];
        for (size_t value = 0; parameter->inner != NULL && allfold_algorithms[value] != NULL;
             value++) {
            if (value == preset || allfold_inner(parameter, value) == NULL)
                continue;
            tried.value[i] = value;
            enter_one(problem, algorithm, &tried, &entry);
        }
    }
    return entry;
}

void allfold_appraise(const struct allfold_algorithm *algorithm,
                      const struct allfold_problem *problem, struct allfold_appraisal *appraisal)
{
    *appraisal = (struct allfold_appraisal){
        .algorithm = algorithm, .breaks_bits = !algorithm->consistent && !problem->exact};
    const struct entry entry = enter(problem, algorithm);
    if (isinf(entry.best_s)) {
        appraisal->unmet = entry.unmet;
    } else {
        appraisal->parameters = entry.best;
        appraisal->cost_s = entry.best_s;
    }
}

/* Of two that cost the same, one that follows the network is better: near messages meet less. */
static bool is_cheaper(const struct contender *a, const struct contender *b)
{
    return b->algorithm == NULL || a->cost_s < b->cost_s ||
           (a->cost_s == b->cost_s && a->algorithm->renumbers && !b->algorithm->renumbers);
}

/* The cheapest of ours, of those that are only forced, too, or not. */
static void cheapest(const struct allfold_problem *problem, bool also_forced,
                     struct allfold_choice *choice)
{
    struct contender best = {.algorithm = NULL};
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (algorithm->collective != problem->collective ||
            (!algorithm->consistent && !problem->exact) ||
            (!also_forced && allfold_why_not_offered(algorithm, problem) != NULL))
            continue;
        const struct entry entry = enter(problem, algorithm);
        const struct contender one = {algorithm, entry.best, entry.best_s};
        if (!isinf(one.cost_s) && is_cheaper(&one, &best))
            best = one;
    }
    *choice = (struct allfold_choice){.algorithm = best.algorithm,
                                      .parameters = best.parameters,
                                      .cost_s = best.cost_s,
                                      .source = ALLFOLD_CHOICE_MODEL};
}

/* By the built-in table; by the price of what serves where no row does. */
static void choose_between_nodes(const struct allfold_problem *problem,
                                 struct allfold_choice *choice)
{
    struct allfold_simulated_choice found;
    if (!allfold_simulated_find(problem, &found)) {
        cheapest(problem, true, choice);
        return;
    }
    *choice = (struct allfold_choice){.algorithm = found.algorithm,
                                      .parameters = found.parameters,
                                      .source = ALLFOLD_CHOICE_BUILT_IN,
                                      .simulated = found.row,
                                      .is_runner_up = found.is_runner_up};
}

void allfold_choose_ours(const struct allfold_problem *problem, struct allfold_choice *choice)
{
    if (!is_on_one_node(problem)) {
        choose_between_nodes(problem, choice);
        return;
    }
    cheapest(problem, false, choice);
    if (choice->algorithm == NULL)
        cheapest(problem, true, choice);
}

/* The same of what is offered, or native where that is cheaper, or nothing of ours is offered.
 * Canonical sums are ours wherever they can be. */
static void choose_of_all(const struct allfold_problem *problem, struct allfold_choice *choice)
{
    if (is_on_one_node(problem) && !problem->canonical)
        cheapest(problem, false, choice);
    else
        allfold_choose_ours(problem, choice);
    const double native_s = allfold_native_cost_s(problem);
    if (choice->algorithm != NULL && choice->cost_s <= native_s)
        return;
    *choice = (struct allfold_choice){
        .algorithm = NULL, .source = choice->source, .cost_s = isinf(native_s) ? 0 : native_s};
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

static void choose_freely(const struct allfold_guides *guides,
                          const struct allfold_problem *problem, struct allfold_choice *choice)
{
    struct allfold_choice by_table;
    if (choose_by_tables(guides, problem, &by_table)) {
        *choice = by_table;
        return;
    }
    choose_of_all(problem, choice);
    choice->passed = by_table.passed;
    choice->unmet = by_table.unmet;
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
        choose_freely(guides, problem, choice);
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

bool allfold_always_native(const struct allfold_guides *guides,
                           const struct allfold_problem *problem,
                           enum allfold_choice_source *source)
{
    guides = guides == NULL ? &no_guides : guides;
    if (problem->canonical)
        return false;
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
