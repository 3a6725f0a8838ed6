/* Which node exchanges with which in the node-aware parallel allreduce (NAP) of Bienz et al. 2019,
 * section III, here for any number of nodes. Pure functions.
 *
 * There are k = ceil(log_ppn nodes) steps. The only group of step k contains all nodes. A group of
 * v nodes at step L is divided into ceil(v / ppn^(L-1)) parts of neighboring nodes, which are the
 * groups of step L-1. The sizes of the parts differ by at most one, larger ones first. Before step
 * L all nodes of a part have the sum over the part; after it all nodes of the group have the sum
 * over the group.
 *
 * The paper's own Algorithm 1 counts the start of a group from the node and not from the group. It
 * also adds what a process received to its own contribution. With either, contributions are added
 * more than once. */
#ifndef ALLFOLD_ALGORITHMS_NODE_AWARE_H
#define ALLFOLD_ALGORITHMS_NODE_AWARE_H

#include <stddef.h>

/* The position of a node in a step. Nodes and parts are counted from 0. */
struct node_aware_step {
    int first; /* first node of the group */
    int nodes; /* nodes in the group: v */
    int parts; /* parts of the group: G, at most ppn */
    int part;  /* the part of the node: A */
    int place; /* position of the node in its part: q */
};

/* Returns the number of steps, ceil(log_ppn nodes), for ppn >= 2. */
int allfold_node_aware_steps(int nodes, int ppn);

/* Returns the group and the part of `node` in step `level`, 1 to allfold_node_aware_steps. */
struct node_aware_step allfold_node_aware_step(int nodes, int ppn, int node, int level);

/* The minimum and maximum number of parts over the groups of a step. */
struct node_aware_parts {
    int least, most;
};

/* Returns the minimum and maximum number of parts of a group in step `level`, over all groups. A
 * part is what the paper calls a subgroup: nodes that have the same partial sum. */
struct node_aware_parts allfold_node_aware_parts(int nodes, int ppn, int level);

/* Returns the maximum number of vectors that a node sends: one to each other part in each step, and
 * one to the node that allfold_node_aware_served returns. */
size_t allfold_node_aware_sent(int nodes, int ppn);

/* Returns the node at position `place` of a part of the same group; -1 if the part is shorter. */
int allfold_node_aware_node(const struct node_aware_step *step, int part, int place);

/* Returns the node of a longer part that this node serves instead of a node that its own, shorter
 * part lacks; -1 if there is none. */
int allfold_node_aware_served(const struct node_aware_step *step);

#endif
