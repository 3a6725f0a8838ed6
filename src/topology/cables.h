/* Cables: which nodes are linked directly, as in a torus, and the spanning trees that these cables
 * are dealt out to (spanning_trees.h). Immutable once made, but for the number of their owners.
 *
 * Nodes have the numbers that they have in the allfold_nodes that own the cables.
 *
 * Invariant: no cable is in two trees, and each tree spans all nodes. */
#ifndef ALLFOLD_TOPOLOGY_CABLES_H
#define ALLFOLD_TOPOLOGY_CABLES_H

#include <stdatomic.h>

#include "topology/nodes.h"

/* What trees are looked for in: it takes seconds at most, and some megabytes. */
enum {
    ALLFOLD_MOST_CABLED_NODES = 1 << 12,
    ALLFOLD_MOST_CABLES = 1 << 14,
    ALLFOLD_MOST_CABLES_OF_NODE = 32,
    ALLFOLD_MOST_TREES = ALLFOLD_MOST_CABLES_OF_NODE / 2,
    ALLFOLD_TREE_ROW = 4
};

/* A tree hangs from a node in its middle. Around it lies a row, the middle of the tree's longest
 * way.
 */
struct allfold_cable_tree {
    int *parent; /* node -> the next one to `top`; -1 at `top` */
    int *depth;  /* node -> cables to `top` */
    int top;
    int ends[2];               /* of the longest way */
    int row[ALLFOLD_TREE_ROW]; /* neighbors, one of them `top` */
    int row_length;            /* fewer where the way has no more nodes */
    int height;                /* cables from the row to what is farthest from it */
};

struct allfold_cables {
    atomic_int owners;
    int nodes, count;
    struct allfold_cable *cables; /* each one once; as listed, a < b, ascending */
    int *first;                   /* node -> where its cables begin in `at`; [nodes] is 2 count */
    int *at;                      /* numbers of cables, ascending for each node */
    int *tree_of;                 /* cable -> its tree, or -1 */
    int trees;                    /* as many as there can be; 0: the nodes are not connected */
    int most_links, most_rows;    /* of a node: cables in trees, and rows that it is in */
    struct allfold_cable_tree tree[ALLFOLD_MOST_TREES];

    /* The nodes with one rank each, whose number is the node's: what an algorithm between nodes of
     * several ranks knows of them. */
    struct allfold_nodes alone;
};

/* Lists the cables of the nodes, without any tree. False without memory. Pairs may come in any
 * order and more than once. *cables is NULL for one node, for no pair, and beyond the limits above.
 */
bool allfold_cables_list(int nodes, const struct allfold_cable *pairs, int count,
                         struct allfold_cables **cables);

/* The same cables and trees, where node v is node number[v]. Cables keep their numbers. NULL
 * without memory. */
struct allfold_cables *allfold_cables_renumber(const struct allfold_cables *cables,
                                               const int *number);

/* Makes the caller another owner of cables, which may be NULL. */
struct allfold_cables *allfold_cables_retain(struct allfold_cables *cables);

/* Frees cables, unless they have another owner; NULL is allowed. */
void allfold_cables_free(struct allfold_cables *cables);

/* The other end of a cable. */
static inline int allfold_cable_end(const struct allfold_cables *cables, int cable, int node)
{
    const struct allfold_cable *of = &cables->cables[cable];
    return of->a == node ? of->b : of->a;
}

/* How many cables lie between two nodes in a tree. */
int allfold_tree_distance(const struct allfold_cable_tree *tree, int a, int b);

/* How many cables lie between a node and the nearest one of a row of a tree. */
int allfold_tree_distance_to(const struct allfold_cable_tree *tree, const int *row, int length,
                             int node);

/* How many cables lie between a node and the one that is farthest from it in a tree. */
int allfold_tree_height_from(const struct allfold_cable_tree *tree, int node);

/* The next node on the way from a node to another one in a tree; -1: they are the same. */
int allfold_tree_next(const struct allfold_cable_tree *tree, int from, int to);

#endif
