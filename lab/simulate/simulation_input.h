/* The input of a simulation (struct allfold_simulation): its problem on each rank, its defaults and
 * its checks. */
#ifndef ALLFOLD_LAB_SIMULATE_SIMULATION_INPUT_H
#define ALLFOLD_LAB_SIMULATE_SIMULATION_INPUT_H

#include "algorithms/algorithm.h"
#include "lab/network/network.h"

/* Returns the problem on rank r. Its operation is exact if the algorithm needs an exact operation.
 */
struct allfold_problem allfold_simulation_problem(const struct allfold_simulation *of, int r);

/* Returns the number of sockets of a node: the maximum of the placement and of the network. */
int allfold_simulation_sockets(const struct allfold_simulation *of);

/* Sets the defaults of members that are 0. Returns false and writes a message if the simulation is
 * not possible: too few hosts, no such root, or an invalid window. */
bool allfold_simulation_complete(struct allfold_simulation *of, char *message,
                                 size_t message_bytes);

#endif
