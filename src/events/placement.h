/* Placements in traces: where each rank of a communicator is (docs/trace.md). */
#ifndef ALLFOLD_EVENTS_PLACEMENT_H
#define ALLFOLD_EVENTS_PLACEMENT_H

#include "topology/nodes.h"
#include "events/trace_code.h"

/* Where each rank is. */
struct allfold_traced_placement {
    int p, nodes;
    int *node_of;   /* rank -> node; nodes are numbered in the order of their lowest ranks */
    int *order;     /* the nodes as they lie in the network; NULL: in the order of their numbers */
    int *socket_of; /* rank -> socket of its node, 0 where the node has none; NULL: no node has any
                     */
};

/* Does a layout say all of these nodes? They have as many ranks each, in blocks, and no sockets,
 * and lie in the network in the order of their ranks. */
bool allfold_layout_says_all(const struct allfold_nodes *nodes);

/* Writes the payload of a placement's record. */
void allfold_trace_put_placement(struct allfold_trace_bytes *bytes,
                                 const struct allfold_nodes *nodes);

/* Room for a placement of p ranks; false without memory. Freed with allfold_placement_free. */
bool allfold_placement_allocate(struct allfold_traced_placement *placement, int p);
void allfold_placement_free(struct allfold_traced_placement *placement);

/* The nodes of a placement, with their sockets and their order; NULL without memory. Freed with
 * allfold_nodes_free. */
struct allfold_nodes *allfold_placement_nodes(const struct allfold_traced_placement *placement);

#endif
