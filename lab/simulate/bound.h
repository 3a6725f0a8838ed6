/* Lower bounds on the simulated time of a collective on a network, for any algorithm.
 *
 * The bounds are derived from the rules of the simulator (simulator.h), so no simulated time is
 * below them. There are three, as in Chan, Heimlich, Purkayastha and van de Geijn 2007 (Collective
 * communication: theory, practice, and experience, section 3):
 *
 * - Latency: data of one rank must reach all others, or data of all ranks must reach the root. A
 *   rank starts at most one message in each overhead, and the message arrives one latency later, as
 *   in LogP's broadcast (Karp et al. 1993, Optimal broadcast and summation in the LogP model). If a
 *   rank starts k messages in the time of one, at least ceil(log_(k+1) p) rounds are needed. Once
 *   one rank of a node has the data, the node needs no more messages from other nodes. But it needs
 *   at least one, over the network.
 * - Bandwidth: the bytes that must leave or enter a node, divided by the rate of its network cards;
 *   the bytes that must leave or enter a group of nodes, divided by the rate of the links between
 *   the group and others; and the bytes of all ranks, divided by the rate of all cards and cores.
 * - Work: p cores reduce (p - 1) vectors.
 *
 * The three may overlap, so the bound is their maximum. An allreduce moves 2 (P - 1) vectors
 * between P nodes or groups, because at least 2 (P - 1) messages are needed until each of them has
 * a contribution of all others. */
#ifndef ALLFOLD_LAB_SIMULATE_BOUND_H
#define ALLFOLD_LAB_SIMULATE_BOUND_H

#include "lab/simulate/simulation_input.h"

struct allfold_bound {
    double latency_s, bandwidth_s, work_s;
};

/* Computes the bounds of a simulation that allfold_simulate accepts. Of its algorithm, only the
 * collective matters. If out of memory, the bounds are lower. */
struct allfold_bound allfold_bound_of(const struct allfold_simulation *of);

/* Returns the maximum of the three bounds. */
double allfold_bound_s(const struct allfold_bound *bound);

#endif
