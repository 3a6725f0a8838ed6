/* `allfold explain --network`: simulates the choice and the other algorithms on a described
 * network, and shows why the choice is slower than the best. */
#ifndef ALLFOLD_EXPLAIN_EXPLAIN_NETWORK_H
#define ALLFOLD_EXPLAIN_EXPLAIN_NETWORK_H

#include <stdio.h>

#include "json.h"
#include "lab/simulate/simulator.h"
#include "select/candidates.h"
#include "select/choose.h"

/* An algorithm and the result of its simulation. */
struct explained_run {
    struct allfold_candidate candidate;
    /* With the critical path if it is one of the two that are compared. */
    struct allfold_simulated simulated;
    size_t rounds;    /* number that the algorithm claims */
    char reason[200]; /* why it was not simulated; "" if it was */
    bool is_chosen;
};

enum { EXPLAINED_RUNS = ALLFOLD_MAX_CANDIDATES + 1 };

/* The result. `chosen` and `other` are indices of `runs`: the choice, and the best algorithm or, if
 * the choice is the best, the second best. Negative: there is none. */
struct explained_network {
    struct allfold_simulation of; /* what all runs have in common */
    struct allfold_choice choice;
    struct explained_run runs[EXPLAINED_RUNS]; /* fastest first; runs without a time last */
    int count, simulated;
    int left_out; /* number of algorithms that were not simulated, because their price is far higher
                   */
    double cheapest_s; /* lowest price */
    double bound_s;    /* lower bound of the time of every algorithm; 0: not known */
    int chosen, other;
};

/* Simulates the algorithms that may be the best for the problem; `of` has bytes, nodes and network.
 * Returns ALLFOLD_NO_MEMORY, or another error with `message` if the choice cannot be simulated. */
enum allfold_error allfold_explain_on_network(const struct allfold_problem *problem,
                                              const struct allfold_choice *choice,
                                              const struct allfold_simulation *of,
                                              struct explained_network *explained, char *message,
                                              size_t message_bytes);

/* Returns the relative loss of the choice: 0.5 if it takes 1.5 times as long as the best. */
double allfold_explained_loss(const struct explained_network *explained);

/* Print the result: as text, as CSV with a line for each algorithm, and as JSON. */
void allfold_explained_print(const struct explained_network *explained, FILE *stream);
void allfold_explained_print_csv(const struct explained_network *explained, FILE *stream);
json_t *allfold_explained_json(const struct explained_network *explained);

#endif
