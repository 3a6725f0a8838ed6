/* The search for the fastest algorithm by simulation (see search.h). */
#include "lab/search/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/peers.h"
#include "lab/simulate/simulator.h"
#include "select/rules.h"
#include "util/memory.h"

/* How much more a simpler name may take. */
static const double margin = 1.03;

/* A candidate is left out if its claim takes twice as long as the best so far. A claim counts
 * rounds one after the other, but they may overlap: swing takes 0.56 of its claim on slow links. */
static const double hopeless = 2;

/* A simulation ends at 3 times the best so far: a good part of a composition may stand beside a bad
 * one. */
static const double far_slower = 3;

struct contest {
    const struct allfold_search *search;
    enum allfold_error error;
    struct allfold_found *found;
    uint32_t count, capacity, left_out;
    double best_s[ALLFOLD_SEARCH_SITES]; /* so far */
    char message[300];
};

static struct allfold_simulation simulation_on(const struct allfold_search *search, int site,
                                               const struct allfold_algorithm *algorithm,
                                               const struct allfold_parameters *parameters)
{
    return (struct allfold_simulation){
        .algorithm = algorithm,
        .parameters = *parameters,
        .bytes = search->bytes,
        .element_bytes = search->element_bytes,
        .nodes = search->sites[site].nodes,
        .network = search->sites[site].network,
        .hosts = search->sites[site].hosts,
        .keeps_order = search->keeps_order || search->canonical,
        .keeps_tree = search->canonical,
    };
}

static double latency_s(const struct allfold_network *network, enum allfold_level level)
{
    return allfold_network_link(network, level, 0)->latency_s;
}

/* The least that the claim can take: its rounds, and the bytes of the busiest rank. The rounds with
 * messages between nodes may overlap: on a ring, a message passes all ranks of a node before it
 * goes to the next node, so that one of `most` messages in a row goes between nodes. */
static double claimed_s(const struct allfold_simulation *of)
{
    const struct allfold_problem problem = allfold_simulation_problem(of, 0);
    const struct allfold_claim claim = of->algorithm->claim(&problem, &of->parameters);
    const bool is_on_node = of->nodes->count == 1;
    const enum allfold_level outer = is_on_node ? ALLFOLD_LEVEL_NODE : ALLFOLD_LEVEL_NETWORK;
    const enum allfold_level inner = of->nodes->most == 1 ? outer : ALLFOLD_LEVEL_SOCKET;
    const struct allfold_link *link = allfold_network_link(of->network, outer, of->bytes);
    const size_t outside = claim.far_rounds < claim.rounds ? claim.far_rounds : claim.rounds;
    const size_t far = ceil_divide(outside, (size_t)of->nodes->most);
    const double rounds_s = (double)far * latency_s(of->network, outer) +
                            (double)(claim.rounds - far) * latency_s(of->network, inner);
    const size_t sent = link->in_memory ? claim.sent - claim.again : claim.sent;
    const double bytes =
        (double)(claim.got > sent ? claim.got : sent) * (double)problem.element_bytes;
    return rounds_s + (link->bandwidth > 0 ? bytes / link->bandwidth : 0);
}

/* Is it left out, as it cannot be the best on any site? */
static bool is_hopeless(const struct contest *contest, const struct allfold_algorithm *algorithm,
                        const struct allfold_parameters *parameters)
{
    for (int site = 0; site < contest->search->site_count; site++) {
        const struct allfold_simulation of =
            simulation_on(contest->search, site, algorithm, parameters);
        if (claimed_s(&of) <= hopeless * contest->best_s[site])
            return false;
    }
    return true;
}

static bool read_name(const struct allfold_search *search, const char *name,
                      const struct allfold_algorithm **algorithm,
                      struct allfold_parameters *parameters)
{
    char message[300];
    return allfold_algorithm_read(search->collective, name, algorithm, parameters, message,
                                  sizeof message) == ALLFOLD_OK &&
           *algorithm != NULL;
}

/* Does it serve what is searched for, on each site? */
static bool serves(const struct allfold_search *search, const struct allfold_algorithm *algorithm,
                   const struct allfold_parameters *parameters)
{
    for (int site = 0; site < search->site_count; site++) {
        const struct allfold_simulation of = simulation_on(search, site, algorithm, parameters);
        const struct allfold_problem problem = allfold_simulation_problem(&of, 0);
        if (allfold_unmet_need(algorithm, &problem, parameters) != NULL)
            return false;
    }
    return algorithm->consistent;
}

/* Times above the limits (NULL: there are none) are infinite. A candidate that is over its limit on
 * one site is no winner. On the other sites it is simulated up to the best time so far, in case it
 * is faster. */
static enum allfold_error time_on_sites(const struct allfold_search *search,
                                        const struct allfold_algorithm *algorithm,
                                        const struct allfold_parameters *parameters,
                                        const double *limits_s, double *time_s, char *message,
                                        size_t message_bytes)
{
    struct allfold_simulated simulated;
    bool is_lost = false;
    for (int site = 0; site < search->site_count; site++) {
        struct allfold_simulation of = simulation_on(search, site, algorithm, parameters);
        if (limits_s != NULL && !isinf(limits_s[site]))
            of.limit_s = (is_lost ? 1 : far_slower) * limits_s[site];
        const enum allfold_error error = allfold_simulate(&of, &simulated, message, message_bytes);
        if (error != ALLFOLD_OK)
            return error;
        time_s[site] = simulated.time_s;
        is_lost |= isinf(simulated.time_s);
    }
    return ALLFOLD_OK;
}

bool allfold_search_time(const struct allfold_search *search, const char *name, double *time_s)
{
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    char message[300];
    return read_name(search, name, &algorithm, &parameters) &&
           serves(search, algorithm, &parameters) &&
           time_on_sites(search, algorithm, &parameters, NULL, time_s, message, sizeof message) ==
               ALLFOLD_OK;
}

/* Orders by the geometric mean. */
static double sum_of_logs(const struct contest *contest, const struct allfold_found *one)
{
    double sum = 0;
    for (int site = 0; site < contest->search->site_count; site++)
        sum += log(one->time_s[site]);
    return sum;
}

/* Simulates a candidate; NULL where it does not serve, is left out, or has too long a name. */
static const struct allfold_found *try_one(struct contest *contest,
                                           const struct allfold_named *candidate)
{
    char name[ALLFOLD_NAME_BYTES];
    allfold_algorithm_write(candidate->algorithm, &candidate->parameters, name, sizeof name);
    for (uint32_t i = 0; i < contest->count; i++)
        if (strcmp(contest->found[i].name, name) == 0)
            return &contest->found[i];
    if (contest->error != ALLFOLD_OK || strlen(name) >= ALLFOLD_FOUND_BYTES ||
        !serves(contest->search, candidate->algorithm, &candidate->parameters))
        return NULL;
    if (is_hopeless(contest, candidate->algorithm, &candidate->parameters)) {
        contest->left_out++;
        return NULL;
    }
    void *room = allfold_make_room(contest->found, contest->count, &contest->capacity,
                                   sizeof *contest->found);
    if (room == NULL) {
        contest->error = ALLFOLD_NO_MEMORY;
        return NULL;
    }
    contest->found = room;
    struct allfold_found *one = &contest->found[contest->count];
    *one = (struct allfold_found){.regret = 0};
    memcpy(one->name, name, strlen(name) + 1);
    contest->error =
        time_on_sites(contest->search, candidate->algorithm, &candidate->parameters,
                      contest->best_s, one->time_s, contest->message, sizeof contest->message);
    if (contest->error != ALLFOLD_OK)
        return NULL;
    contest->count++;
    for (int site = 0; site < contest->search->site_count; site++)
        contest->best_s[site] = fmin(contest->best_s[site], one->time_s[site]);
    return one;
}

static int ranks_of(const struct allfold_nodes *nodes)
{
    return nodes->first[nodes->count];
}

/* The algorithm of the collective that follows a name; NULL after the last. All are tried in this
 * order, and of equals the first is taken, so that the order of list.h decides nothing. */
static const struct allfold_algorithm *next_by_name(enum allfold_collective collective,
                                                    const char *name)
{
    const struct allfold_algorithm *next = NULL;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == collective &&
            strcmp(allfold_algorithms[i]->name, name) > 0 &&
            (next == NULL || strcmp(allfold_algorithms[i]->name, next->name) < 0))
            next = allfold_algorithms[i];
    return next;
}

/* What a parameter that names an inner algorithm may be. */
static bool list_inner(struct allfold_variants *variants, const struct allfold_search *search,
                       const struct allfold_parameter *parameter)
{
    const struct allfold_nodes *nodes = search->sites[0].nodes;
    const int p = allfold_inner_ranks(parameter, ranks_of(nodes), nodes->count, nodes->most);
    const bool is_part = parameter->kind != ALLFOLD_PARAMETER_ON_ALL;
    const struct allfold_algorithm *one = next_by_name(parameter->inner->collective, "");
    bool fits = true;
    for (; fits && one != NULL; one = next_by_name(one->collective, one->name))
        if (one->is_inner)
            fits = allfold_variants_add(variants, one, p, search->bytes, is_part);
    return fits;
}

/* Tries all that parameter i of the composition may be, beside what the others are; keeps the best.
 */
static void vary(struct contest *contest, struct allfold_named *composition, int i,
                 const struct allfold_variants *variants)
{
    struct allfold_named one = *composition;
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < variants->count; k++) {
        allfold_name(&one.parameters, i, &variants->list[k]);
        const struct allfold_found *found = try_one(contest, &one);
        if (found == NULL || sum_of_logs(contest, found) >= least)
            continue;
        least = sum_of_logs(contest, found);
        *composition = one;
    }
}

/* Is a composition nothing but its inner algorithm on these nodes? So it is with one rank on each
 * node, and renumbered with ranks in the order of their nodes. */
static bool is_idle(const struct allfold_algorithm *algorithm, const struct allfold_nodes *nodes)
{
    const unsigned of_nodes = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_GROUPS | ALLFOLD_NEEDS_CABLES;
    if (algorithm->renumbers)
        return nodes->is_in_order;
    return (algorithm->needs & of_nodes) == ALLFOLD_NEEDS_NODES && nodes->most == 1;
}

static void try_composition(struct contest *contest, const struct allfold_algorithm *algorithm)
{
    struct allfold_named composition = allfold_with_presets(algorithm);
    int i = 0;
    while (algorithm->parameters[i].name != NULL)
        i++;
    while (i-- > 0) {
        struct allfold_variants variants = {.count = 0};
        if (algorithm->parameters[i].inner == NULL)
            continue;
        if (!list_inner(&variants, contest->search, &algorithm->parameters[i]))
            contest->error = ALLFOLD_NO_MEMORY;
        vary(contest, &composition, i, &variants);
        allfold_variants_clear(&variants);
    }
}

static void try_plain(struct contest *contest, const struct allfold_algorithm *algorithm)
{
    struct allfold_variants variants = {.count = 0};
    const int p = ranks_of(contest->search->sites[0].nodes);
    if (!allfold_variants_add(&variants, algorithm, p, contest->search->bytes, false))
        contest->error = ALLFOLD_NO_MEMORY;
    for (uint32_t k = 0; k < variants.count; k++)
        try_one(contest, &variants.list[k]);
    allfold_variants_clear(&variants);
}

/* How long a name is in parts: simpler ones have fewer. */
static int parts_of(const char *name)
{
    int parts = 0;
    for (; *name != '\0'; name++)
        parts += *name == '=' || *name == '(';
    return parts;
}

static bool is_of(const char *name, const char *other)
{
    const size_t length = strcspn(other, "(");
    return strcspn(name, "(") == length && strncmp(name, other, length) == 0;
}

/* The simplest of those that take at most a little more than the best; `beside`: of another
 * algorithm than that. */
static struct allfold_found best_of(const struct contest *contest, const char *beside)
{
    struct allfold_found best = {.regret = HUGE_VAL};
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < contest->count; i++)
        if (beside == NULL || !is_of(contest->found[i].name, beside))
            least = fmin(least, contest->found[i].regret);
    for (uint32_t i = 0; i < contest->count; i++) {
        const struct allfold_found *one = &contest->found[i];
        if (one->regret > margin * least || (beside != NULL && is_of(one->name, beside)))
            continue;
        const int simpler = parts_of(one->name) - parts_of(best.name);
        if (best.name[0] == '\0' || simpler < 0 || (simpler == 0 && one->regret < best.regret))
            best = *one;
    }
    return best;
}

enum allfold_error allfold_search_run(const struct allfold_search *search,
                                      struct allfold_search_result *result)
{
    struct contest contest = {.search = search};
    *result = (struct allfold_search_result){.simulated = 0};
    for (int site = 0; site < ALLFOLD_SEARCH_SITES; site++)
        contest.best_s[site] = HUGE_VAL;
    for (int compositions = 0; compositions <= 1; compositions++) {
        const struct allfold_algorithm *one = next_by_name(search->collective, "");
        for (; contest.error == ALLFOLD_OK && one != NULL;
             one = next_by_name(search->collective, one->name)) {
            if (allfold_is_composition(one) != (compositions == 1))
                continue;
            if (compositions == 0)
                try_plain(&contest, one);
            else if (!is_idle(one, search->sites[0].nodes))
                try_composition(&contest, one);
        }
    }
    for (uint32_t i = 0; i < contest.count; i++)
        for (int site = 0; site < search->site_count; site++)
            contest.found[i].regret =
                fmax(contest.found[i].regret, contest.found[i].time_s[site] / contest.best_s[site]);
    if (contest.error == ALLFOLD_OK && contest.count == 0)
        contest.error = ALLFOLD_UNMET_NEED;
    if (contest.error == ALLFOLD_OK) {
        result->best = best_of(&contest, NULL);
        result->next = best_of(&contest, result->best.name);
        if (isinf(result->next.regret))
            result->next = (struct allfold_found){.regret = 0};
    }
    memcpy(result->message, contest.message, sizeof result->message);
    result->simulated = contest.count;
    result->left_out = contest.left_out;
    allfold_free(contest.found);
    return contest.error;
}
