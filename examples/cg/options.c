/* The options of the command line (see ../options.h). */
#include "cg.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

enum { KEY_POISSON = 'p', KEY_MATRIX = 'm', KEY_TOLERANCE = 't', KEY_ITERATIONS = 'i' };
enum { KEY_JACOBI = 'j' };
enum { POISSON_DEFAULT = 24, POISSON_MAX = 1024 };
enum { ITERATIONS_DEFAULT = 10000, ITERATIONS_MAX = 1000000000 };

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
    struct options *options = ((struct command_line *)state->input)->options;
    switch (key) {
    case KEY_POISSON:
        return parse_count(state, "--poisson", text, POISSON_MAX, 100, &options->poisson);
    case KEY_ITERATIONS:
        return parse_count(state, "--iterations", text, ITERATIONS_MAX, 100, &options->iterations);
    case KEY_TOLERANCE:
        return parse_tolerance(state, text, &options->tolerance);
    case KEY_MATRIX:
        options->path = text;
        return 0;
    case KEY_JACOBI:
        options->jacobi = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': expected options only; a file is given by --matrix FILE", text);
        return EINVAL;
    case ARGP_KEY_END:
        return finish(state, options);
    default:
        return parse_help(state, key);
    }
}

static const struct argp_option option_list[] = {
    {"poisson", KEY_POISSON, "N", 0, "3-D Poisson problem on N x N x N points (default 24)", 0},
    {"matrix", KEY_MATRIX, "FILE", 0, "Read a symmetric positive definite Matrix Market file", 0},
    {"tolerance", KEY_TOLERANCE, "T", 0, "Stop at this relative residual (default 1e-10)", 0},
    {"iterations", KEY_ITERATIONS, "MAX", 0, "Give up after so many (default 10000)", 0},
    {"jacobi", KEY_JACOBI, NULL, 0, "Precondition by the diagonal", 0},
    HELP_OPTIONS,
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
    return parse_command_line(&argp, name, argc, argv, options);
}
