/* Algorithms and their parameters as arguments (see names.h). */
#include "names.h"

#include <stdio.h>
#include <string.h>

#include "select/rules.h"

void allfold_tool_add_parameter(char *parameters, const char *text, struct argp_state *state)
{
    const size_t length = strlen(parameters), left = ALLFOLD_PARAMETER_BYTES - length;
    if (strchr(text, '=') == NULL || strpbrk(text, "(),;") != NULL)
        argp_error(state, "--parameter %s: expected NAME=VALUE", text);
    const int added = snprintf(parameters + length, left, "%s%s", length > 0 ? "," : "", text);
    if (added < 0 || (size_t)added >= left)
        argp_error(state, "the parameters are too long");
}

/* The collective that "allreduce.ring" names, else the first that has an algorithm "ring". `text`
 * is moved on to the algorithm's name, which has `length` characters. */
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
