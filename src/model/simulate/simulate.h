/* Simulating: how long the schedules of all ranks take on a network (network.h).
 *
 * Discrete events over the real schedules, each built once, whose steps start as the executor would
 * start them, with its window. Then:
 *
 * - A rank sends one message at a time, the oldest that can start, and takes in one from its node
 *   and one from others at a time, as they come: busy for the overhead and the transfer. The
 * message is there after latency and transfer.
 * - The messages of a card together keep its limit: those that start at the same moment share it,
 *   later ones go behind them. With ejection the same holds at the other end; on a node, for the
 *   limit of its memory.
 * - A message goes one way where, when it starts, its sender receives nothing and its receiver
 *   sends nothing.
 * - A link that waits starts a message when its receive is there; others take it in, where it stays
 *   until its receive is there.
 * - Reductions and copies of a rank go one after the other, beside its messages.
 *
 * A send is done when its rank could start the next one. Fused receives are not looked at. Times
 * are whole picoseconds, so that what takes equally long ends at the same moment. */
#ifndef ALLFOLD_MODEL_SIMULATE_H
#define ALLFOLD_MODEL_SIMULATE_H

#include "algorithms/algorithm.h"
#include "model/network/network.h"

enum { ALLFOLD_SIMULATED_WINDOW = 16, ALLFOLD_MAX_SIMULATED_WINDOW = 64 };

struct allfold_simulation {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int root;
    size_t bytes; /* of the vector; of all blocks, where it is blocks, rounded up to equal
                     ones. A barrier has none. */
    size_t element_bytes;
    const struct allfold_nodes *nodes; /* where the ranks live: all of them */
    const struct allfold_network *network;
    uint32_t window;     /* a power of two, ALLFOLD_MAX_SIMULATED_WINDOW at most */
    size_t memory_bytes; /* that it takes at most, but for the schedule of one rank at a time */

    /* What goes on: steps `done` of `total`, and what they are. May be NULL. */
    void (*on_progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
};

struct allfold_simulated {
    double time_s;         /* until the last rank is done */
    uint64_t steps;        /* of all ranks */
    uint64_t messages;     /* of all ranks */
    uint64_t card_bytes;   /* that the busiest card sends */
    uint32_t messages_out; /* between nodes, that the busiest rank sends */
    size_t memory_bytes;   /* that it took at most */
};

/* The problem as rank r sees it. The operation commutes, and is exact where the algorithm needs it.
 */
struct allfold_problem allfold_simulation_problem(const struct allfold_simulation *of, int r);

/* ALLFOLD_UNMET_NEED where the algorithm does not serve it; ALLFOLD_NO_MEMORY where there is no
 * memory, or it would take more than it may; ALLFOLD_NO_PROGRESS where ranks wait for ever;
 * ALLFOLD_BAD_INPUT where its times or its steps are too many to count. `message` says so. */
enum allfold_error allfold_simulate(const struct allfold_simulation *of,
                                    struct allfold_simulated *simulated, char *message,
                                    size_t message_bytes);

#endif
