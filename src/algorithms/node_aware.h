/* Which node exchanges with which in the node-aware parallel allreduce: Bienz et al. 2019, section
 * III, for any number of nodes. Pure functions.
 *
 * There are k = ceil(log_ppn nodes) steps. Step k's one group is all nodes. A group of v nodes at
 * step L is cut into ceil(v / ppn^(L-1)) parts of neighboring nodes, which are the groups of step
 * L-1. Sizes of parts differ by at most one, longer ones first. Before step L all nodes of a part
 * have the sum over the part; after it all nodes of the group have the group's.
 *
 * The paper's own Algorithm 1 counts the group's begin from the node and not from the group. It
 * also adds what a process received to its own. With either, contributions come more than once. */
#ifndef ALLFOLD_ALGORITHMS_NODE_AWARE_H
#define ALLFOLD_ALGORITHMS_NODE_AWARE_H

#include <stddef.h>

/* A node's place in a step. Nodes and parts are counted from 0. */
struct node_aware_step {
    int first; /* node of the group */
    int nodes; /* of the group: v */
    int parts; /* of the group: G, at most ppn */
    int part;  /* the node's: A */
    int place; /* of the node in its part: q */
};

/* ceil(log_ppn nodes), for ppn >= 2. */
int allfold_node_aware_steps(int nodes, int ppn);

/* The place of `node` in step `level`, 1 .. allfold_node_aware_steps. */
struct node_aware_step allfold_node_aware_step(int nodes, int ppn, int node, int level);

/* The parts that a group has in a step: the least and the most of its groups. */
struct node_aware_parts {
    int least, most;
};
struct node_aware_parts allfold_node_aware_parts(int nodes, int ppn, int level);

/* Vectors that a node sends, at most: one to each other part of each step, and one to a place that
 * a part lacks. */
size_t allfold_node_aware_sent(int nodes, int ppn);

/* The node at a place of a part of the same group; -1 where the part is not that long. */
int allfold_node_aware_node(const struct node_aware_step *step, int part, int place);

/* The node whose place the own part lacks and that this one serves; -1 for none. */
int allfold_node_aware_served(const struct node_aware_step *step);

#endif
