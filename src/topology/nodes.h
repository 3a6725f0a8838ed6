/* Nodes: which ranks live where. Immutable once made (nodes_make.h); problems point to it. */
#ifndef ALLFOLD_TOPOLOGY_NODES_H
#define ALLFOLD_TOPOLOGY_NODES_H

#include "allfold_core.h"

/* How ranks are placed on nodes. One rank a node, or one node, counts as blocks. */
enum allfold_arrangement {
    ALLFOLD_IN_BLOCKS, /* each node's ranks are next to each other */
    ALLFOLD_CYCLIC,    /* the nodes get ranks in turn, except nodes that are full */
    ALLFOLD_IRREGULAR,
};

/* Ranks are those of the whole group. Nodes are numbered in the order of their lowest ranks, those
 * of `ordered` as they lie in the network. */
struct allfold_nodes {
    int count;
    int most, least; /* ranks on the fullest and on the emptiest node */
    int cores;       /* of the one machine that all nodes are on; 0: they are not, or one is */
    bool is_crowded; /* and it has fewer cores than there are ranks */
    int card_mbit;   /* a second, of each node's network card; 0: not known */
    enum allfold_arrangement arrangement;
    int *node_of;         /* rank -> node */
    int *index_of;        /* rank -> which of its node's ranks it is, from 0 */
    int *first;           /* node -> where its ranks begin in `members`; [count] is p */
    int *members;         /* ranks, node by node, ascending in each */
    int *leaders, *lasts; /* node -> its lowest rank, and its highest */

    /* Lane i is the ranks that are number i on their nodes, in the order of the nodes. */
    int *lane_first; /* lane -> where its ranks begin in lane_members; [most] is p */
    int *lane_members;

    /* All ranks by their groups, from the highest level down, then by their nodes and sockets.
     * Groups and nodes go by their lowest ranks, unless their hosts have an order of their own. */
    bool is_in_order; /* true if `along` has the ranks in the order of their numbers */
    int *along;
    int *place_of;                 /* rank -> its position in `along` */
    struct allfold_nodes *ordered; /* numbered as in `along`; NULL: these are, or unknown */

    /* The same one level up: groups of nodes, such as those below one switch. In `groups`, node_of
     * and index_of go by node. A node counts there as one rank, its lowest; `along` and place_of
     * are of no use. NULL: nothing is known. */
    struct allfold_nodes *groups;

    /* Of groups: what leads from one of them to the others of its level. Always more than 0. */
    double uplinks;      /* the rate of all links that leave a group, in cards of a node */
    double pair_uplinks; /* of those, what leads to one other group of the same next group */
    double farther_s;    /* how much later a message comes that leaves its group */

    /* The same one level down, by node: its sockets, of ranks that share a last-level cache,
     * numbered as on their node. A node has NULL where all its ranks are on one socket, or each on
     * one of its own; NULL for all: no node has any, or nobody knows. Neighbors may share them. */
    struct allfold_nodes **sockets;

    struct allfold_cables *cables; /* from node to node directly; NULL: none, or unknown */
};

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
