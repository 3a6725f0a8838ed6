/* Nodes: the placement of ranks on nodes, on sockets of nodes, and in groups of nodes. Immutable
 * once made (nodes_make.h); problems point to them. */
#ifndef ALLFOLD_TOPOLOGY_NODES_H
#define ALLFOLD_TOPOLOGY_NODES_H

#include "allfold_core.h"

/* Arrangement of ranks on nodes. One rank per node, and a single node, count as blocks. */
enum allfold_arrangement {
    ALLFOLD_IN_BLOCKS, /* each node's ranks are consecutive */
    ALLFOLD_CYCLIC,    /* the nodes get ranks in turn, except for full nodes */
    ALLFOLD_IRREGULAR,
};

/* Ranks are those of the whole group. Nodes are numbered in the order of their lowest ranks; the
 * nodes of `ordered` in their order in the network. */
struct allfold_nodes {
    int count;
    int most, least; /* maximum and minimum number of ranks of a node */
    int cores;       /* number of cores, if all of several nodes are on one machine; otherwise 0 */
    bool is_crowded; /* `cores` is less than the number of ranks */
    int card_mbit;   /* rate of each node's network card in Mbit/s; 0: unknown */
    enum allfold_arrangement arrangement;
    int *node_of;         /* rank -> node */
    int *index_of;        /* rank -> its index among its node's ranks, from 0 */
    int *first;           /* CSR offsets: node -> its first rank in `members`; [count] is p */
    int *members;         /* CSR: ranks by node, in ascending order on each node */
    int *leaders, *lasts; /* node -> its lowest rank, and its highest */

    /* Lane i has the ranks with index i on their nodes, in the order of the nodes. */
    int *lane_first; /* CSR offsets: lane -> its first rank in lane_members; [most] is p */
    int *lane_members;

    /* All ranks in the order of their groups, from the highest level down, then of their nodes and
     * sockets. Groups and nodes are in the order of their lowest ranks, unless the hosts have an
     * order. */
    bool is_in_order; /* `along` has the ranks in ascending order */
    int *along;
    int *place_of;                 /* rank -> its position in `along` */
    struct allfold_nodes *ordered; /* the nodes numbered as in `along`; NULL: they already are, or
                                      the order is unknown */

    /* Groups of nodes, such as the nodes below one switch: this structure one level up. In
     * `groups`, node_of and index_of are indexed by node. A node is one rank there, its lowest;
     * `along` and place_of are not used. NULL: unknown. */
    struct allfold_nodes *groups;

    /* For groups: the links from a group to the other groups of its level. Always positive. */
    double uplinks; /* rate of all links that leave a group, in units of a node's network card */
    double pair_uplinks; /* rate of the links to one other group of the same upper group */
    double farther_s;    /* additional latency of a message that leaves its group */

    /* node -> its sockets: this structure one level down. A socket has the ranks that share a
     * last-level cache; they have their indices on the node. A node has NULL if all its ranks are
     * on one socket, or each is on its own socket; NULL for all: no node has sockets, or they are
     * unknown. Consecutive nodes may share their sockets. */
    struct allfold_nodes **sockets;

    struct allfold_cables *cables; /* direct links between nodes; NULL: none, or unknown */
};

static inline int allfold_node_size(const struct allfold_nodes *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/* Returns whether all nodes have the same number of ranks. */
static inline bool allfold_nodes_are_like(const struct allfold_nodes *nodes)
{
    return nodes->least == nodes->most;
}

/* Returns the rank with index i on a node. */
static inline int allfold_rank_on(const struct allfold_nodes *nodes, int node, int i)
{
    return nodes->members[nodes->first[node] + i];
}

/* Returns whether each node's ranks are consecutive. */
static inline bool allfold_nodes_are_blocks(const struct allfold_nodes *nodes)
{
    return nodes->arrangement == ALLFOLD_IN_BLOCKS;
}

/* Returns whether the ranks of each node, and of each group of every level, are consecutive. */
static inline bool allfold_nodes_are_nested_blocks(const struct allfold_nodes *nodes)
{
    while (nodes != NULL && allfold_nodes_are_blocks(nodes))
        nodes = nodes->groups;
    return nodes == NULL;
}

/* Returns the lowest level that two ranks share: 0 is a node, 1 a group of nodes, and so on. */
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

/* Returns the maximum number of nodes of a group on a level; level 0 is the lowest. */
int allfold_most_nodes(const struct allfold_nodes *nodes, int level);

/* Returns the sockets of a node; NULL if it has no sockets, or they are unknown. */
static inline const struct allfold_nodes *allfold_sockets_of(const struct allfold_nodes *nodes,
                                                             int node)
{
    return nodes->sockets == NULL ? NULL : nodes->sockets[node];
}

/* Returns the sockets that all nodes have in common: the same ranks by index in the same sockets.
 * NULL if there are none, or they are unknown. */
static inline const struct allfold_nodes *allfold_sockets_of_all(const struct allfold_nodes *nodes)
{
    const struct allfold_nodes *first = allfold_sockets_of(nodes, 0);
    int node = 1;
    while (node < nodes->count && allfold_sockets_of(nodes, node) == first)
        node++;
    return node == nodes->count ? first : NULL;
}

/* Returns the socket of a rank on its node; -1 if the node has no sockets, or they are unknown. */
static inline int allfold_socket_of(const struct allfold_nodes *nodes, int rank)
{
    const struct allfold_nodes *sockets = allfold_sockets_of(nodes, nodes->node_of[rank]);
    return sockets == NULL ? -1 : sockets->node_of[nodes->index_of[rank]];
}

/* Returns the maximum number of sockets of a node; 1 if no node has any, or they are unknown. */
int allfold_most_sockets(const struct allfold_nodes *nodes);

/* Returns the nodes that algorithms use: the sockets, if all ranks are on one node with sockets. */
static inline const struct allfold_nodes *allfold_nodes_seen(const struct allfold_nodes *nodes)
{
    const bool is_one = nodes != NULL && nodes->count == 1;
    return is_one && nodes->sockets != NULL ? nodes->sockets[0] : nodes;
}

/* Returns the number of levels of groups above the nodes. */
static inline int allfold_group_levels(const struct allfold_nodes *nodes)
{
    int levels = 0;
    while ((nodes = nodes->groups) != NULL)
        levels++;
    return levels;
}

#endif
