/* Lower bounds: how long a collective takes on a network at least, whatever the algorithm.
 *
 * The bounds hold for the simulator's rules (simulator.h), therefore they are beside it. No
 * simulated time is below them. As in Chan, Heimlich, Purkayastha and van de Geijn 2007 (Collective
 * communication: theory, practice, and experience, section 3) there are three:
 *
 * - Latency: data of one rank have to reach all others, or those of all have to reach the root. A
 *   rank starts a message each overhead at most, and a message arrives a latency later, as in
 * LogP's broadcast (Karp et al. 1993, Optimal broadcast and summation in the LogP model). With k
 * messages in the time of one, that is at least ceil(log_(k+1) p) rounds. A node whose first rank
 * has the data needs no further message from others, but at least one has to come over the network.
 * - Bandwidth: the bytes that have to leave or to enter a node, over the rate of its cards; those
 * of a group of nodes, over the links of the routes that leave it; those of all ranks, over what
 * cards and cores can move together.
 * - Work: (p - 1) vectors are reduced, over p cores.
 *
 * The three may overlap, so that the bound is the greatest of them. An allreduce moves 2 (P - 1)
 * vectors between P parts: that many messages are needed until each part knows something of all. */
#ifndef ALLFOLD_LAB_SIMULATE_BOUND_H
#define ALLFOLD_LAB_SIMULATE_BOUND_H

#include "lab/simulate/simulation_problem.h"

struct allfold_bound {
    double latency_s, bandwidth_s, work_s;
};

/* Of the algorithm, only its collective counts. `of` fits the network, as allfold_simulate checks.
 * Without memory the bounds are less. */
struct allfold_bound allfold_bound_of(const struct allfold_simulation *of);

/* The greatest of the three. */
double allfold_bound_s(const struct allfold_bound *bound);

#endif
