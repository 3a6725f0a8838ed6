/* Choosing (see choose.h). */
#include "select/choose.h"

#include <stdint.h>
#include <stdio.h>

#include "algorithms/peers.h"

const char *allfold_choice_source_name(enum allfold_choice_source source)
{
    static const char *const names[] = {
        [ALLFOLD_CHOICE_FORCED] = "forced",
        [ALLFOLD_CHOICE_MODEL] = "model",
    };
    return names[source];
}

/* What the MPI library's own broadcast is taken for: the textbooks' scatter by a binomial tree and
 * allgather round a ring (Thakur, Rabenseifner, Gropp 2005), which is not among ours. */
static struct allfold_claim native_bcast_claim(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    return (struct allfold_claim){
        .rounds = (size_t)(ceil_log2(p) + p - 1), .sent = 2 * problem->count, .divisor = 1};
}

static void consider_with(struct allfold_choice *best, const struct allfold_algorithm *algorithm,
                          const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters)
{
    if (allfold_unmet_need(algorithm, problem, parameters) != NULL)
        return;
    const struct allfold_claim claim = algorithm->claim(problem, parameters);
    const double cost_s = allfold_placed_cost_s(problem, &claim);
    if (best->algorithm != NULL && cost_s >= best->cost_s)
        return;
    best->algorithm = algorithm;
    best->parameters = *parameters;
    best->cost_s = cost_s;
}

/* With the presets, and where a parameter names an algorithm, with all that the sweeps prove. */
static void consider(struct allfold_choice *best, const struct allfold_algorithm *algorithm,
                     const struct allfold_problem *problem)
{
    if (algorithm->collective != problem->collective || (!algorithm->consistent && !problem->exact))
        return;
    for (unsigned c = 0; c < allfold_tried_count(algorithm, true); c++) {
        const struct allfold_parameters parameters = allfold_tried(algorithm, true, c);
        consider_with(best, algorithm, problem, &parameters);
    }
}

/* The cheapest of ours, of those that are only forced, too, or not. */
static struct allfold_choice cheapest(const struct allfold_problem *problem, bool also_forced)
{
    struct allfold_choice best = {.algorithm = NULL, .source = ALLFOLD_CHOICE_MODEL};
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (also_forced || !allfold_algorithms[i]->only_forced)
            consider(&best, allfold_algorithms[i], problem);
    return best;
}

struct allfold_choice allfold_choose_ours(const struct allfold_problem *problem)
{
    const struct allfold_choice offered = cheapest(problem, false);
    return offered.algorithm != NULL ? offered : cheapest(problem, true);
}

static struct allfold_choice choose_by_model(const struct allfold_problem *problem)
{
    struct allfold_choice best = cheapest(problem, false);
    if (problem->collective != ALLFOLD_BCAST)
        return best;
    const struct allfold_claim claim = native_bcast_claim(problem);
    const double cost_s = allfold_placed_cost_s(problem, &claim);
    if (cost_s < best.cost_s) {
        best.algorithm = NULL;
        best.cost_s = cost_s;
    }
    return best;
}

enum allfold_error allfold_choose(const struct allfold_rules *rules,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes)
{
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    const struct allfold_rule *rule = rules == NULL ? NULL : allfold_rules_find(rules, bytes);
    if (rule == NULL) {
        *choice = choose_by_model(problem);
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

bool allfold_always_native(const struct allfold_rules *rules, enum allfold_collective collective,
                           enum allfold_choice_source *source)
{
    for (int i = 0; rules != NULL && i < rules->count; i++) {
        const struct allfold_rule *rule = &rules->rules[i];
        *source = ALLFOLD_CHOICE_FORCED;
        if (rule->algorithm != NULL)
            return false;
        if (rule->from_bytes == 0 && rule->to_bytes == SIZE_MAX)
            return true;
    }
    *source = ALLFOLD_CHOICE_MODEL;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == collective && !allfold_algorithms[i]->only_forced)
            return false;
    return rules == NULL || rules->count == 0;
}
