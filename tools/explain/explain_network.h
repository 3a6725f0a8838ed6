/* `allfold explain --network`: the choice on a described network, held against the best of our
 * algorithms by simulation, and what makes the difference. */
#ifndef ALLFOLD_EXPLAIN_EXPLAIN_NETWORK_H
#define ALLFOLD_EXPLAIN_EXPLAIN_NETWORK_H

#include <stdio.h>

#include "json.h"
#include "lab/simulate/simulator.h"
#include "select/candidates.h"
#include "select/choose.h"

/* An algorithm and what the simulation says of it. */
struct explained_run {
    struct allfold_candidate candidate;
    struct allfold_simulated simulated; /* of the two that are compared: with the critical path */
    size_t rounds;                      /* as claimed */
    char reason[200];                   /* why it was not simulated; "" where it was */
    bool is_chosen;
};

enum { EXPLAINED_RUNS = ALLFOLD_MAX_CANDIDATES + 1 };

/* `chosen` and `other` are numbers of runs: the choice, and the best one or, where the choice is
 * that, the next one. Negative: there is none. */
struct explained_network {
    struct allfold_simulation of; /* what all runs have in common */
    struct allfold_choice choice;
    struct explained_run runs[EXPLAINED_RUNS]; /* the fastest first; those without a time last */
    int count, simulated;
    int left_out;      /* whose prices are far higher */
    double cheapest_s; /* the lowest price */
    double bound_s;    /* no algorithm takes less; 0: nothing is known */
    int chosen, other;
};

/* Simulates what may be the best for the problem, of which `of` has bytes, nodes and network.
 * ALLFOLD_NO_MEMORY, or with `message` why the choice cannot be simulated. */
enum allfold_error allfold_explain_on_network(const struct allfold_problem *problem,
                                              const struct allfold_choice *choice,
                                              const struct allfold_simulation *of,
                                              struct explained_network *explained, char *message,
                                              size_t message_bytes);

/* How much the choice loses: 0.5 where it takes half as long again as the best. */
double allfold_explained_loss(const struct explained_network *explained);

/* What is told: for eyes, behind the question; as CSV, a line for each algorithm; as JSON. */
void allfold_explained_print(const struct explained_network *explained, FILE *stream);
void allfold_explained_print_csv(const struct explained_network *explained, FILE *stream);
json_t *allfold_explained_json(const struct explained_network *explained);

#endif
