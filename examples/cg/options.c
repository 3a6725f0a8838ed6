/* The command line. Rank 0 alone reads it, so that a mistake is reported once. */
#include "cg.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_POISSON = 'p', KEY_MATRIX = 'm', KEY_TOLERANCE = 't', KEY_ITERATIONS = 'i' };
enum { KEY_JACOBI = 'j', KEY_HELP = '?', KEY_USAGE = 256 };
enum { POISSON_DEFAULT = 24, POISSON_MAX = 1024 };
enum { ITERATIONS_DEFAULT = 10000, ITERATIONS_MAX = 1000000000 };

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
        argp_error(state, "%s: '%s' is not a whole number from 1 to %d; give one, as in %s 100",
                   name, text, max, name);
        return EINVAL;
    }
    *count = (int)value;
    return 0;
}

static error_t parse_tolerance(struct argp_state *state, const char *text, double *tolerance)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 1e-15 && value < 1.0)) {
        argp_error(state,
                   "--tolerance: '%s' is not a number from 1e-15 to below 1; "
                   "give one, as in --tolerance 1e-10",
                   text);
        return EINVAL;
    }
    *tolerance = value;
    return 0;
}

static error_t finish(struct argp_state *state, struct options *options)
{
    if (options->path != NULL && options->poisson != 0) {
        argp_error(state, "--poisson %d and --matrix %s exclude each other; give one of them",
                   options->poisson, options->path);
        return EINVAL;
    }
    if (options->path == NULL && options->poisson == 0)
        options->poisson = POISSON_DEFAULT;
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct command_line *line = state->input;
    struct options *options = line->options;
    switch (key) {
    case KEY_POISSON:
        return parse_count(state, "--poisson", text, POISSON_MAX, &options->poisson);
    case KEY_ITERATIONS:
        return parse_count(state, "--iterations", text, ITERATIONS_MAX, &options->iterations);
    case KEY_TOLERANCE:
        return parse_tolerance(state, text, &options->tolerance);
    case KEY_MATRIX:
        options->path = text;
        return 0;
    case KEY_JACOBI:
        options->jacobi = true;
        return 0;
    case KEY_HELP:
        line->help = ARGP_HELP_STD_HELP;
        return 0;
    case KEY_USAGE:
        line->help = ARGP_HELP_USAGE;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': expected options only; a file is given by --matrix FILE", text);
        return EINVAL;
    case ARGP_KEY_END:
        return finish(state, options);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"poisson", KEY_POISSON, "N", 0, "3-D Poisson problem on N x N x N points (default 24)", 0},
    {"matrix", KEY_MATRIX, "FILE", 0, "Read a symmetric positive definite Matrix Market file", 0},
    {"tolerance", KEY_TOLERANCE, "T", 0, "Stop at this relative residual (default 1e-10)", 0},
    {"iterations", KEY_ITERATIONS, "MAX", 0, "Give up after so many (default 10000)", 0},
    {"jacobi", KEY_JACOBI, NULL, 0, "Precondition by the diagonal", 0},
    {"help", KEY_HELP, NULL, 0, "Print this help", -1},
    {"usage", KEY_USAGE, NULL, 0, "Print a short usage message", -1},
    {0},
};

static const struct argp argp = {
    .options = option_list,
    .parser = parse_option,
    .doc = "Solves A x = b by conjugate gradients, with the rows of A distributed over the MPI "
           "ranks. b is made from a known x, and the solution is checked against it.\v"
           "The exit status is 0 if the relative residual, computed afresh, is at most ten times "
           "the tolerance and no entry of x is off by more than the tolerance's square root.",
};

enum parsed options_parse(int argc, char **argv, struct options *options)
{
    static char name[] = "cg";
    *options = (struct options){.iterations = ITERATIONS_DEFAULT, .tolerance = 1e-10};
    struct command_line line = {.options = options};
    if (argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &line) != 0)
        return PARSED_BAD;
    if (line.help == 0)
        return PARSED_RUN;
    argp_help(&argp, stdout, line.help, name);
    return PARSED_HELP;
}
