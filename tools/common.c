/* What several subcommands need (see common.h). */
#include "common.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/placement.h"
#include "select/rules.h"
#include "util/number.h"

int allfold_tool_number(struct argp_state *state, const char *option, const char *text, int least,
                        int most)
{
    long number = least;
    if (!allfold_whole_is(text, least, most, &number))
        argp_error(state, "%s %s: expected a whole number from %d to %d", option, text, least,
                   most);
    return (int)number;
}

void allfold_tool_refuse(struct argp_state *state, bool *is_wrong, const char *message)
{
    *is_wrong = true;
    argp_error(state, "%s", message);
}

struct allfold_nodes *allfold_tool_nodes(const char *command,
                                         const struct allfold_algorithm *algorithm,
                                         const char *text, int p)
{
    const int ranks = algorithm->needs & ALLFOLD_NEEDS_CABLES   ? 1
                      : algorithm->needs & ALLFOLD_NEEDS_GROUPS ? 2
                                                                : 4;
    char message[300] = "no memory";
    struct allfold_nodes *nodes = NULL;
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    enum allfold_error error = keys == NULL ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
    for (int r = 0; r < p && keys != NULL; r++)
        keys[r] = r / ranks;
    if (error == ALLFOLD_OK && text != NULL)
        error = allfold_placement_read(text, p, keys, message, sizeof message);
    if (error == ALLFOLD_OK)
        nodes = allfold_nodes_make(keys, p);
    free(keys);
    if (nodes != NULL && text != NULL &&
        !allfold_nodes_divide_evenly(nodes, allfold_placement_sockets(text), false)) {
        allfold_nodes_free(nodes);
        nodes = NULL;
    }
    if (nodes == NULL)
        fprintf(stderr, "allfold %s: %s\n", command, message);
    return nodes;
}

void allfold_tool_collectives(const char *(*name_of)(enum allfold_collective), const char *last,
                              char *text, size_t text_bytes)
{
    size_t at = 0;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && at < text_bytes; i++) {
        const bool is_last = i == ALLFOLD_COLLECTIVE_COUNT - 1;
        const char *between = i == 0 ? "" : is_last ? last : ", ";
        at += (size_t)snprintf(text + at, text_bytes - at, "%s%s", between,
                               name_of((enum allfold_collective)i));
    }
}

bool allfold_tool_check_collective(const char *command, const char *name)
{
    char names[200];
    if (allfold_collective_find(name) != ALLFOLD_COLLECTIVE_COUNT)
        return true;
    allfold_tool_collectives(allfold_collective_name, " or ", names, sizeof names);
    fprintf(stderr, "allfold %s: '%s' is no collective; expected %s\n", command, name, names);
    return false;
}

void allfold_tool_bar(double share, char bar[ALLFOLD_TOOL_BAR + 1])
{
    assert(share >= 0 && share <= 1);
    memset(bar, '.', ALLFOLD_TOOL_BAR);
    memset(bar, '#', (size_t)(ALLFOLD_TOOL_BAR * share));
    bar[ALLFOLD_TOOL_BAR] = '\0';
}

/* --- algorithms and their parameters ---------------------------------------------------------- */

/* Is it NAME=VALUE alone? The value may be an algorithm with parameters of its own. */
static bool is_one_value(const char *text)
{
    int depth = 0;
    for (const char *c = text; *c != '\0' && depth >= 0; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c == ';' || (*c == ',' && depth == 0))
            return false;
    }
    return depth == 0 && strchr(text, '=') != NULL;
}

void allfold_tool_add_parameter(char *parameters, const char *text, struct argp_state *state)
{
    const size_t length = strlen(parameters), left = ALLFOLD_PARAMETER_BYTES - length;
    if (!is_one_value(text))
        argp_error(state, "--parameter %s: expected NAME=VALUE", text);
    const int added = snprintf(parameters + length, left, "%s%s", length > 0 ? "," : "", text);
    if (added < 0 || (size_t)added >= left)
        argp_error(state, "the parameters are too long");
}

/* The collective that "allreduce.ring" names, else the first that has an algorithm "ring". `text`
 * then points to the algorithm's name, which has `length` characters. */
static bool find_collective(const char **text, size_t *length, enum allfold_collective *collective)
{
    char name[80];
    const char *dot = memchr(*text, '.', *length);
    const size_t before = dot == NULL ? 0 : (size_t)(dot - *text);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        *collective = (enum allfold_collective)i;
        const char *its_name = allfold_collective_name(*collective);
        const bool is_it = before == strlen(its_name) && strncmp(*text, its_name, before) == 0;
        const size_t skipped = is_it ? before + 1 : 0;
        snprintf(name, sizeof name, "%.*s", (int)(*length - skipped), *text + skipped);
        if (allfold_algorithm_find(*collective, name) == NULL)
            continue;
        *text += skipped;
        *length -= skipped;
        return true;
    }
    return false;
}

bool allfold_tool_find_algorithm(const char *command, const char *text, const char *parameters,
                                 const struct allfold_algorithm **algorithm,
                                 struct allfold_parameters *values)
{
    char rule[2 * ALLFOLD_PARAMETER_BYTES], message[400] = "";
    const char *const more = parameters;
    enum allfold_collective collective;
    size_t length = strcspn(text, "( ");
    if (!find_collective(&text, &length, &collective)) {
        fprintf(stderr, "allfold %s: there is no algorithm '%.*s'; `allfold list` names them\n",
                command, (int)length, text);
        return false;
    }
    const size_t end = strlen(text);
    const bool has_list = end > length && text[end - 1] == ')';
    snprintf(rule, sizeof rule, "%.*s%s%s%s", (int)(has_list && *more != '\0' ? end - 1 : end),
             text,
             *more == '\0' ? ""
             : has_list    ? ","
                           : "(",
             more, *more == '\0' ? "" : ")");
    if (allfold_algorithm_read(collective, rule, algorithm, values, message, sizeof message) ==
        ALLFOLD_OK)
        return true;
    fprintf(stderr, "allfold %s: %s\n", command, message);
    return false;
}
