/* Placing ranks on the hosts of a described network. */
#ifndef ALLFOLD_PLACING_H
#define ALLFOLD_PLACING_H

#include <stdbool.h>
#include <stdint.h>

#include "allfold_core.h"
#include "lab/network/network.h"

/* Where the ranks are; `hosts` has the host of each node, as nodes are numbered by their ranks. */
struct allfold_tool_placed {
    const struct allfold_nodes *nodes;
    uint32_t *hosts;
};

/* Is it block, cyclic or random, maybe with :cyclic for the sockets of a node, as Slurm says it?
 * Else says so, and what is expected. */
bool allfold_tool_check_placement(const char *command, const char *how);

/* Places `ppn` ranks on each of `nodes` hosts. False with a message for the user without memory. */
bool allfold_tool_place(const char *command, const char *how, int nodes, int ppn,
                        struct allfold_tool_placed *placed);

/* Replaces *nodes by nodes that more is known of, as all below do; by NULL with a message for the
 * user without memory, and then returns false. */
bool allfold_tool_extend(const char *command, struct allfold_nodes_facts facts,
                         const struct allfold_nodes **nodes);

/* Tells the nodes that each has so many sockets, with its ranks on them in blocks, or dealt out in
 * turn where the placement has :cyclic (NULL: it has not). */
bool allfold_tool_divide(const char *command, const char *how, int sockets,
                         const struct allfold_nodes **nodes);

/* Tells the nodes what the network's graph says of them, if it has one: which groups they are in,
 * and which cables they have to each other. `hosts` has the host of each node. With NULL, node i is
 * on host i. */
bool allfold_tool_add_graph(const char *command, const struct allfold_network *network,
                            const uint32_t *hosts, const struct allfold_nodes **nodes);

/* The same, and which sockets they have in that network. */
bool allfold_tool_group(const char *command, const char *how, const struct allfold_network *network,
                        const uint32_t *hosts, const struct allfold_nodes **nodes);

/* What the algorithm, with what its parameters name, needs of the nodes where no network says it:
 * groups of two nodes each, in their order, or the cables of a torus. */
bool allfold_tool_assume_network(const char *command, const struct allfold_algorithm *algorithm,
                                 const struct allfold_parameters *parameters,
                                 const struct allfold_nodes **nodes);

void allfold_tool_placed_free(struct allfold_tool_placed *placed);

#endif
