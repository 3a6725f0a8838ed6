/* Choosing (see choose.h). */
#include "select/choose.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "algorithms/nodes.h"
#include "algorithms/offers.h"
#include "algorithms/peers.h"
#include "model/cost/placed.h"

enum { MOST_CONTENDERS = 256 };

/* Or nothing is known of nodes. */
static bool is_on_one_node(const struct allfold_problem *problem)
{
    return problem->one_node || problem->nodes == NULL || problem->nodes->count == 1;
}

/* On one node what is between its sockets counts as between nodes, once it was measured. */
static bool has_one_level(const struct allfold_problem *problem)
{
    return problem->nodes == NULL || problem->nodes->count == 1 ||
           (problem->one_node && !allfold_knows_sockets(problem));
}

const char *allfold_choice_source_name(enum allfold_choice_source source)
{
    static const char *const names[] = {
        [ALLFOLD_CHOICE_FORCED] = "forced",   [ALLFOLD_CHOICE_TABLE] = "table",
        [ALLFOLD_CHOICE_TUNED] = "tuned",     [ALLFOLD_CHOICE_MODEL] = "model",
        [ALLFOLD_CHOICE_LEARNED] = "learned", [ALLFOLD_CHOICE_GUARD] = "guard",
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

/* On several nodes: the tree's longest messages are between nodes. Round the ring, a node of ranks
 * next to each other sends one block, and others one a rank. */
static double native_bcast_placed_s(const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t p = (size_t)problem->group.size, block = ceil_divide(problem->count, p);
    const size_t lanes = nodes->arrangement == ALLFOLD_IN_BLOCKS ? 1 : (size_t)nodes->most;
    struct allfold_round rounds[sizeof(int) * CHAR_BIT];
    struct allfold_profile profile = {.rounds = rounds};
    for (size_t half = (p + 1) / 2, left = p; left > 1; left = half, half = (half + 1) / 2) {
        const struct allfold_load load = {1, half * block};
        rounds[profile.count++] = (struct allfold_round){.far = load, .node = load, .times = 1};
    }
    rounds[profile.count++] =
        (struct allfold_round){.far = {1, block}, .node = {lanes, lanes * block}, .times = p - 1};
    return allfold_profiled_cost_s(problem, &profile);
}

/* The least that any algorithm can take between nodes: one latency, as of sends to all others at
 * once. Native is taken for that where it sends the messages that ours would, and by inner
 * functions, where ours calls MPI (docs/decisions/2026-11-23-defaults.md). */
static double one_latency_s(const struct allfold_problem *problem)
{
    struct allfold_round round = {.far = {1, 0}, .times = 1};
    const struct allfold_profile profile = {.rounds = &round, .count = 1};
    return allfold_profiled_cost_s(problem, &profile);
}

static bool is_short_between_nodes(const struct allfold_problem *problem, size_t most_bytes)
{
    return !is_on_one_node(problem) &&
           allfold_problem_length(problem) <= most_bytes / problem->element_bytes;
}

/* Blocks and barriers. */
static double native_blocks_s(const struct allfold_problem *problem)
{
    const size_t most_bytes = 4 << 10;
    return is_short_between_nodes(problem, most_bytes) ? one_latency_s(problem) : HUGE_VAL;
}

/* Scans of few ranks, where no node has a run of ranks whose messages could stay on it. The native
 * algorithm sends from rank to rank, so each link has one message. */
static double native_prefix_s(const struct allfold_problem *problem)
{
    enum { FEW_RANKS = 8 };
    const size_t most_bytes = 16 << 10;
    if (problem->group.size > FEW_RANKS || !is_short_between_nodes(problem, most_bytes))
        return HUGE_VAL;
    const bool has_runs = problem->nodes->most > 1 && allfold_nodes_are_blocks(problem->nodes);
    return has_runs ? HUGE_VAL : one_latency_s(problem);
}

/* What the native broadcast is taken for: the textbooks' scatter by a binomial tree and allgather
 * round a ring (Thakur, Rabenseifner, Gropp 2005), which is not among ours. */
static double native_bcast_s(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    if (!is_on_one_node(problem))
        return native_bcast_placed_s(problem);
    const struct allfold_claim claim = {
        .rounds = (size_t)(ceil_log2(p) + p - 1), .sent = 2 * problem->count, .divisor = 1};
    return allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
}

double allfold_native_cost_s(const struct allfold_problem *problem)
{
    if (problem->canonical)
        return HUGE_VAL;
    switch (problem->collective) {
    case ALLFOLD_BCAST:
        return native_bcast_s(problem);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
    case ALLFOLD_REDUCE_SCATTER:
    case ALLFOLD_ALLGATHER:
    case ALLFOLD_ALLGATHERV:
    case ALLFOLD_BARRIER:
        return native_blocks_s(problem);
    case ALLFOLD_SCAN:
    case ALLFOLD_EXSCAN:
        return native_prefix_s(problem);
    default:
        return HUGE_VAL;
    }
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

const char *allfold_why_not_offered(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct allfold_offer *missing = allfold_missing_offer(algorithm, problem);
    if (algorithm->for_study != NULL)
        return "only where a rule or a table names it";
    if (missing != NULL)
        return why_not(missing, problem);
    if ((algorithm->needs & ALLFOLD_NEEDS_NODES) && problem->one_node && has_one_level(problem))
        return "not between sockets of which nothing was measured (allfold tune --calibrate), "
               "unless a rule or a table names it";
    const unsigned of_nodes = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_GROUPS | ALLFOLD_NEEDS_CABLES;
    if ((algorithm->needs & of_nodes) == ALLFOLD_NEEDS_NODES && !algorithm->renumbers &&
        nodes != NULL && nodes->most == 1)
        return "with one rank on each node it is what its inner algorithm is";
    if (algorithm->renumbers && nodes != NULL && nodes->is_in_order)
        return "with ranks in the order of their nodes it is what its inner algorithm is";
    return NULL;
}

/* An algorithm with values of those parameters that name another one. */
struct contender {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double cost_s; /* at least */
    enum allfold_care care;
};

struct contest {
    const struct allfold_problem *problem;
    struct allfold_scales *scales;
    enum allfold_error error;
    int count;
    struct contender contenders[MOST_CONTENDERS];
};

/* False with the error set. */
static bool open_contest(struct contest *contest, const struct allfold_problem *problem)
{
    contest->problem = problem;
    contest->count = 0;
    contest->scales = has_one_level(problem) ? NULL : allfold_scales_create(problem);
    contest->error =
        contest->scales == NULL && !has_one_level(problem) ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
    return contest->error == ALLFOLD_OK;
}

static void weigh(struct contest *contest, struct contender *one, enum allfold_care care)
{
    one->care = care;
    const double cost_s = allfold_placed_cost_s(contest->scales, one->algorithm, contest->problem,
                                                &one->parameters, &one->care);
    if (cost_s < 0)
        contest->error = ALLFOLD_NO_MEMORY;
    one->cost_s = fmax(cost_s, one->cost_s);
}

/* What is entered of one algorithm: its cheapest so far, and the first need of its others. */
struct entry {
    struct allfold_parameters best;
    double best_s;
    const char *unmet;
};

/* Adds the algorithm with these values, weighed by its claim, unless it does not serve. */
static void enter_one(struct contest *contest, const struct allfold_algorithm *algorithm,
                      const struct allfold_parameters *parameters, struct entry *entry)
{
    const char *unmet = allfold_unmet_need(algorithm, contest->problem, parameters);
    if (unmet != NULL) {
        entry->unmet = entry->unmet == NULL ? unmet : entry->unmet;
        return;
    }
    assert(contest->count < MOST_CONTENDERS);
    struct contender *one = &contest->contenders[contest->count++];
    *one = (struct contender){.algorithm = algorithm, .parameters = *parameters};
    weigh(contest, one, ALLFOLD_BY_CLAIM);
    if (one->cost_s >= entry->best_s)
        return;
    entry->best = *parameters;
    entry->best_s = one->cost_s;
}

/* Adds the algorithm with its presets, and with all that a parameter may name: one parameter after
 * the other, that between the nodes first. The parts of a composition follow each other, so the
 * cheapest of one part is nearly the cheapest whatever the others are. Of hundreds of combinations
 * some tens are weighed so. The first need that is not met by others, or NULL. */
static const char *enter(struct contest *contest, const struct allfold_algorithm *algorithm)
{
    const char *unmet = allfold_unmet_listed_need(algorithm, contest->problem);
    if (unmet != NULL) /* whatever the parameters */
        return unmet;
    struct entry entry = {.best = allfold_parameter_presets(algorithm), .best_s = HUGE_VAL};
    enter_one(contest, algorithm, &entry.best, &entry);
    for (int i = ALLFOLD_MAX_PARAMETERS - 1; i >= 0; i--) {
        const struct allfold_parameter *parameter = &algorithm->parameters[i];
        struct allfold_parameters tried = entry.best;
        const size_t preset = tried.value[i];
        for (size_t value = 0; parameter->inner != NULL && allfold_algorithms[value] != NULL;
             value++) {
            if (value == preset || allfold_inner(parameter, value) == NULL)
                continue;
            tried.value[i] = value;
            enter_one(contest, algorithm, &tried, &entry);
        }
    }
    return entry.unmet;
}

/* Of two that cost the same, one that follows the network is better: near messages meet less. */
static bool is_cheaper(const struct contender *a, const struct contender *b)
{
    return a->cost_s < b->cost_s ||
           (a->cost_s == b->cost_s && a->algorithm->renumbers && !b->algorithm->renumbers);
}

/* The cheapest, or NULL where there is none. Each time the one that looks cheapest is weighed with
 * more care, until that one has been weighed with all. So most are weighed by their claims alone.
 */
static const struct contender *decide(struct contest *contest)
{
    while (contest->error == ALLFOLD_OK && contest->count > 0) {
        struct contender *best = &contest->contenders[0];
        for (int i = 1; i < contest->count; i++)
            if (is_cheaper(&contest->contenders[i], best))
                best = &contest->contenders[i];
        if (best->care == ALLFOLD_BY_ALL)
            return best;
        weigh(contest, best, best->care + 1);
    }
    return NULL;
}

enum allfold_error allfold_appraise(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem,
                                    struct allfold_appraisal *appraisal)
{
    struct contest contest;
    *appraisal = (struct allfold_appraisal){
        .algorithm = algorithm, .breaks_bits = !algorithm->consistent && !problem->exact};
    if (!open_contest(&contest, problem))
        return contest.error;
    const char *unmet = enter(&contest, algorithm);
    const struct contender *best = decide(&contest);
    if (best == NULL) {
        appraisal->unmet = unmet;
    } else {
        appraisal->parameters = best->parameters;
        appraisal->cost_s = best->cost_s;
    }
    allfold_scales_free(contest.scales);
    return contest.error;
}

/* The cheapest of ours, of those that are only forced, too, or not. */
static enum allfold_error cheapest(const struct allfold_problem *problem, bool also_forced,
                                   struct allfold_choice *choice)
{
    struct contest contest;
    *choice = (struct allfold_choice){
        .algorithm = NULL, .source = ALLFOLD_CHOICE_MODEL, .chosen_for = problem->count};
    if (!open_contest(&contest, problem))
        return contest.error;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (algorithm->collective == problem->collective &&
            (algorithm->consistent || problem->exact) &&
            (also_forced || allfold_why_not_offered(algorithm, problem) == NULL))
            enter(&contest, algorithm);
    }
    const struct contender *best = decide(&contest);
    if (best != NULL) {
        choice->algorithm = best->algorithm;
        choice->parameters = best->parameters;
        choice->cost_s = best->cost_s;
    }
    allfold_scales_free(contest.scales);
    return contest.error;
}

static enum allfold_error cheapest_of_ours(const struct allfold_problem *problem,
                                           struct allfold_choice *choice)
{
    const enum allfold_error error = cheapest(problem, false, choice);
    return error != ALLFOLD_OK || choice->algorithm != NULL ? error
                                                            : cheapest(problem, true, choice);
}

static enum allfold_error cheapest_of_all(const struct allfold_problem *problem,
                                          struct allfold_choice *choice)
{
    if (problem->canonical)
        return cheapest_of_ours(problem, choice);
    const enum allfold_error error = cheapest(problem, false, choice);
    const double native_s = allfold_native_cost_s(problem);
    if (native_s < choice->cost_s) {
        choice->algorithm = NULL;
        choice->cost_s = native_s;
    }
    return error;
}

/* The problem that the model chooses for: the first of its step. Blocks that are not alike have no
 * steps: they are of inner problems, or of any lengths. */
static struct allfold_problem first_of_step(const struct allfold_problem *problem)
{
    struct allfold_problem first = *problem;
    if (problem->length == 0 && problem->begins == NULL)
        first.count = allfold_step_begin(problem->count);
    return first;
}

static bool serves(const struct allfold_choice *choice, const struct allfold_problem *problem)
{
    return allfold_unmet_by_choice(choice->algorithm, problem, &choice->parameters) == NULL;
}

enum allfold_error allfold_choose_ours(const struct allfold_problem *problem,
                                       struct allfold_choice *choice)
{
    const struct allfold_problem first = first_of_step(problem);
    const enum allfold_error error = cheapest_of_ours(&first, choice);
    return error != ALLFOLD_OK || serves(choice, problem) ? error
                                                          : cheapest_of_ours(problem, choice);
}

static enum allfold_error choose_at(struct allfold_steps *steps,
                                    const struct allfold_problem *problem,
                                    struct allfold_choice *choice)
{
    struct allfold_step_choice known;
    if (problem->begins != NULL)
        return cheapest_of_all(problem, choice);
    if (!allfold_steps_find(steps, problem, &known)) {
        const enum allfold_error error = cheapest_of_all(problem, choice);
        if (error != ALLFOLD_OK)
            return error;
        known = (struct allfold_step_choice){choice->algorithm, choice->parameters, choice->cost_s};
        allfold_steps_note(steps, problem, &known);
    }
    *choice = (struct allfold_choice){.algorithm = known.algorithm,
                                      .parameters = known.parameters,
                                      .cost_s = known.cost_s,
                                      .chosen_for = problem->count,
                                      .source = ALLFOLD_CHOICE_MODEL};
    return ALLFOLD_OK;
}

static enum allfold_error choose_by_model(struct allfold_steps *steps,
                                          const struct allfold_problem *problem,
                                          struct allfold_choice *choice)
{
    const struct allfold_problem first = first_of_step(problem);
    const enum allfold_error error = choose_at(steps, &first, choice);
    return error != ALLFOLD_OK || serves(choice, problem) ? error
                                                          : choose_at(steps, problem, choice);
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

static enum allfold_error choose_freely(const struct allfold_guides *guides,
                                        const struct allfold_problem *problem,
                                        struct allfold_choice *choice)
{
    struct allfold_choice by_table;
    if (choose_by_tables(guides, problem, &by_table)) {
        *choice = by_table;
        return ALLFOLD_OK;
    }
    const enum allfold_error error = choose_by_model(guides->steps, problem, choice);
    choice->passed = by_table.passed;
    choice->unmet = by_table.unmet;
    return error;
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
        const enum allfold_error error = choose_freely(guides, problem, choice);
        if (error != ALLFOLD_OK)
            snprintf(message, message_bytes, "no memory to choose an algorithm");
        return error;
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
