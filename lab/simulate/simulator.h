/* The simulator: computes the time that the schedules of all ranks take on a network (network.h).
 *
 * It is a discrete-event simulation of the real schedules. Steps start as the executor would start
 * them, with its window of messages in flight. The rules:
 *
 * - A rank sends one message at a time: the oldest one that is ready. It receives one message at a
 *   time from its own node and one from other nodes, in the order of arrival. Each message occupies
 *   the rank for its overhead and transfer. The message arrives after its latency and transfer.
 * - The messages of a network card together do not exceed its limit. Messages that start at the
 * same time share it; later ones queue. With `ejection`, the same holds for the card of the
 * receiver. Messages within a node share the limit of its memory in the same way.
 * - A message is one-way (network.h) if, when it starts, its sender receives nothing and its
 *   receiver sends nothing.
 * - If a link has `waits`, a message starts only when its receive is ready. On other links the
 *   receiver takes the message and buffers it until its receive is ready.
 * - On a network with a graph, a message between nodes is a flow over the links of its route, which
 *   it shares with other flows (flows.h). Messages to one peer keep their order. A rank is one
 * core: each message that it sends, and each message that has arrived completely, occupies it for
 * the overhead. A message within a node also occupies it for the transfer, unless the link is
 *   `offloaded`.
 * - If a link has `in_memory` (network.h), a rank is one core, too. A sender is occupied for the
 *   overhead, and for storing data that it has not stored before. A receiver is occupied for the
 *   overhead and for the transfer, which is its reading.
 * - The reductions and copies of a rank run one after the other, overlapped with its messages.
 *
 * A send is done when its rank could start the next message. Fused receives are not modeled. Times
 * are whole picoseconds, so that steps with equal times end at the same moment. */
#ifndef ALLFOLD_LAB_SIMULATE_SIMULATOR_H
#define ALLFOLD_LAB_SIMULATE_SIMULATOR_H

#include "lab/simulate/simulation_input.h"

#endif
