/* The problem of a simulation, and whether the algorithm and the network that it names exist. */
#ifndef ALLFOLD_LAB_SIMULATE_SIMULATION_PROBLEM_H
#define ALLFOLD_LAB_SIMULATE_SIMULATION_PROBLEM_H

#include "algorithms/algorithm.h"
#include "lab/network/network.h"

/* The problem as rank r sees it. The operation is exact where the algorithm needs it.
 */
struct allfold_problem allfold_simulation_problem(const struct allfold_simulation *of, int r);

/* Sockets of a node: as the nodes say, or as many as the network's have. */
int allfold_simulation_sockets(const struct allfold_simulation *of);

/* Presets for what is 0. False, with the message, where the simulation asks for what there is not.
 */
bool allfold_simulation_complete(struct allfold_simulation *of, char *message,
                                 size_t message_bytes);

#endif
