/* Helpers of several subcommands: numbers, placements, names, progress, links, algorithms. */
#ifndef ALLFOLD_COMMON_H
#define ALLFOLD_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "algorithms/algorithm.h"
#include "json.h"
#include "lab/simulate/simulator.h"
#include "options.h"

/* Returns the number that is the argument of an option. Ends the program with a message if it is no
 * number from `least` to `most`. */
int allfold_tool_number(struct argp_state *state, const char *option, const char *text, int least,
                        int most);

/* Returns the placement of p ranks that `text` describes (see topology/placement.h), for algorithms
 * that need nodes. If `text` is NULL, four ranks are on each node, two if the algorithm needs
 * groups of nodes, one if it needs cables. Returns NULL and prints a message if `text` is wrong.
 * The caller frees it with allfold_nodes_free. */
const struct allfold_nodes *allfold_tool_nodes(const char *command,
                                               const struct allfold_algorithm *algorithm,
                                               const char *text, int p);

/* Returns whether `name` is a collective. If not, prints a message with the names that are. */
bool allfold_tool_check_collective(const char *command, const char *name);

/* Writes the names that `name_of` returns for the collectives: "A, B or C" if `last` is " or ". */
void allfold_tool_collectives(const char *(*name_of)(enum allfold_collective), const char *last,
                              char *text, size_t text_bytes);

/* Draws a progress bar of which `share` is done. */
enum { ALLFOLD_TOOL_BAR = 40 };
void allfold_tool_bar(double share, char bar[ALLFOLD_TOOL_BAR + 1]);

/* Prints on stderr which share of the work is done, and an estimate of the remaining time. */
void allfold_tool_show_share(double share, const char *what);

/* Erases the line of allfold_tool_show_share, if there is one. */
void allfold_tool_clear_share(void);

/* Like allfold_simulate; also shows the progress if stderr is a terminal. If it returns false,
 * `reason` says why and is never empty; otherwise it is "". */
bool allfold_tool_simulate_one(const struct allfold_simulation *of,
                               struct allfold_simulated *simulated, char *reason,
                               size_t reason_bytes);

/* Print what the links of each class carry in total, and the busiest of them: as CSV, and as
 * JSON. */
void allfold_tool_print_links(const struct allfold_simulated *of, FILE *stream);
json_t *allfold_json_links(const struct allfold_simulated *of);

/* Reads an algorithm such as "allreduce.ring(segment=8)", and the parameters of --parameter.
 * Without a collective it is the first one that has an algorithm of this name. Returns false and
 * prints a message if there is none or a parameter is wrong. */
bool allfold_tool_find_algorithm(const char *text, const struct allfold_options *options,
                                 const struct allfold_algorithm **algorithm,
                                 struct allfold_parameters *values);

#endif
