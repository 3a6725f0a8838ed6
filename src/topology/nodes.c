/* Queries of nodes (see nodes.h). */
#include "topology/nodes.h"

/* Returns the group of a node on a level; level 0 is the lowest. */
static int group_of(const struct allfold_nodes *nodes, int node, int level)
{
    for (const struct allfold_nodes *at = nodes->groups; level >= 0; level--, at = at->groups)
        node = at->node_of[node];
    return node;
}

int allfold_most_nodes(const struct allfold_nodes *nodes, int level)
{
    const int p = nodes->first[nodes->count];
    int most = 0, size = 0, last_node = -1, last_group = -1;
    for (int i = 0; i < p; i++) {
        const int node = nodes->node_of[nodes->along[i]];
        if (node == last_node)
            continue;
        const int group = group_of(nodes, node, level);
        size = group == last_group ? size + 1 : 1;
        most = size > most ? size : most;
        last_node = node;
        last_group = group;
    }
    return most;
}

int allfold_most_sockets(const struct allfold_nodes *nodes)
{
    int most = 1;
    for (int n = 0; n < nodes->count; n++) {
        const struct allfold_nodes *sockets = allfold_sockets_of(nodes, n);
        most = sockets != NULL && sockets->count > most ? sockets->count : most;
    }
    return most;
}

int allfold_nodes_count(const struct allfold_nodes *nodes)
{
    return nodes->count;
}

int allfold_nodes_find(const struct allfold_nodes *nodes, int rank)
{
    return nodes->node_of[rank];
}

const int *allfold_nodes_ranks(const struct allfold_nodes *nodes, int node, int *count)
{
    *count = allfold_node_size(nodes, node);
    return nodes->members + nodes->first[node];
}

const struct allfold_nodes *allfold_nodes_groups(const struct allfold_nodes *nodes)
{
    return nodes->groups;
}

const struct allfold_nodes *allfold_nodes_sockets(const struct allfold_nodes *nodes, int node)
{
    return allfold_sockets_of(nodes, node);
}
