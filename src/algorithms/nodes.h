/* Nodes: which ranks live where. Immutable once made; problems point to it. */
#ifndef ALLFOLD_ALGORITHMS_NODES_H
#define ALLFOLD_ALGORITHMS_NODES_H

#include <stdint.h>

/* How ranks are dealt out to nodes. One rank a node, or one node, is in blocks. */
enum allfold_arrangement {
    ALLFOLD_IN_BLOCKS, /* each node's ranks are next to each other */
    ALLFOLD_CYCLIC,    /* to the nodes in turn, leaving out those that are full */
    ALLFOLD_IRREGULAR,
};

/* Ranks are those of the whole group. Nodes are numbered in the order of their lowest ranks. */
struct allfold_nodes {
    int count;
    int most;  /* ranks on the fullest node */
    int least; /* ranks on the emptiest node */
    enum allfold_arrangement arrangement;
    int *node_of;  /* rank -> node */
    int *index_of; /* rank -> which of its node's ranks it is, from 0 */
    int *first;    /* node -> where its ranks begin in `members`; [count] is p */
    int *members;  /* ranks, node by node, ascending in each */
    int *leaders;  /* node -> its lowest rank */

    /* Lane i is the ranks that are number i on their nodes, in the order of these. */
    int *lane_first; /* lane -> where its ranks begin in lane_members; [most] is p */
    int *lane_members;
};

/* Makes the nodes of p ranks, of which those with the same key share one; NULL without memory.
 * Freed with allfold_nodes_free. */
struct allfold_nodes *allfold_nodes_make(const int64_t *keys, int p);
void allfold_nodes_free(struct allfold_nodes *nodes);

static inline int allfold_node_size(const struct allfold_nodes *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/* The rank with number i on a node. */
static inline int allfold_rank_on(const struct allfold_nodes *nodes, int node, int i)
{
    return nodes->members[nodes->first[node] + i];
}

/* Are each node's ranks next to each other? */
static inline int allfold_nodes_are_blocks(const struct allfold_nodes *nodes)
{
    return nodes->arrangement == ALLFOLD_IN_BLOCKS;
}

#endif
