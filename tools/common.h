/* What several subcommands need. */
#ifndef ALLFOLD_TOOLS_COMMON_H
#define ALLFOLD_TOOLS_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "algorithms/algorithm.h"

/* The number that an option has as its argument. Ends the program with a clear message if the
 * argument is no number from least to most. */
int allfold_tool_number(struct argp_state *state, const char *option, const char *text, int least,
                        int most);

/* Says what is wrong with the options, and ends the program. A silent program, as on other ranks
 * than 0, only notes the fault and continues. */
void allfold_tool_refuse(struct argp_state *state, bool *is_wrong, const char *message);

/* The placement of p ranks, for algorithms that need nodes, as `text` describes it (see
 * topology/placement.h). If `text` is NULL, four ranks are on each node, two if the algorithm needs
 * groups of nodes, one if it needs cables. NULL with a message for the user if `text` is wrong.
 * Freed with allfold_nodes_free. */
struct allfold_nodes *allfold_tool_nodes(const char *command,
                                         const struct allfold_algorithm *algorithm,
                                         const char *text, int p);

/* Is it the name of a collective? Else says so, and what is expected. */
bool allfold_tool_check_collective(const char *command, const char *name);

/* Writes what `name_of` says of each collective: "A, B or C" with " or ". */
void allfold_tool_collectives(const char *(*name_of)(enum allfold_collective), const char *last,
                              char *text, size_t text_bytes);

/* A bar for a terminal, of which a share is done. */
enum { ALLFOLD_TOOL_BAR = 40 };
void allfold_tool_bar(double share, char bar[ALLFOLD_TOOL_BAR + 1]);

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
