/* The command line of the examples (see options.h). */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

error_t parse_count(struct argp_state *state, const char *name, const char *text, int max,
                    int example, int *count)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 1 || value > max) {
        argp_error(state, "%s: '%s' is not a whole number from 1 to %d; give one, as in %s %d",
                   name, text, max, name, example);
        return EINVAL;
    }
    *count = (int)value;
    return 0;
}

error_t parse_help(struct argp_state *state, int key)
{
    struct command_line *line = state->input;
    if (key != KEY_HELP && key != KEY_USAGE)
        return ARGP_ERR_UNKNOWN;
    line->help = key == KEY_HELP ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE;
    return 0;
}

enum parsed parse_command_line(const struct argp *argp, char *name, int argc, char **argv,
                               void *options)
{
    struct command_line line = {.options = options};
    if (argp_parse(argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &line) != 0)
        return PARSED_BAD;
    if (line.help == 0)
        return PARSED_RUN;
    argp_help(argp, stdout, line.help, name);
    return PARSED_HELP;
}
