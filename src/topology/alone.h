/* Nodes with one rank each, as an algorithm between nodes of several ranks sees them. */
#ifndef ALLFOLD_TOPOLOGY_ALONE_H
#define ALLFOLD_TOPOLOGY_ALONE_H

#include "allfold_core.h"

/* So many of them, where a rank's number is its node's. They keep their numbers in `room`, are not
 * freed, and know neither groups nor cables. */
struct allfold_nodes allfold_nodes_alone(int count, int *room);

/* How many numbers the room has to have. */
static inline size_t allfold_alone_room(int count)
{
    return 2 * (size_t)count + 3;
}

#endif
