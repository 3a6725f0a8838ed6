/* The cost model of the papers, which estimates the time of an algorithm from its claim: rounds x
 * latency + bytes sent x time per byte + bytes reduced x time per byte (Rabenseifner 2004, section
 * 2.1). If a rank receives more bytes than any rank sends, these count instead. Each further
 * message of a round adds a time of its own. Latency and time per byte depend on the length of the
 * messages, because MPI libraries change their protocol with it. Thread-safe. */
#ifndef ALLFOLD_ALGORITHMS_COSTS_H
#define ALLFOLD_ALGORITHMS_COSTS_H

#include "algorithms/algorithm.h"

/* Latency and time per byte of messages of more than above_bytes bytes. */
struct allfold_longer {
    double above_bytes; /* 0: there are none */
    double latency_s;
    double send_s_per_byte;
};

/* The constants of the model. */
struct allfold_costs {
    double latency_s;
    double message_s; /* for each further message of a round */
    double send_s_per_byte;
    double reduce_s_per_byte;
    struct allfold_longer longer;
};

/* Returns rough constants for a problem: one set if all ranks are on one node, and another set
 * otherwise. Defaults of parameters depend on them, so they are the same on all ranks. */
const struct allfold_costs *allfold_costs_of(const struct allfold_problem *problem);

/* Returns latency and time per byte of messages of `bytes` bytes. */
struct allfold_longer allfold_costs_at(const struct allfold_costs *costs, double bytes);

/* Returns the estimated time of a claim. Its messages may have different lengths: their mean
 * decides the latency and the time per byte. */
double allfold_cost_s(const struct allfold_costs *costs, const struct allfold_claim *claim,
                      size_t element_bytes);

/* Returns the estimated cost of an algorithm that can handle the problem. It ranks candidates for
 * measurements, and determines the choice if no row of a table can handle the problem. An algorithm
 * that does not use the placement is assumed to keep as many messages on the nodes as a binomial
 * exchange. */
double allfold_price_s(const struct allfold_algorithm *algorithm,
                       const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters);

/* Returns whether `one` is chosen before `other` if both have the same cost: the one with fewer
 * rounds, then the first by name. So the order of list.h has no influence. */
bool allfold_wins_tie(const struct allfold_problem *problem, const struct allfold_named *one,
                      const struct allfold_named *other);

/* The pipelining lemma: if a vector in b blocks takes (fixed + slope b) steps, each with one
 * latency and one block sent, returns the number of elements per block with the minimum time, at
 * least 1. If `fixed` or `slope` is 0, it returns the block with the minimum time per byte. */
size_t allfold_best_segment(const struct allfold_problem *problem, double fixed, double slope);

#endif
