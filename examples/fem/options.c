/* The command line. Rank 0 alone reads it, so that a mistake is reported once. */
#include "fem.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_BASE = 'b', KEY_CHECK_ALL = 'c', KEY_STEPS = 's', KEY_HELP = '?', KEY_USAGE = 256 };
enum { BASE_DEFAULT = 32, BASE_MAX = 1024, STEPS_DEFAULT = 12, STEPS_MAX = 50 };

struct command_line {
    struct options *options;
    unsigned help; /* flags of argp_help(), 0 when not asked for */
};

static error_t parse_count(struct argp_state *state, const char *name, const char *text, int max,
                           int *count)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 1 || value > max) {
        argp_error(state, "%s: '%s' is not a whole number from 1 to %d; give one, as in %s 8", name,
                   text, max, name);
        return EINVAL;
    }
    *count = (int)value;
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct command_line *line = state->input;
    struct options *options = line->options;
    switch (key) {
    case KEY_STEPS:
        return parse_count(state, "--steps", text, STEPS_MAX, &options->steps);
    case KEY_BASE:
        return parse_count(state, "--base", text, BASE_MAX, &options->base);
    case KEY_CHECK_ALL:
        options->check_all = true;
        return 0;
    case KEY_HELP:
        line->help = ARGP_HELP_STD_HELP;
        return 0;
    case KEY_USAGE:
        line->help = ARGP_HELP_USAGE;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': expected options only, as in --steps 8", text);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"steps", KEY_STEPS, "S", 0, "Steps, each on a finer mesh (default 12)", 0},
    {"base", KEY_BASE, "N", 0, "Start with N x N squares of two triangles (default 32)", 0},
    {"check-all", KEY_CHECK_ALL, NULL, 0,
     "Compare all entries with a serial assembly also on meshes of more than 200000 nodes", 0},
    {"help", KEY_HELP, NULL, 0, "Print this help", -1},
    {"usage", KEY_USAGE, NULL, 0, "Print a short usage message", -1},
    {0},
};

static const struct argp argp = {
    .options = option_list,
    .parser = parse_option,
    .doc = "Assembles load vector and lumped mass of adaptively refined finite elements, with the "
           "triangles distributed over the MPI ranks and the vectors summed up on rank 0.\v"
           "The exit status is 0 if in each step the mass adds up to the area of the domain, the "
           "load to the integral of the source, and the entries are as assembled serially.",
};

enum parsed options_parse(int argc, char **argv, struct options *options)
{
    static char name[] = "fem";
    *options = (struct options){.steps = STEPS_DEFAULT, .base = BASE_DEFAULT};
    struct command_line line = {.options = options};
    if (argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &line) != 0)
        return PARSED_BAD;
    if (line.help == 0)
        return PARSED_RUN;
    argp_help(&argp, stdout, line.help, name);
    return PARSED_HELP;
}
