/* Nodes with one rank each, as an algorithm between nodes of several ranks sees them. */
#ifndef ALLFOLD_TOPOLOGY_SINGLE_RANK_NODES_H
#define ALLFOLD_TOPOLOGY_SINGLE_RANK_NODES_H

#include "allfold_core.h"

/* `count` nodes, in which a rank's number is its node's. They keep their numbers in `room`, are not
 * freed, and know neither groups nor cables. */
struct allfold_nodes allfold_nodes_alone(int count, int *room);

/* How many numbers the room has to have. */
static inline size_t allfold_alone_room(int count)
{
    return 2 * (size_t)count + 3;
}

#endif
