/* The critical path of a simulation: the chain of steps that determines its total time.
 *
 * Each step records its start time and its cause: the step whose end let it start. The cause is a
 * step on the same rank that it depends on, the previous message that its rank sent or received, or
 * the previous reduction or copy of its rank. The path leads from the step that ends last back over
 * the causes to the start of the simulation; from a receive it leads to the sender of the message.
 *
 * Invariant: the steps of the path follow each other in time, so their times add up to the total
 * time.
 *
 * All functions that record something do nothing if `critical` is NULL: no path is recorded then.
 */
#ifndef ALLFOLD_LAB_SIMULATE_CRITICAL_H
#define ALLFOLD_LAB_SIMULATE_CRITICAL_H

#include "lab/network/network.h"
#include "lab/simulate/budget.h"

struct allfold_critical;

/* Creates a record for `ranks` ranks. Returns NULL if out of memory. `budget` must outlive it. Free
 * it with allfold_critical_free. */
struct allfold_critical *allfold_critical_create(uint32_t ranks, struct allfold_budget *budget);
void allfold_critical_free(struct allfold_critical *critical);

/* Allocates the records of a rank's steps. Returns false if out of memory. */
bool allfold_critical_add(struct allfold_critical *critical, uint32_t rank, uint32_t steps);

/* Records that a step ended. It is the cause of all steps that become ready before the next call.
 */
void allfold_critical_ended(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now);

/* Records that a message step is ready to start. */
void allfold_critical_ready(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now);

/* Records a reduction or copy that is ready at `now` and starts at `begins`, when the previous
 * reduction or copy of its rank is done. */
void allfold_critical_works(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now, uint64_t begins);

/* Records that the message of a receive arrived before the receive was ready. */
void allfold_critical_early(struct allfold_critical *critical, uint32_t rank, uint32_t step);

/* A message, from the step `send` of rank `from` to the step `receive` of rank `to`. */
struct allfold_critical_message {
    uint32_t from, send;
    uint32_t to, receive;
    int level; /* see allfold_critical_level */
    uint64_t bytes;
};

/* Records that a message starts. */
void allfold_critical_sends(struct allfold_critical *critical,
                            struct allfold_critical_message message, uint64_t now);

/* Records that a rank's core processes the message of a receive, for which its next send may wait.
 */
void allfold_critical_takes_in(struct allfold_critical *critical, uint32_t rank, uint32_t receive);

/* Returns the index of a message in `levels` of struct allfold_simulated. `level` is the level of
 * the message. If the network has a graph, `link_class` is the highest class of a link on the
 * message's route, and each link class has an index of its own. Without a graph it is -1. */
int allfold_critical_level(enum allfold_level level, int link_class);

/* Fills the levels and the critical path of the results. */
void allfold_critical_fill(const struct allfold_critical *critical,
                           const struct allfold_network *network,
                           struct allfold_simulated *simulated);

#endif
