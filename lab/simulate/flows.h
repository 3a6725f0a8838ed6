/* Flow-level network simulation: messages in transit through a graph (graph.h) share the bandwidth
 * of its links.
 *
 * Rates are max-min fair: each flow has a bottleneck, which is a saturated link on which no other
 * flow is faster, or the flow's own bound. Rates change only when a flow starts or ends. Only the
 * rates of flows that this affects are computed anew.
 *
 * Times are in picoseconds. A flow's end is rounded to 1/2048 of its remaining time, so that flows
 * that end at almost the same time end together.
 *
 * Invariant: after allfold_flows_share no link carries more than its bandwidth. */
#ifndef ALLFOLD_LAB_SIMULATE_FLOWS_H
#define ALLFOLD_LAB_SIMULATE_FLOWS_H

#include "lab/network/graph.h"
#include "lab/simulate/budget.h"

struct allfold_flows;

/* Creates a simulation without flows. Streams are numbered in [0, streams). `graph` and `budget`
 * must outlive it. Returns NULL if out of memory. Free it with allfold_flows_free. */
struct allfold_flows *allfold_flows_create(const struct allfold_graph *graph, uint32_t streams,
                                           struct allfold_budget *budget);
void allfold_flows_free(struct allfold_flows *flows);

/* A flow: one message. Flows of the same stream to the same peer are transferred one after the
 * other, in the order of their starts. */
struct allfold_flow {
    uint32_t stream, peer;
    uint32_t from, to; /* hosts; must differ */
    double bytes;
    double bound;     /* maximum rate, in bytes per second; 0: none */
    uint32_t receive; /* for the caller; not used here */
};

/* Adds a flow, which allfold_flows_begin starts later. Returns its number; UINT32_MAX if out of
 * memory. */
uint32_t allfold_flows_add(struct allfold_flows *flows, struct allfold_flow flow);

/* Starts flow `number` at the time `now`. Returns false if out of memory. */
bool allfold_flows_begin(struct allfold_flows *flows, uint32_t number, uint64_t now);

/* Computes the rates after flows started or ended. Returns false if out of memory. */
bool allfold_flows_share(struct allfold_flows *flows, uint64_t now);

/* Writes the time at which the next flow ends. Returns false if there is no active flow. */
bool allfold_flows_time(const struct allfold_flows *flows, uint64_t *time);

/* Removes a flow that ends at `now` and stores it in *flow. Returns false if there is none. */
bool allfold_flows_take(struct allfold_flows *flows, uint64_t now, struct allfold_flow *flow);

/* Returns the rate of a flow; 0 while it waits for an earlier flow of its stream. For tests. */
double allfold_flows_rate(const struct allfold_flows *flows, uint32_t number);

/* Returns the bytes of all flows that started and whose route includes `link`. */
uint64_t allfold_flows_link_bytes(const struct allfold_flows *flows, uint32_t link);

#endif
