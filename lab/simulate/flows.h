/* Flows: messages on their way through a graph (graph.h), which share its links.
 *
 * Rates are max-min fair: each flow has a link (or a bound of its own) that is full and on which no
 * other flow is faster. Rates change only where a flow begins or ends, and there only for the flows
 * that feel it. So a change costs what lies around it.
 *
 * Times are picoseconds. A flow's end is rounded to 1/2048 of the time that it still takes, so that
 * flows that end together nearly, end together.
 *
 * Invariant: after allfold_flows_share no link carries more than its bandwidth. */
#ifndef ALLFOLD_LAB_SIMULATE_FLOWS_H
#define ALLFOLD_LAB_SIMULATE_FLOWS_H

#include "lab/network/graph.h"
#include "lab/simulate/budget.h"

struct allfold_flows;

/* NULL without memory. The graph and the budget must stay. `streams` is how many there are: a
 * flow's stream is a number below it. */
struct allfold_flows *allfold_flows_create(const struct allfold_graph *graph, uint32_t streams,
                                           struct allfold_budget *budget);
void allfold_flows_free(struct allfold_flows *flows);

/* What a flow is. Flows of one stream to one peer go one after the other, as they begin. */
struct allfold_flow {
    uint32_t stream, peer;
    uint32_t from, to; /* hosts; others than each other */
    double bytes;
    double bound;     /* bytes a second; 0: none */
    uint32_t receive; /* the caller's */
};

/* Keeps a flow that begins later; UINT32_MAX without memory. */
uint32_t allfold_flows_add(struct allfold_flows *flows, struct allfold_flow flow);

/* It begins now. False without memory. */
bool allfold_flows_begin(struct allfold_flows *flows, uint32_t number, uint64_t now);

/* Gives all flows their rates, after some began or ended. False without memory. */
bool allfold_flows_share(struct allfold_flows *flows, uint64_t now);

/* When the next flow ends; false where there is none. */
bool allfold_flows_time(const struct allfold_flows *flows, uint64_t *time);

/* Takes a flow that ends at `now`; false where there is none. */
bool allfold_flows_take(struct allfold_flows *flows, uint64_t now, struct allfold_flow *flow);

/* The rate of a flow; 0 while it waits for another one of its stream. For tests. */
double allfold_flows_rate(const struct allfold_flows *flows, uint32_t number);

/* What a link carried, with all of the flows that began. */
uint64_t allfold_flows_link_bytes(const struct allfold_flows *flows, uint32_t link);

#endif
