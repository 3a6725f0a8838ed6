/* The papers' cost model: rounds x latency + bytes sent x time per byte + bytes reduced x time per
 * byte (Rabenseifner 2004, section 2.1). A rank that gets more bytes than any rank sends counts
 * instead. Each further message of a round has a time of its own. Latency and time per byte depend
 * on how long the messages are, as MPI libraries change their ways of sending with that. */
#ifndef ALLFOLD_ALGORITHMS_COSTS_H
#define ALLFOLD_ALGORITHMS_COSTS_H

#include "algorithms/algorithm.h"

/* What holds for messages of more than `above_bytes`. */
struct allfold_longer {
    double above_bytes; /* 0: of none */
    double latency_s;
    double send_s_per_byte;
};

struct allfold_costs {
    double latency_s;
    double message_s; /* of each message of a round but its first */
    double send_s_per_byte;
    double reduce_s_per_byte;
    struct allfold_longer longer;
};

/* Rough constants for a problem's messages: one set where all ranks are on one node, and one for
 * all others. Presets of parameters depend on them, so all ranks have the same. */
const struct allfold_costs *allfold_costs_of(const struct allfold_problem *problem);

/* Latency and time per byte of messages of that length. */
struct allfold_longer allfold_costs_at(const struct allfold_costs *costs, double bytes);

/* The time that the constants give for a claim. Algorithms send messages of many
 * lengths: the mean decides how they are sent. */
double allfold_cost_s(const struct allfold_costs *costs, const struct allfold_claim *claim,
                      size_t element_bytes);

/* The price of an algorithm that serves the problem. It orders what is worth a measurement, and
 * chooses where no row of a table serves: the claim's rounds and bytes. Between nodes an algorithm
 * that knows no nodes is taken to keep on the nodes what a binomial exchange would. */
double allfold_price_s(const struct allfold_algorithm *algorithm,
                       const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters);

/* Which of two algorithms with the same price is taken: the one with fewer rounds, then the first
 * by name. So the order of list.h decides nothing. */
bool allfold_wins_tie(const struct allfold_problem *problem, const struct allfold_named *one,
                      const struct allfold_named *other);

/* The pipelining lemma: a vector of `count` elements in b blocks takes (fixed + slope b) steps,
 * each of one latency and one block sent. Returns the number of elements per block that makes this
 * time least, at least 1. With `fixed` or `slope` 0 it is the block whose bytes take the least
 * time. */
size_t allfold_best_segment(const struct allfold_problem *problem, double fixed, double slope);

#endif
