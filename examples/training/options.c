/* The options of the command line (see ../options.h). */
#include "training.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

enum { KEY_INPUTS = 'i', KEY_HIDDEN = 'h', KEY_BATCH = 'b', KEY_STEPS = 's', KEY_RATE = 'r' };
enum { KEY_ALLOC_MEM = 'a' };
enum { WIDTH_MAX = 32768, BATCH_MAX = 65536, STEPS_MAX = 1000000000 };

static error_t parse_rate(struct argp_state *state, const char *text, double *rate)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0.0 && value <= 100.0)) {
        argp_error(state,
                   "--rate: '%s' is not a number above 0, up to 100; give one, as in --rate 0.3",
                   text);
        return EINVAL;
    }
    *rate = value;
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = ((struct command_line *)state->input)->options;
    switch (key) {
    case KEY_INPUTS:
        return parse_count(state, "--inputs", text, WIDTH_MAX, 100, &options->inputs);
    case KEY_HIDDEN:
        return parse_count(state, "--hidden", text, WIDTH_MAX, 100, &options->hidden);
    case KEY_BATCH:
        return parse_count(state, "--batch", text, BATCH_MAX, 100, &options->batch);
    case KEY_STEPS:
        return parse_count(state, "--steps", text, STEPS_MAX, 100, &options->steps);
    case KEY_RATE:
        return parse_rate(state, text, &options->rate);
    case KEY_ALLOC_MEM:
        options->alloc_mem = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': expected options only", text);
        return EINVAL;
    default:
        return parse_help(state, key);
    }
}

static const struct argp_option option_list[] = {
    {"inputs", KEY_INPUTS, "N", 0, "Inputs of the network (default 2048)", 0},
    {"hidden", KEY_HIDDEN, "N", 0, "Width of the hidden layer (default 1024)", 0},
    {"batch", KEY_BATCH, "N", 0, "Samples of a rank in a step (default 2)", 0},
    {"steps", KEY_STEPS, "N", 0, "Steps (default 100)", 0},
    {"rate", KEY_RATE, "R", 0, "Learning rate (default 0.3)", 0},
    {"alloc-mem", KEY_ALLOC_MEM, NULL, 0, "Take the gradient's memory from MPI_Alloc_mem", 0},
    HELP_OPTIONS,
    {0},
};

static const struct argp argp = {
    .options = option_list,
    .parser = parse_option,
    .doc = "Trains a network with one hidden layer to tell 10 classes apart, by stochastic "
           "gradient descent with an allreduce of the gradient in each step. Each rank makes its "
           "samples itself.\v"
           "The exit status is 0 if the loss fell and all ranks end with the same weights, bit "
           "by bit.",
};

enum parsed options_parse(int argc, char **argv, struct options *options)
{
    static char name[] = "training";
    *options =
        (struct options){.inputs = 2048, .hidden = 1024, .batch = 2, .steps = 100, .rate = 0.3};
    return parse_command_line(&argp, name, argc, argv, options);
}
