/* The command line of the examples cg, fem and training: what their parsers share. Only rank 0
 * parses it, so that an error is reported once. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <argp.h>

enum parsed { PARSED_RUN, PARSED_HELP, PARSED_BAD };

/* The input of a parser (argp_state.input). */
struct command_line {
    void *options; /* struct options of the example */
    unsigned help; /* flags of argp_help(), 0 if help is not requested */
};

enum { KEY_HELP = '?', KEY_USAGE = 256 };

/* The options that all examples have. */
#define HELP_OPTIONS                                                                               \
    {"help", KEY_HELP, NULL, 0, "Print this help", -1},                                            \
    {                                                                                              \
        "usage", KEY_USAGE, NULL, 0, "Print a short usage message", -1                             \
    }

/* Parses a whole number from 1 to max. On an error it prints `name`, and `example` as a value that
 * is allowed, and returns EINVAL. */
error_t parse_count(struct argp_state *state, const char *name, const char *text, int max,
                    int example, int *count);

/* Handles the keys of HELP_OPTIONS. Returns ARGP_ERR_UNKNOWN for all other keys. */
error_t parse_help(struct argp_state *state, int key);

/* Parses a command line into *options, and prints help if requested. `name` is the program's. */
enum parsed parse_command_line(const struct argp *argp, char *name, int argc, char **argv,
                               void *options);

#endif
