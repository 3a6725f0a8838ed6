/* Nodes: which ranks live where. Immutable once made; problems point to it. */
#ifndef ALLFOLD_ALGORITHMS_NODES_H
#define ALLFOLD_ALGORITHMS_NODES_H

#include "allfold_core.h"

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
