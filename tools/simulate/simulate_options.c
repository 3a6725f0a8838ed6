/* The options of `allfold simulate` (see simulate_options.h). */
#include "simulate/simulate_options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "model/simulate/simulate.h"
#include "util/sizes.h"

enum { MOST_RANKS = 1 << 24 };

static size_t read_size(struct argp_state *state, const char *option, const char *text,
                        const char **end)
{
    size_t size = 0;
    if (!allfold_size_read(text, &size, end) || (**end != '\0' && **end != ',') || size == 0)
        argp_error(state, "%s %s: expected a size of 1 or more, like 64K", option, text);
    return size;
}

static void read_sizes(struct argp_state *state, const char *text, struct simulate_options *options)
{
    const char *end = text;
    options->size_count = 0;
    for (;; end++) {
        if (options->size_count == SIMULATE_MOST_SIZES)
            argp_error(state, "--bytes: more than %d sizes", SIMULATE_MOST_SIZES);
        options->bytes[options->size_count++] = read_size(state, "--bytes", end, &end);
        if (*end == '\0')
            return;
    }
}

static size_t read_one_size(struct argp_state *state, const char *option, const char *text)
{
    const char *end;
    const size_t size = read_size(state, option, text, &end);
    if (*end != '\0')
        argp_error(state, "%s %s: expected one size, like 64K", option, text);
    return size;
}

static void add_algorithm(struct argp_state *state, const char *name,
                          struct simulate_options *options)
{
    if (options->algorithm_count == SIMULATE_MOST_NAMED)
        argp_error(state, "more than %d algorithms", SIMULATE_MOST_NAMED);
    options->algorithms[options->algorithm_count++] = name;
}

static int read_window(struct argp_state *state, const char *text)
{
    const int window =
        allfold_tool_number(state, "--window", text, 1, ALLFOLD_MAX_SIMULATED_WINDOW);
    if ((window & (window - 1)) != 0)
        argp_error(state, "--window %s: expected a power of two from 1 to 64", text);
    return window;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct simulate_options *options = state->input;
    switch (key) {
    case 'c':
        options->collective = argument;
        return 0;
    case 'a':
        add_algorithm(state, argument, options);
        return 0;
    case 'P':
        allfold_tool_add_parameter(options->parameters, argument, state);
        return 0;
    case 'N':
        options->nodes = allfold_tool_number(state, "--nodes", argument, 1, MOST_RANKS);
        return 0;
    case 'k':
        options->ppn = allfold_tool_number(state, "--ppn", argument, 1, MOST_RANKS);
        return 0;
    case 'r':
        options->root = allfold_tool_number(state, "--root", argument, 0, MOST_RANKS - 1);
        return 0;
    case 'b':
        read_sizes(state, argument, options);
        return 0;
    case 'e':
        options->element_bytes = read_one_size(state, "--element", argument);
        return 0;
    case 'm':
        options->memory_bytes = read_one_size(state, "--memory", argument);
        return 0;
    case 'w':
        options->window = read_window(state, argument);
        return 0;
    case 'n':
        options->network = argument;
        return 0;
    case 's':
        options->shows_network = true;
        return 0;
    case 'v':
        options->format = FORMAT_CSV;
        return 0;
    case 'j':
        options->format = FORMAT_JSON;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one word too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"collective", 'c', "NAME", 0, "which collective (preset: allreduce)", 0},
    {"algorithm", 'a', "NAME|all", 0,
     "one of its algorithms, like ring or ring(segment=64K); may be given several times (preset: "
     "all)",
     0},
    {"parameter", 'P', "NAME=VALUE", 0,
     "a parameter of the algorithm, where one is named; may be given for each of them", 0},
    {"nodes", 'N', "N", 0, "number of nodes (preset: 4)", 0},
    {"ppn", 'k', "K", 0, "ranks on each node (preset: 8)", 0},
    {"root", 'r', "ROOT", 0, "root of a reduce or broadcast (preset: 0)", 0},
    {"bytes", 'b', "B[,B...]", 0,
     "bytes of the vector, of all blocks where it is blocks, like 8,64K,1M (preset: 8)", 0},
    {"element", 'e', "BYTES", 0, "bytes of an element (preset: 8)", 0},
    {"network", 'n', "NAME|FILE", 0,
     "blue_waters, t3e, cluster, or a file that describes one (preset: cluster)", 0},
    {"show-network", 's', NULL, 0, "print the network as such a file, and end", 0},
    {"window", 'w', "W", 0, "messages that a rank has in flight at most (preset: 16)", 0},
    {"memory", 'm', "BYTES", 0, "memory to take at most (preset: 2G)", 0},
    {"csv", 'v', NULL, 0, "as CSV, for programs", 0},
    {"json", 'j', NULL, 0, "as JSON, for programs", 0},
    {0},
};

/* False with a message where the options do not fit together. */
static bool check(const struct simulate_options *options)
{
    const int64_t p = (int64_t)options->nodes * options->ppn;
    const char *wrong = NULL;
    if (!allfold_tool_check_collective("simulate", options->collective))
        return false;
    if (p > MOST_RANKS)
        wrong = "more than 16777216 ranks; expected fewer --nodes or --ppn";
    else if (options->root >= p)
        wrong = "the root is not below the number of ranks";
    else if (options->parameters[0] != '\0' &&
             (options->algorithm_count != 1 || strcmp(options->algorithms[0], "all") == 0))
        wrong = "--parameter is for one algorithm, named by --algorithm";
    for (int i = 0; i < options->size_count; i++)
        if (options->bytes[i] % options->element_bytes != 0)
            wrong = "--bytes is no multiple of an element's; --element says how long one is";
    if (wrong != NULL)
        fprintf(stderr, "allfold simulate: %s\n", wrong);
    return wrong == NULL;
}

bool allfold_simulate_options_read(int argc, char **argv, struct simulate_options *options)
{
    const struct argp argp = {
        option_list,
        parse,
        NULL,
        "Simulates algorithms on a network, by discrete events over the schedules of all ranks, "
        "and prints their times, the fastest first. No MPI is needed.\vRounds are as claimed: "
        "messages one after the other. A card is a node's way to the network. Messages out are "
        "those between nodes that the busiest rank sends.\n\nExit status: 0 all that was asked "
        "for by name was simulated, 1 not all of it, 2 wrong usage.",
        NULL,
        NULL,
        NULL};
    *options = (struct simulate_options){.collective = "allreduce",
                                         .nodes = 4,
                                         .ppn = 8,
                                         .window = ALLFOLD_SIMULATED_WINDOW,
                                         .bytes = {8},
                                         .size_count = 1,
                                         .element_bytes = 8,
                                         .memory_bytes = (size_t)2 << 30,
                                         .network = "cluster"};
    argp_parse(&argp, argc, argv, 0, NULL, options);
    if (options->algorithm_count == 0)
        options->algorithms[options->algorithm_count++] = "all";
    return check(options);
}
