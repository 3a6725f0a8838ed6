/* Algorithms and their parameters as the arguments of subcommands. */
#ifndef ALLFOLD_TOOLS_NAMES_H
#define ALLFOLD_TOOLS_NAMES_H

#include <argp.h>
#include <stdbool.h>

#include "algorithms/algorithm.h"

enum { ALLFOLD_PARAMETER_BYTES = 1000 };

/* Adds "NAME=VALUE" to such ones with commas between them; ends the program with a clear message
 * where it is none. */
void allfold_tool_add_parameter(char *parameters, const char *text, struct argp_state *state);

/* Reads "allreduce.ring(segment=8)" and the parameters given beside it ("": none). Where no
 * collective is named, it is the first that has such an algorithm. False, with a message for the
 * user, where there is none or a parameter is wrong. */
bool allfold_tool_find_algorithm(const char *command, const char *text, const char *parameters,
                                 const struct allfold_algorithm **algorithm,
                                 struct allfold_parameters *values);

#endif
