/* The table of algorithms, parameters and inner algorithms, and the build of a schedule (see
 * algorithm.h). */
#include "algorithms/algorithm.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "topology/cables.h"
#include "schedule/schedule.h"
#include "util/quantity.h"

#define ALLFOLD_ALGORITHM(name) extern const struct allfold_algorithm allfold_##name;
#include "algorithms/list.h"
#undef ALLFOLD_ALGORITHM

const struct allfold_algorithm *const allfold_algorithms[] = {
#define ALLFOLD_ALGORITHM(name) &allfold_##name,
#include "algorithms/list.h"
#undef ALLFOLD_ALGORITHM
    NULL,
};

enum { ALGORITHMS = sizeof allfold_algorithms / sizeof *allfold_algorithms - 1 };

static bool is_commutative(const struct allfold_problem *problem)
{
    return problem->commutative;
}

static bool has_nodes(const struct allfold_problem *problem)
{
    return problem->nodes != NULL && problem->nodes->count > 1;
}

static bool has_groups(const struct allfold_problem *problem)
{
    return problem->nodes != NULL && problem->nodes->groups != NULL;
}

static bool has_cables(const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    return nodes != NULL && nodes->cables != NULL && nodes->cables->trees > 0;
}

static const struct {
    enum allfold_need need;
    const char *text;
    bool (*is_met)(const struct allfold_problem *problem);
} needs[] = {
    {ALLFOLD_NEEDS_COMMUTATIVE, "a commutative operation", is_commutative},
    {ALLFOLD_NEEDS_CABLES, "nodes that cables connect directly, as in a torus", has_cables},
    {ALLFOLD_NEEDS_NODES, "ranks on several nodes", has_nodes},
    {ALLFOLD_NEEDS_GROUPS, "groups of nodes, such as ALLFOLD_NETWORK or Slurm tells", has_groups},
};

const char *allfold_need_text(enum allfold_need need)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].need == need)
            return needs[i].text;
    return NULL;
}

bool allfold_always_keeps_tree(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    (void)problem, (void)parameters;
    return true;
}

bool allfold_keeps_tree(const struct allfold_algorithm *algorithm,
                        const struct allfold_problem *problem,
                        const struct allfold_parameters *parameters)
{
    if (!allfold_has_operation(algorithm->collective))
        return true;
    if (!allfold_is_ordered(algorithm))
        return false;
    return problem->group.size <= 2 ||
           (algorithm->keeps_tree != NULL && algorithm->keeps_tree(problem, parameters));
}

static const char other_brackets[] =
    "brackets of its own, where ALLFOLD_REPRODUCIBLE asks for those of the canonical tree";

static const char *unmet_listed_need(const struct allfold_algorithm *algorithm,
                                     const struct allfold_problem *problem)
{
    assert(!problem->canonical || !problem->commutative);
    if (problem->canonical && allfold_has_operation(algorithm->collective) &&
        !allfold_is_ordered(algorithm))
        return other_brackets;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if ((algorithm->needs & needs[i].need) && !needs[i].is_met(problem))
            return needs[i].text;
    return NULL;
}

const char *allfold_unmet_need(const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    const char *unmet = unmet_listed_need(algorithm, problem);
    if (unmet == NULL && algorithm->unmet != NULL)
        unmet = algorithm->unmet(problem, parameters);
    if (unmet == NULL && problem->canonical && !allfold_keeps_tree(algorithm, problem, parameters))
        unmet = other_brackets;
    return unmet;
}

const char *allfold_unmet_by_choice(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem,
                                    const struct allfold_parameters *parameters)
{
    if (algorithm != NULL)
        return allfold_unmet_need(algorithm, problem, parameters);
    return problem->canonical ? other_brackets : NULL;
}

static bool is_called(const struct allfold_algorithm *algorithm, const char *name)
{
    return strcmp(algorithm->name, name) == 0 ||
           (algorithm->alias != NULL && strcmp(algorithm->alias, name) == 0);
}

const struct allfold_algorithm *allfold_algorithm_find(enum allfold_collective collective,
                                                       const char *name)
{
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == collective &&
            is_called(allfold_algorithms[i], name))
            return allfold_algorithms[i];
    return NULL;
}

const struct allfold_algorithm *allfold_algorithm_number(size_t i)
{
    return i < ALGORITHMS ? allfold_algorithms[i] : NULL;
}

size_t allfold_number_of(const struct allfold_algorithm *algorithm)
{
    size_t number = 0;
    while (allfold_algorithms[number] != algorithm) {
        assert(allfold_algorithms[number] != NULL);
        number++;
    }
    return number;
}

const struct allfold_algorithm *allfold_inner(const struct allfold_parameter *parameter,
                                              size_t value)
{
    if (parameter->inner == NULL || value >= ALGORITHMS)
        return NULL;
    const struct allfold_algorithm *named = allfold_algorithms[value];
    return named->is_inner && named->collective == parameter->inner->collective ? named : NULL;
}

bool allfold_is_composition(const struct allfold_algorithm *algorithm)
{
    bool is = false;
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++)
        is |= algorithm->parameters[i].inner != NULL;
    return is;
}

bool allfold_needs_cables(const struct allfold_algorithm *algorithm,
                          const struct allfold_parameters *parameters)
{
    unsigned all = algorithm->needs;
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++)
        if (algorithm->parameters[i].inner != NULL)
            all |= allfold_algorithms[parameters->value[i]]->needs;
    return (all & ALLFOLD_NEEDS_CABLES) != 0;
}

bool allfold_parameter_takes(const struct allfold_parameter *parameter, size_t value)
{
    if (parameter->inner != NULL)
        return allfold_inner(parameter, value) != NULL;
    return value >= parameter->minimum && value <= parameter->maximum;
}

size_t allfold_parameter_preset(const struct allfold_parameter *parameter)
{
    return parameter->inner == NULL ? parameter->preset : allfold_number_of(parameter->inner);
}

struct allfold_parameters allfold_parameter_presets(const struct allfold_algorithm *algorithm)
{
    struct allfold_parameters presets = {{0}};
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++)
        presets.value[i] = allfold_parameter_preset(&algorithm->parameters[i]);
    return presets;
}

/* The values of an inner algorithm for which the outer has room: all levels but the last. */
enum { INNER_VALUES = ALLFOLD_MAX_VALUES / ALLFOLD_MAX_PARAMETERS - 1 };

/* Where value `at` of the algorithm that parameter i names is among the outer one's. Each level
 * holds the values of both parameters' algorithms, those of parameter 0 first. */
static int outer_index(int i, int at)
{
    int width = ALLFOLD_MAX_PARAMETERS, begin = 0; /* of the level of `at` */
    for (; at >= begin + width; width *= ALLFOLD_MAX_PARAMETERS)
        begin += width;
    return at + width * (i + 1);
}

struct allfold_named allfold_with_presets(const struct allfold_algorithm *algorithm)
{
    return (struct allfold_named){algorithm, allfold_parameter_presets(algorithm)};
}

struct allfold_named allfold_named(const struct allfold_parameters *parameters, int i)
{
    struct allfold_named named = allfold_with_presets(allfold_algorithms[parameters->value[i]]);
    for (int at = 0; at < INNER_VALUES; at++)
        named.parameters.value[at] += parameters->value[outer_index(i, at)];
    return named;
}

void allfold_name(struct allfold_parameters *parameters, int i, const struct allfold_named *inner)
{
    const struct allfold_parameters presets = allfold_parameter_presets(inner->algorithm);
    parameters->value[i] = allfold_number_of(inner->algorithm);
    for (int at = 0; at < INNER_VALUES; at++)
        parameters->value[outer_index(i, at)] = inner->parameters.value[at] - presets.value[at];
}

struct allfold_named allfold_way_back(struct allfold_named there)
{
    struct allfold_named back = allfold_with_presets(there.algorithm->back);
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++) {
        const struct allfold_parameter *of = &there.algorithm->parameters[i];
        const struct allfold_parameter *like = &back.algorithm->parameters[i];
        if (of->name == NULL || like->name == NULL || strcmp(of->name, like->name) != 0)
            break;
        if (of->inner != NULL) {
            const struct allfold_named inner =
                allfold_way_back(allfold_named(&there.parameters, i));
            if (allfold_inner(like, allfold_number_of(inner.algorithm)) != NULL)
                allfold_name(&back.parameters, i, &inner);
        } else if (of->preset == like->preset &&
                   allfold_parameter_takes(like, there.parameters.value[i])) {
            back.parameters.value[i] = there.parameters.value[i];
        }
    }
    return back;
}

static bool is_tried(const struct allfold_parameter *parameter, bool only_choices)
{
    return parameter->name != NULL && (!only_choices || parameter->inner != NULL);
}

unsigned allfold_parameter_tried_count(const struct allfold_parameter *parameter)
{
    if (parameter->inner == NULL)
        return parameter->tried_count;
    unsigned count = 0;
    for (size_t i = 0; i < ALGORITHMS; i++)
        count += allfold_inner(parameter, i) != NULL;
    return count;
}

size_t allfold_parameter_tried(const struct allfold_parameter *parameter, size_t i)
{
    if (parameter->inner == NULL)
        return parameter->tried[i];
    const size_t preset = allfold_number_of(parameter->inner);
    if (i == 0)
        return preset;
    for (size_t value = 0;; value++) {
        assert(value < ALGORITHMS);
        if (value != preset && allfold_inner(parameter, value) != NULL && --i == 0)
            return value;
    }
}

unsigned allfold_tried_count(const struct allfold_algorithm *algorithm, bool only_choices)
{
    unsigned numbers = 1, named = 1;
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++) {
        const struct allfold_parameter *parameter = &algorithm->parameters[i];
        if (parameter->inner != NULL)
            named += allfold_parameter_tried_count(parameter) - 1;
        else if (is_tried(parameter, only_choices))
            numbers *= parameter->tried_count;
    }
    return numbers * named;
}

/* Numbers are the digits of `number`. What is left of it counts the algorithms that are named,
 * those of one parameter after those of the other. */
struct allfold_parameters allfold_tried(const struct allfold_algorithm *algorithm,
                                        bool only_choices, unsigned number)
{
    struct allfold_parameters tried = allfold_parameter_presets(algorithm);
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++) {
        const struct allfold_parameter *parameter = &algorithm->parameters[i];
        if (parameter->inner != NULL || !is_tried(parameter, only_choices))
            continue;
        tried.value[i] = parameter->tried[number % parameter->tried_count];
        number /= parameter->tried_count;
    }
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS && number > 0; i++) {
        if (algorithm->parameters[i].inner == NULL)
            continue;
        const unsigned others = allfold_parameter_tried_count(&algorithm->parameters[i]) - 1;
        if (number <= others)
            tried.value[i] = allfold_parameter_tried(&algorithm->parameters[i], number);
        number -= number <= others ? number : others;
    }
    return tried;
}

static void tell(char *message, size_t message_bytes, const char *before, const char *words)
{
    if (message != NULL)
        snprintf(message, message_bytes, "%s%s", before, words);
}

enum allfold_error
allfold_build_in(struct allfold_pool *pool, const struct allfold_algorithm *algorithm,
                 const struct allfold_problem *problem, const struct allfold_parameters *parameters,
                 struct allfold_schedule **schedule, char *message, size_t message_bytes)
{
    *schedule = NULL;
    const char *unmet = allfold_unmet_need(algorithm, problem, parameters);
    if (unmet != NULL) {
        tell(message, message_bytes, "it needs ", unmet);
        return ALLFOLD_UNMET_NEED;
    }
    struct allfold_shape shape = allfold_problem_shape(problem);
    struct allfold_builder *s = allfold_builder_create(&shape);
    if (s == NULL) {
        tell(message, message_bytes, "no memory", "");
        return ALLFOLD_NO_MEMORY;
    }
    algorithm->build(s, problem, parameters);
    enum allfold_error error = allfold_builder_freeze_in(s, pool, schedule);
    if (error != ALLFOLD_OK)
        tell(message, message_bytes, "",
             error == ALLFOLD_NO_MEMORY ? "no memory" : allfold_builder_message(s));
    allfold_builder_free(s);
    return error;
}

enum allfold_error allfold_build(const struct allfold_algorithm *algorithm,
                                 const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters,
                                 struct allfold_schedule **schedule, char *message,
                                 size_t message_bytes)
{
    return allfold_build_in(NULL, algorithm, problem, parameters, schedule, message, message_bytes);
}

void allfold_parameter_write(const struct allfold_algorithm *algorithm, int i,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes)
{
    if (algorithm->parameters[i].inner == NULL) {
        allfold_size_write_exact(parameters->value[i], text, text_bytes);
        return;
    }
    const struct allfold_named inner = allfold_named(parameters, i);
    allfold_algorithm_write(inner.algorithm, &inner.parameters, text, text_bytes);
}

/* Do the algorithm's own parameter i, and those of what it names, have their defaults? */
static bool is_preset(const struct allfold_algorithm *algorithm, int i,
                      const struct allfold_parameters *parameters)
{
    bool is = parameters->value[i] == allfold_parameter_preset(&algorithm->parameters[i]);
    for (int at = 0; at < INNER_VALUES; at++)
        is = is && parameters->value[outer_index(i, at)] == 0;
    return is;
}

void allfold_algorithm_write(const struct allfold_algorithm *algorithm,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes)
{
    size_t at;
    char before = '(';
    snprintf(text, text_bytes, "%s", algorithm == NULL ? "native" : algorithm->name);
    for (int i = 0; algorithm != NULL && algorithm->parameters[i].name != NULL; i++) {
        if (is_preset(algorithm, i, parameters))
            continue;
        at = strlen(text);
        snprintf(text + at, text_bytes - at, "%c%s=", before, algorithm->parameters[i].name);
        at = strlen(text);
        allfold_parameter_write(algorithm, i, parameters, text + at, text_bytes - at);
        before = ',';
    }
    at = strlen(text);
    if (before == ',')
        snprintf(text + at, text_bytes - at, ")");
}
