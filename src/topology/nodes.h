/* Nodes: which ranks live where. Immutable once made; problems point to it. */
#ifndef ALLFOLD_TOPOLOGY_NODES_H
#define ALLFOLD_TOPOLOGY_NODES_H

#include "allfold_core.h"

static inline int allfold_node_size(const struct allfold_nodes *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/* Have all nodes as many ranks? */
static inline bool allfold_nodes_are_like(const struct allfold_nodes *nodes)
{
    return nodes->least == nodes->most;
}

/* The rank with number i on a node. */
static inline int allfold_rank_on(const struct allfold_nodes *nodes, int node, int i)
{
    return nodes->members[nodes->first[node] + i];
}

/* Are each node's ranks next to each other? */
static inline bool allfold_nodes_are_blocks(const struct allfold_nodes *nodes)
{
    return nodes->arrangement == ALLFOLD_IN_BLOCKS;
}

/* Are the ranks of each node, of each group and so on next to each other? */
static inline bool allfold_nodes_are_nested_blocks(const struct allfold_nodes *nodes)
{
    while (nodes != NULL && allfold_nodes_are_blocks(nodes))
        nodes = nodes->groups;
    return nodes == NULL;
}

/* The level on which two ranks come together: 0 on a node, 1 in a group of nodes, and so on. */
static inline int allfold_level_of(const struct allfold_nodes *nodes, int a, int b)
{
    int level = 0;
    for (; nodes != NULL; nodes = nodes->groups, level++) {
        a = nodes->node_of[a];
        b = nodes->node_of[b];
        if (a == b)
            break;
    }
    return level;
}

/* Says in which order the nodes lie in the network: that of the keys of their lowest ranks. Nodes
 * with the same key stay as they are, so of two keys the minor one is said first. For nodes without
 * groups. False without memory. */
bool allfold_nodes_order(struct allfold_nodes *nodes, const int64_t *keys);

/* Makes `ordered`, unless the nodes are numbered as they lie in the network. Whatever more is said
 * of the nodes frees it. False without memory. */
bool allfold_nodes_add_ordered(struct allfold_nodes *nodes);

/* Says that all nodes are on one machine, and how many ranks use its cores; no cores: it is not so.
 */
void allfold_nodes_set_machine(struct allfold_nodes *nodes, int cores, int ranks);

/* Says how many Mbit a second each node's network card carries; 0: unknown. */
void allfold_nodes_set_card(struct allfold_nodes *nodes, int mbit);

/* The links between groups of a level; 0 says that something of them is not known. */
struct allfold_group_links {
    double cards;      /* `uplinks` of the groups */
    double pair_cards; /* their `pair_uplinks` */
    double farther_s;
};

/* allfold_nodes_group where the links between the groups are known, too. */
bool allfold_nodes_group_linked(struct allfold_nodes *nodes, const int64_t *keys,
                                struct allfold_group_links links);

/* Gives nodes the groups that their ranks have in `like`, with the links of these. `keys` is room
 * for a word of each rank. False without memory. */
bool allfold_nodes_group_like(struct allfold_nodes *nodes, const struct allfold_nodes *like,
                              int64_t *keys);

struct allfold_cable;

/* Says which nodes are linked directly (cables.h), by their numbers. Replaces what was said before.
 * False without memory. */
bool allfold_nodes_cable(struct allfold_nodes *nodes, const struct allfold_cable *pairs, int count);

/* Gives nodes the cables that their ranks have in `like`, which is no `ordered` one. False without
 * memory. */
bool allfold_nodes_cable_like(struct allfold_nodes *nodes, const struct allfold_nodes *like);

/* Gives nodes the cables of others of the same ranks, which both then own. */
void allfold_nodes_share_cables(struct allfold_nodes *nodes, const struct allfold_nodes *of);

/* How many nodes the fullest group of a level has, from 0. */
int allfold_most_nodes(const struct allfold_nodes *nodes, int level);

/* allfold_nodes_divide into that number of sockets a node, its ranks in blocks or dealt out in
 * turn. */
bool allfold_nodes_divide_evenly(struct allfold_nodes *nodes, int sockets, bool in_turn);

/* The sockets of a node; NULL: it has none, or nothing is known. */
static inline const struct allfold_nodes *allfold_sockets_of(const struct allfold_nodes *nodes,
                                                             int node)
{
    return nodes->sockets == NULL ? NULL : nodes->sockets[node];
}

/* The sockets of each node, if all nodes have the same number of ranks in the same sockets; NULL:
 * they do not, have none, or nothing is known. */
static inline const struct allfold_nodes *allfold_sockets_of_all(const struct allfold_nodes *nodes)
{
    const struct allfold_nodes *first = allfold_sockets_of(nodes, 0);
    int node = 1;
    while (node < nodes->count && allfold_sockets_of(nodes, node) == first)
        node++;
    return node == nodes->count ? first : NULL;
}

/* Which socket of its node a rank is on; -1: the node has none, or nothing is known. */
static inline int allfold_socket_of(const struct allfold_nodes *nodes, int rank)
{
    const struct allfold_nodes *sockets = allfold_sockets_of(nodes, nodes->node_of[rank]);
    return sockets == NULL ? -1 : sockets->node_of[nodes->index_of[rank]];
}

/* The most sockets that a node has; 1: none has any, or nothing is known. */
int allfold_most_sockets(const struct allfold_nodes *nodes);

/* What algorithms see as nodes: where all ranks are on one, its sockets, if it has any. */
static inline const struct allfold_nodes *allfold_nodes_seen(const struct allfold_nodes *nodes)
{
    const bool is_one = nodes != NULL && nodes->count == 1;
    return is_one && nodes->sockets != NULL ? nodes->sockets[0] : nodes;
}

/* How many levels of groups there are above the nodes. */
static inline int allfold_group_levels(const struct allfold_nodes *nodes)
{
    int levels = 0;
    while ((nodes = nodes->groups) != NULL)
        levels++;
    return levels;
}

#endif
