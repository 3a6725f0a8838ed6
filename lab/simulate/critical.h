/* The critical path of a simulation: what the end waited for, back to the beginning.
 *
 * Each step remembers when it began and which step's end let it begin. The other step is one of its
 * rank that it depends on, the message that its rank sent or took in before, or its rank's
 * reduction before. The path leads from the last step of all back over these; a message leads to
 * its sender.
 *
 * Invariant: the parts of the path follow each other in time, so they add up to its end. All
 * functions that note something take NULL for a simulation that nobody wants a path of. */
#ifndef ALLFOLD_LAB_SIMULATE_CRITICAL_H
#define ALLFOLD_LAB_SIMULATE_CRITICAL_H

#include "lab/network/network.h"
#include "lab/simulate/budget.h"

struct allfold_critical;

/* NULL without memory. The budget must stay. */
struct allfold_critical *allfold_critical_create(uint32_t ranks, struct allfold_budget *budget);
void allfold_critical_free(struct allfold_critical *critical);

/* Makes room for a rank's steps. False without memory. */
bool allfold_critical_add(struct allfold_critical *critical, uint32_t rank, uint32_t steps);

/* A step has ended: what gets ready until the next one ends does so because of it. */
void allfold_critical_ended(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now);

/* A message may start. */
void allfold_critical_ready(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now);

/* A reduction or copy is ready now, and begins once its rank's last one is done. */
void allfold_critical_works(struct allfold_critical *critical, uint32_t rank, uint32_t step,
                            uint64_t now, uint64_t begins);

/* The message of a receive was there before the receive was ready. */
void allfold_critical_early(struct allfold_critical *critical, uint32_t rank, uint32_t step);

/* A message that starts. `level`: see allfold_critical_level. */
struct allfold_critical_message {
    uint32_t from, send; /* rank and step */
    uint32_t to, receive;
    int level;
    uint64_t bytes;
};
void allfold_critical_sends(struct allfold_critical *critical,
                            struct allfold_critical_message message, uint64_t now);

/* A rank's core takes in the message of a receive, so its next send may have to wait. */
void allfold_critical_takes_in(struct allfold_critical *critical, uint32_t rank, uint32_t receive);

/* The number of a level in the results: that of the network's levels, and on a graph, of the
 * farthest class of links on the way (-1: no graph). */
int allfold_critical_level(enum allfold_level level, int link_class);

/* Fills the levels of the results. */
void allfold_critical_fill(const struct allfold_critical *critical,
                           const struct allfold_network *network,
                           struct allfold_simulated *simulated);

#endif
