/* Making nodes from known facts (struct allfold_nodes_facts), and from existing nodes. */
#ifndef ALLFOLD_TOPOLOGY_NODES_MAKE_H
#define ALLFOLD_TOPOLOGY_NODES_MAKE_H

#include "allfold_core.h"

/* Returns a copy of `nodes`, in which the given facts replace its own, and given groups are added
 * above its groups. Frees `nodes`, also on failure. `facts.like` is ignored. Returns NULL if
 * `nodes` is NULL or out of memory. The caller frees the result with allfold_nodes_free. */
const struct allfold_nodes *allfold_nodes_extended(const struct allfold_nodes *nodes,
                                                   struct allfold_nodes_facts facts);

/* For the verifier: add one fact at a time to nodes that are not yet in use. Arrays of keys are as
 * in struct allfold_nodes_facts. allfold_nodes_order must be called before groups are added, and
 * allfold_nodes_add_ordered last: it makes the copy that is numbered in network order (`ordered`).
 * allfold_nodes_divide sets the sockets. Rank r of `nodes` is rank r of `like`; `keys` of
 * allfold_nodes_group_like is memory for p keys, whose values do not matter. Return false if out of
 * memory. */
bool allfold_nodes_order(struct allfold_nodes *nodes, const int64_t *keys);
bool allfold_nodes_add_ordered(struct allfold_nodes *nodes);
bool allfold_nodes_group(struct allfold_nodes *nodes, const int64_t *keys);
bool allfold_nodes_group_like(struct allfold_nodes *nodes, const struct allfold_nodes *like,
                              int64_t *keys);
bool allfold_nodes_cable(struct allfold_nodes *nodes, const struct allfold_cable *pairs, int count);
bool allfold_nodes_cable_like(struct allfold_nodes *nodes, const struct allfold_nodes *like);
bool allfold_nodes_divide(struct allfold_nodes *nodes, const int64_t *keys);

#endif
