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

/* How many nodes the fullest group of a level has, from 0. */
int allfold_most_nodes(const struct allfold_nodes *nodes, int level);

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
