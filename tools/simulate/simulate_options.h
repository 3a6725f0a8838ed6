/* The options of `allfold simulate`. */
#ifndef ALLFOLD_TOOLS_SIMULATE_OPTIONS_H
#define ALLFOLD_TOOLS_SIMULATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

enum { SIMULATE_MOST_NAMED = 32, SIMULATE_MOST_SIZES = 64 };

enum simulate_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct simulate_options {
    const char *collective;
    const char *algorithms[SIMULATE_MOST_NAMED]; /* "all" alone, where all are wanted */
    int algorithm_count;
    char parameters[ALLFOLD_PARAMETER_BYTES];
    int nodes, ppn, root, window;
    size_t bytes[SIMULATE_MOST_SIZES];
    int size_count;
    size_t element_bytes, memory_bytes;
    const char *network;
    bool shows_network;
    enum simulate_format format;
};

/* Reads them; ends the program where one cannot be read. False, with a message for the user, where
 * they do not fit together. */
bool allfold_simulate_options_read(int argc, char **argv, struct simulate_options *options);

#endif
