/* Making nodes: one function makes them of all that is known. They never change. */
#ifndef ALLFOLD_TOPOLOGY_NODES_MAKE_H
#define ALLFOLD_TOPOLOGY_NODES_MAKE_H

#include "allfold_core.h"

/* Makes nodes like these that more is known of, and frees these. NULL where they are NULL or
 * without memory. */
const struct allfold_nodes *allfold_nodes_extended(const struct allfold_nodes *nodes,
                                                   struct allfold_nodes_facts facts);

/* For the verifier, which says one thing after the other. False without memory. */
bool allfold_nodes_order(struct allfold_nodes *nodes, const int64_t *keys);
bool allfold_nodes_add_ordered(struct allfold_nodes *nodes);
bool allfold_nodes_group(struct allfold_nodes *nodes, const int64_t *keys);
bool allfold_nodes_group_like(struct allfold_nodes *nodes, const struct allfold_nodes *like,
                              int64_t *keys);
bool allfold_nodes_cable(struct allfold_nodes *nodes, const struct allfold_cable *pairs, int count);
bool allfold_nodes_cable_like(struct allfold_nodes *nodes, const struct allfold_nodes *like);
bool allfold_nodes_divide(struct allfold_nodes *nodes, const int64_t *keys);

#endif
