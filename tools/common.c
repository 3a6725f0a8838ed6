/* Helpers of several subcommands (see common.h). */
#include "common.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

const struct allfold_nodes *allfold_tool_nodes(const char *command,
                                               const struct allfold_algorithm *algorithm,
                                               const char *text, int p)
{
    const int ranks = algorithm->needs & ALLFOLD_NEEDS_CABLES   ? 1
                      : algorithm->needs & ALLFOLD_NEEDS_GROUPS ? 2
                                                                : 4;
    char message[300] = "no memory";
    const struct allfold_nodes *nodes = NULL;
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    enum allfold_error error = keys == NULL ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
    for (int r = 0; r < p && keys != NULL; r++)
        keys[r] = r / ranks;
    if (error == ALLFOLD_OK && text != NULL)
        error = allfold_placement_read(text, p, keys, message, sizeof message);
    if (error == ALLFOLD_OK)
        nodes = allfold_nodes_create(&(const struct allfold_nodes_facts){
            .p = p,
            .keys = keys,
            .even_sockets = text == NULL ? 0 : allfold_placement_sockets(text)});
    free(keys);
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

static bool share_is_shown;

void allfold_tool_show_share(double share, const char *what)
{
    static time_t start;
    const time_t now = time(NULL);
    if (start == 0)
        start = now;
    fprintf(stderr, "\r\033[K%3.0f %%%s", 100 * share, what);
    if (share > 0.02)
        fprintf(stderr, "; about %.0f s more", difftime(now, start) / share * (1 - share));
    fflush(stderr);
    share_is_shown = true;
}

void allfold_tool_clear_share(void)
{
    if (share_is_shown)
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
    share_is_shown = false;
}

static void show_progress(void *context, const char *what, size_t done, size_t total)
{
    char bar[ALLFOLD_TOOL_BAR + 1];
    allfold_tool_bar(total == 0 ? 0 : (double)done / (double)total, bar);
    fprintf(stderr, "\r%-32s %s [%s]\033[K", (const char *)context, what, bar);
}

bool allfold_tool_simulate_one(const struct allfold_simulation *of,
                               struct allfold_simulated *simulated, char *reason,
                               size_t reason_bytes)
{
    struct allfold_simulation shown = *of;
    char name[100];
    snprintf(name, sizeof name, "%s.%s", allfold_collective_name(of->algorithm->collective),
             of->algorithm->name);
    if (isatty(STDERR_FILENO) != 0) {
        shown.on_progress = show_progress;
        shown.context = name;
    }
    reason[0] = '\0';
    const bool is_simulated =
        allfold_simulate(&shown, simulated, reason, reason_bytes) == ALLFOLD_OK;
    if (is_simulated)
        reason[0] = '\0';
    else if (reason[0] == '\0')
        snprintf(reason, reason_bytes, "no memory");
    if (shown.on_progress != NULL)
        fprintf(stderr, "\r\033[K");
    return is_simulated;
}

void allfold_tool_print_links(const struct allfold_simulated *of, FILE *stream)
{
    for (int i = 0; i < of->class_count; i++)
        fprintf(stream, "%s%s=%llu/%llu", i == 0 ? "" : ";", of->classes[i].name,
                (unsigned long long)of->classes[i].bytes,
                (unsigned long long)of->classes[i].most_bytes);
}

json_t *allfold_json_links(const struct allfold_simulated *of)
{
    json_t *classes = json_array();
    for (int i = 0; i < of->class_count; i++) {
        json_t *one = json_object();
        allfold_json_set_text(one, "class", of->classes[i].name);
        allfold_json_set_number(one, "links", (double)of->classes[i].links);
        allfold_json_set_number(one, "bytes", (double)of->classes[i].bytes);
        allfold_json_set_number(one, "busiest", (double)of->classes[i].most_bytes);
        json_array_append_new(classes, one);
    }
    return classes;
}

/* --- algorithms and their parameters ---------------------------------------------------------- */

/* Are they all NAME=VALUE? The value may be an algorithm with parameters of its own. */
static void check_parameters(const struct allfold_options *options)
{
    char word[ALLFOLD_OPTION_LIST_BYTES];
    const char *rest = options->parameter;
    while (allfold_options_next(&rest, word, sizeof word))
        if (strchr(word, '=') == NULL || strchr(word, ';') != NULL || strchr(word, '=') == word)
            allfold_options_refuse(options, "--parameter %s: expected NAME=VALUE", word);
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

bool allfold_tool_find_algorithm(const char *text, const struct allfold_options *options,
                                 const struct allfold_algorithm **algorithm,
                                 struct allfold_parameters *values)
{
    char rule[2 * ALLFOLD_OPTION_LIST_BYTES], message[400] = "";
    const char *const more = options->parameter;
    enum allfold_collective collective;
    check_parameters(options);
    size_t length = strcspn(text, "( ");
    if (!find_collective(&text, &length, &collective)) {
        fprintf(stderr, "%s: there is no algorithm '%.*s'; `allfold list` names them\n",
                options->command, (int)length, text);
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
    fprintf(stderr, "%s: %s\n", options->command, message);
    return false;
}
