/* Making nodes from known facts (struct allfold_nodes_facts), and from existing nodes. */
#ifndef ALLFOLD_TOPOLOGY_NODES_MAKE_H
#define ALLFOLD_TOPOLOGY_NODES_MAKE_H

#include "allfold_core.h"

/* Makes nodes like `nodes` with additional facts, and frees `nodes`. Returns NULL if `nodes` is
 * NULL or out of memory. The caller frees the result with allfold_nodes_free. */
const struct allfold_nodes *allfold_nodes_extended(const struct allfold_nodes *nodes,
                                                   struct allfold_nodes_facts facts);

/* For the verifier: add one fact at a time to nodes that are not yet in use. The order comes before
 * groups, and `ordered` comes last. Rank r of `nodes` is rank r of `like`; `keys` of
 * allfold_nodes_group_like is scratch memory for p keys. Return false if out of memory. */
bool allfold_nodes_order(struct allfold_nodes *nodes, const int64_t *keys);
bool allfold_nodes_add_ordered(struct allfold_nodes *nodes);
bool allfold_nodes_group(struct allfold_nodes *nodes, const int64_t *keys);
bool allfold_nodes_group_like(struct allfold_nodes *nodes, const struct allfold_nodes *like,
                              int64_t *keys);
bool allfold_nodes_cable(struct allfold_nodes *nodes, const struct allfold_cable *pairs, int count);
bool allfold_nodes_cable_like(struct allfold_nodes *nodes, const struct allfold_nodes *like);
bool allfold_nodes_divide(struct allfold_nodes *nodes, const int64_t *keys);

#endif
