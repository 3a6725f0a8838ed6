/* What several subcommands need. */
#ifndef ALLFOLD_COMMON_H
#define ALLFOLD_COMMON_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "algorithms/algorithm.h"
#include "json.h"
#include "lab/simulate/simulator.h"
#include "options.h"

/* The number that an option has as its argument. Ends the program with a clear message if the
 * argument is no number from least to most. */
int allfold_tool_number(struct argp_state *state, const char *option, const char *text, int least,
                        int most);

/* The placement of p ranks, for algorithms that need nodes, as `text` describes it (see
 * topology/placement.h). If `text` is NULL, four ranks are on each node, two if the algorithm needs
 * groups of nodes, one if it needs cables. NULL with a message for the user if `text` is wrong.
 * Freed with allfold_nodes_free. */
const struct allfold_nodes *allfold_tool_nodes(const char *command,
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

/* Shows on stderr how far something is, and about how long it still takes. */
void allfold_tool_show_share(double share, const char *what);

/* Takes such a line away, if there is one. */
void allfold_tool_clear_share(void);

/* As allfold_simulate, and shows the progress if stderr is a terminal. The reason why it was not
 * simulated is never empty, and "" where it was. */
bool allfold_tool_simulate_one(const struct allfold_simulation *of,
                               struct allfold_simulated *simulated, char *reason,
                               size_t reason_bytes);

/* What the links of each class carry in all, and the busiest of them: for CSV, and for JSON. */
void allfold_tool_print_links(const struct allfold_simulated *of, FILE *stream);
json_t *allfold_json_links(const struct allfold_simulated *of);

/* Reads "allreduce.ring(segment=8)" and the parameters of --parameter. Where no collective is
 * named, it is the first that has such an algorithm. False, with a message for the user, where
 * there is none or a parameter is wrong. */
bool allfold_tool_find_algorithm(const char *text, const struct allfold_options *options,
                                 const struct allfold_algorithm **algorithm,
                                 struct allfold_parameters *values);

#endif
