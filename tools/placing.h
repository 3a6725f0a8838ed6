/* Places ranks on the hosts of a described network (block, cyclic, random), and adds what the
 * network says about the nodes: groups, cables, sockets. */
#ifndef ALLFOLD_PLACING_H
#define ALLFOLD_PLACING_H

#include <stdbool.h>
#include <stdint.h>

#include "allfold_core.h"
#include "lab/network/network.h"

/* A placement. hosts[i] is the host of node i; nodes are numbered in the order of their lowest
 * ranks. */
struct allfold_tool_placed {
    const struct allfold_nodes *nodes;
    uint32_t *hosts;
};

/* Returns whether `how` is block, cyclic or random, optionally with :cyclic for the sockets of a
 * node, as in Slurm. If not, prints a message with what is expected. */
bool allfold_tool_check_placement(const char *command, const char *how);

/* Places `ppn` ranks on each of `nodes` hosts. Prints a message and returns false if out of
 * memory. */
bool allfold_tool_place(const char *command, const char *how, int nodes, int ppn,
                        struct allfold_tool_placed *placed);

/* Replaces *nodes by nodes of which more is known, as all functions below do. If out of memory, it
 * prints a message, sets *nodes to NULL, and returns false. */
bool allfold_tool_extend(const char *command, struct allfold_nodes_facts facts,
                         const struct allfold_nodes **nodes);

/* Divides each node into `sockets` sockets: its ranks are on them in blocks, or in turn if `how`
 * has :cyclic. `how` may be NULL. Prints a message and returns false if out of memory. */
bool allfold_tool_divide(const char *command, const char *how, int sockets,
                         const struct allfold_nodes **nodes);

/* Adds to the nodes what the network's graph says, if it has one: which groups they are in, and
 * which cables they have to each other. hosts[i] is the host of node i; if `hosts` is NULL, node i
 * is on host i. Prints a message and returns false if out of memory. */
bool allfold_tool_add_graph(const char *command, const struct allfold_network *network,
                            const uint32_t *hosts, const struct allfold_nodes **nodes);

/* Like allfold_tool_add_graph; also divides the nodes into the network's sockets. */
bool allfold_tool_group(const char *command, const char *how, const struct allfold_network *network,
                        const uint32_t *hosts, const struct allfold_nodes **nodes);

/* Adds what the algorithm, or an algorithm that its parameters name, needs if no network describes
 * it: groups of two nodes each, in their order, or the cables of a torus. */
bool allfold_tool_assume_network(const char *command, const struct allfold_algorithm *algorithm,
                                 const struct allfold_parameters *parameters,
                                 const struct allfold_nodes **nodes);

void allfold_tool_placed_free(struct allfold_tool_placed *placed);

#endif
