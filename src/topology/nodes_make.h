/* Making nodes: one function makes them of all that is known. They never change. */
#ifndef ALLFOLD_TOPOLOGY_NODES_MAKE_H
#define ALLFOLD_TOPOLOGY_NODES_MAKE_H

#include "allfold_core.h"

/* Groups of nodes, such as those below one switch: ranks with the same key are in the same group.
 * Groups that say nothing new, or that split a lower group, are left out. Of links, 0: unknown. */
struct allfold_group_level {
    const int64_t *keys;                     /* by rank */
    double uplinks, pair_uplinks, farther_s; /* of the groups, as in struct allfold_nodes */
};

struct allfold_cable;

/* What is known of where ranks are. All but the keys of the nodes may be 0 or NULL: it is not
 * known, or as in `like`. All keys are by rank. */
struct allfold_nodes_facts {
    int p;                  /* ranks */
    const int64_t *keys;    /* ranks with the same key share a node; NULL: as in `like` */
    const int64_t *order;   /* nodes lie in the network as their lowest ranks' keys say */
    const int64_t *sockets; /* ranks of a node with the same key share a socket; of a node with a
                               key below 0 nothing is known */
    int even_sockets;       /* or: so many on each node, with its ranks in blocks ... */
    bool in_turn;           /* ... or dealt out to them in turn */
    const struct allfold_group_level *groups; /* from the lowest level up; above those of `like` */
    int levels;
    const struct allfold_cable *cables; /* from node to node directly, by their numbers */
    int cable_count;
    int cores;     /* of the one machine that all nodes are on, where they are several */
    int card_mbit; /* a second, of each node's network card; below 0: not known */

    /* The ranks are also ranks of these nodes: `members` has which, NULL means the first p, and
     * with p = 0 all. They are where they are there. Cables are known of all ranks and of the
     * first. */
    const struct allfold_nodes *like;
    const int *members;
};

/* Makes nodes. NULL: there is no memory; nothing else fails. Freed with allfold_nodes_free. */
const struct allfold_nodes *allfold_nodes_create(const struct allfold_nodes_facts *facts);

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
