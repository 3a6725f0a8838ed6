/* The options of the command line (see ../options.h). */
#include "fem.h"

#include <argp.h>
#include <errno.h>

enum { KEY_BASE = 'b', KEY_CHECK_ALL = 'c', KEY_STEPS = 's' };
enum { BASE_DEFAULT = 32, BASE_MAX = 1024, STEPS_DEFAULT = 12, STEPS_MAX = 50 };

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = ((struct command_line *)state->input)->options;
    switch (key) {
    case KEY_STEPS:
        return parse_count(state, "--steps", text, STEPS_MAX, 8, &options->steps);
    case KEY_BASE:
        return parse_count(state, "--base", text, BASE_MAX, 8, &options->base);
    case KEY_CHECK_ALL:
        options->check_all = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': expected options only, as in --steps 8", text);
        return EINVAL;
    default:
        return parse_help(state, key);
    }
}

static const struct argp_option option_list[] = {
    {"steps", KEY_STEPS, "S", 0, "Steps, each on a finer mesh (default 12)", 0},
    {"base", KEY_BASE, "N", 0, "Start with N x N squares of two triangles (default 32)", 0},
    {"check-all", KEY_CHECK_ALL, NULL, 0,
     "Compare all entries with a serial assembly also on meshes of more than 200000 nodes", 0},
    HELP_OPTIONS,
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
    return parse_command_line(&argp, name, argc, argv, options);
}
