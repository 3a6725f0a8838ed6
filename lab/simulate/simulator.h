/* Simulating: how long the schedules of all ranks take on a network (network.h).
 *
 * Discrete events over the real schedules, each built once, whose steps start as the executor would
 * start them, with its window. Then:
 *
 * - A rank sends one message at a time, the oldest that can start. It takes in one from its node
 *   and one from others at a time, as they come. With each it is busy for the overhead and the
 *   transfer. The message is there after latency and transfer.
 * - The messages of a card together keep its limit: those that start at the same moment share it,
 *   later ones go behind them. With ejection the same holds at the other end; on a node, for the
 *   limit of its memory.
 * - A message goes one way where, when it starts, its sender receives nothing and its receiver
 *   sends nothing.
 * - A link that waits starts a message when its receive is there; others take it in, where it stays
 *   until its receive is there.
 * - On a network with a graph, a message between nodes flows over the links of its route and shares
 *   them with others (flows.h). Messages to one peer keep their order. A rank is one core: it is
 *   busy for the overhead with each message that it sends, and with each whose last byte is there,
 *   one after the other. On a node it is also busy for the transfer, unless the link is offloaded.
 * - In node memory (network.h: in_memory) a rank is one core, too. A sender is busy for the
 * overhead and for storing data that it has not stored before. A receiver is busy for the overhead
 * and the transfer, which is its reading.
 * - Reductions and copies of a rank go one after the other, beside its messages.
 *
 * A send is done when its rank could start the next one. Fused receives are not looked at. Times
 * are whole picoseconds, so that what takes equally long ends at the same moment. */
#ifndef ALLFOLD_LAB_SIMULATE_SIMULATOR_H
#define ALLFOLD_LAB_SIMULATE_SIMULATOR_H

#include "lab/simulate/simulation_problem.h"

#endif
