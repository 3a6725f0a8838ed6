/* `allfold show`: the picture of an algorithm, made from its schedules. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "model/walk.h"
#include "select/rules.h"
#include "show_formats.h"
#include "tools.h"

enum { WRONG_USAGE = 2, LARGEST_P = 1 << 14 };

enum format { FORMAT_TEXT, FORMAT_SVG, FORMAT_JSON };

struct options {
    const char *algorithm;
    const char *format;
    int p, root, count;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'p':
        options->p = allfold_tool_number(state, "-p", argument, 1, LARGEST_P);
        return 0;
    case 'r':
        options->root = allfold_tool_number(state, "--root", argument, 0, LARGEST_P - 1);
        return 0;
    case 'n':
        options->count = allfold_tool_number(state, "--count", argument, 1, 1 << 20);
        return 0;
    case 'f':
        options->format = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->algorithm != NULL)
            argp_error(state, "'%s' is one word too many", argument);
        options->algorithm = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no algorithm is named; expected one like allreduce.ring");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"ranks", 'p', "P", 0, "number of ranks (preset: 8); a summary above 64", 0},
    {"root", 'r', "ROOT", 0, "root of a reduce or broadcast (preset: 0)", 0},
    {"count", 'n', "N", 0, "elements of the vector (preset: one for each block)", 0},
    {"format", 'f', "FORMAT", 0, "text, svg or json (preset: text)", 0},
    {0},
};

/* Reads "allreduce.ring(segment=8)"; without a collective, the first that has the algorithm. */
static bool find_algorithm(const char *text, struct allfold_case *of)
{
    char message[400] = "";
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        const enum allfold_collective collective = (enum allfold_collective)i;
        const char *name = allfold_collective_name(collective);
        const size_t length = strlen(name);
        const bool is_named = strncmp(text, name, length) == 0 && text[length] == '.';
        struct allfold_rules rules;
        if (!is_named && memchr(text, '.', strcspn(text, "(")) != NULL)
            continue;
        if (allfold_rules_read(collective, is_named ? text + length + 1 : text, &rules, message,
                               sizeof message) != ALLFOLD_OK ||
            rules.count != 1 || rules.rules[0].algorithm == NULL)
            continue;
        of->algorithm = rules.rules[0].algorithm;
        of->parameters = rules.rules[0].parameters;
        return true;
    }
    fprintf(stderr, "allfold show: there is no '%s'%s%s; `allfold list` names the algorithms\n",
            text, *message != '\0' ? ": " : "", message);
    return false;
}

static bool find_format(const char *name, enum format *format)
{
    static const char *const names[] = {"text", "svg", "json"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    fprintf(stderr, "allfold show: '%s' is no format; expected text, svg or json\n", name);
    return false;
}

/* One element for each block of the algorithm. */
static size_t natural_count(struct allfold_case *of)
{
    of->count = 1;
    return allfold_case_claim(of).divisor;
}

static int show_summary(const struct allfold_case *of)
{
    char message[400] = "";
    struct allfold_schedule **schedules;
    struct allfold_cost cost;
    const struct allfold_claim claim = allfold_case_claim(of);
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error == ALLFOLD_OK)
        error = allfold_walk((const struct allfold_schedule *const *)schedules, of->p,
                             allfold_claim_ports(&claim), &cost, message, sizeof message);
    if (error == ALLFOLD_OK)
        allfold_show_summary(of, &cost);
    else
        fprintf(stderr, "allfold show: %s\n", message);
    allfold_case_free(of, schedules);
    return error != ALLFOLD_OK;
}

static int show_picture(const struct allfold_case *of, enum format format)
{
    static void (*const shows[])(const struct allfold_case *, const struct allfold_picture *) = {
        [FORMAT_TEXT] = allfold_show_text,
        [FORMAT_SVG] = allfold_show_svg,
        [FORMAT_JSON] = allfold_show_json,
    };
    char message[400] = "";
    struct allfold_picture picture;
    const enum allfold_error error = allfold_picture_make(of, &picture, message, sizeof message);
    if (error == ALLFOLD_OK)
        shows[format](of, &picture);
    else
        fprintf(stderr, "allfold show: %s\n", message);
    allfold_picture_free(&picture);
    return error != ALLFOLD_OK;
}

int allfold_tool_show(int argc, char **argv)
{
    struct options options = {.p = 8, .format = "text"};
    struct allfold_case of = {.algorithm = NULL};
    enum format format;
    const struct argp argp = {
        option_list,
        parse,
        "ALGORITHM",
        "Shows an algorithm, from its schedules: who sends what to whom in which round, and what "
        "is "
        "reduced. ALGORITHM is like allreduce.halving_doubling or ring(segment=8). A-D 0-1 means "
        "elements A to D, reduced over ranks 0 to 1.",
        NULL,
        NULL,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!find_algorithm(options.algorithm, &of) || !find_format(options.format, &format))
        return WRONG_USAGE;
    if (options.root >= options.p) {
        fprintf(stderr, "allfold show: root %d is not below the number of ranks, %d\n",
                options.root, options.p);
        return WRONG_USAGE;
    }
    of.p = options.p;
    of.root = options.root;
    of.count = options.count > 0 ? (size_t)options.count : natural_count(&of);
    return of.p > ALLFOLD_PICTURE_RANKS ? show_summary(&of) : show_picture(&of, format);
}
