/* Placing ranks on the hosts of a described network. */
#ifndef ALLFOLD_TOOLS_PLACING_H
#define ALLFOLD_TOOLS_PLACING_H

#include <stdbool.h>
#include <stdint.h>

#include "allfold_core.h"
#include "model/network/network.h"

/* Where the ranks are; `hosts` has the host of each node, as nodes are numbered by their ranks. */
struct allfold_tool_placed {
    struct allfold_nodes *nodes;
    uint32_t *hosts;
};

/* Is it block, cyclic or random, maybe with :cyclic for the sockets of a node, as Slurm says it?
 * Else says so, and what is expected. */
bool allfold_tool_check_placement(const char *command, const char *how);

/* Places `ppn` ranks on each of `nodes` hosts. False with a message for the user without memory. */
bool allfold_tool_place(const char *command, const char *how, int nodes, int ppn,
                        struct allfold_tool_placed *placed);

/* Tells the nodes that each has so many sockets, with its ranks on them in blocks, or dealt out in
 * turn where the placement has :cyclic (NULL: it has not). False with a message for the user
 * without memory. */
bool allfold_tool_divide(const char *command, const char *how, int sockets,
                         struct allfold_nodes *nodes);

/* Tells the nodes which sockets they have, and which groups they are in by the network's graph, if
 * it has one. `hosts` has the host of each node. With NULL, node i is on host i. False with a
 * message for the user without memory. */
bool allfold_tool_group(const char *command, const char *how, const struct allfold_network *network,
                        const uint32_t *hosts, struct allfold_nodes *nodes);

/* Where the algorithm needs groups and no network says them: two nodes each, in their order. */
bool allfold_tool_group_by_two(const char *command, const struct allfold_algorithm *algorithm,
                               struct allfold_nodes *nodes);

void allfold_tool_placed_free(struct allfold_tool_placed *placed);

#endif
