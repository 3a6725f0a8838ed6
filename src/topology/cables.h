/* Cables: direct links between nodes, as in a torus, and the edge-disjoint spanning trees of their
 * graph (spanning_trees.h). Immutable once made, except for the reference count.
 *
 * Nodes have their numbers in the allfold_nodes that own the cables.
 *
 * Invariant: a cable is in at most one tree, and each tree spans all nodes. */
#ifndef ALLFOLD_TOPOLOGY_CABLES_H
#define ALLFOLD_TOPOLOGY_CABLES_H

#include <stdatomic.h>

#include "topology/nodes.h"

/* Limits of the search for trees, so that it takes seconds and some megabytes. */
enum {
    ALLFOLD_MOST_CABLED_NODES = 1 << 12,
    ALLFOLD_MOST_CABLES = 1 << 14,
    ALLFOLD_MOST_CABLES_OF_NODE = 32,
    ALLFOLD_MOST_TREES = ALLFOLD_MOST_CABLES_OF_NODE / 2,
    ALLFOLD_TREE_ROW = 4
};

/* A spanning tree, rooted at a node in its middle. Its center path is the middle part of its
 * longest path. */
struct allfold_cable_tree {
    int *parent; /* node -> next node on the path to `top`; -1 for `top` */
    int *depth;  /* node -> number of cables on the path to `top` */
    int top;
    int ends[2];               /* ends of the longest path */
    int row[ALLFOLD_TREE_ROW]; /* center path: consecutive nodes, one of them `top` */
    int row_length;            /* less than ALLFOLD_TREE_ROW if the longest path has fewer nodes */
    int height;                /* maximum number of cables from the center path to a node */
};

struct allfold_cables {
    atomic_int owners;
    int nodes, count;
    struct allfold_cable *cables; /* without duplicates; if made by allfold_cables_list, a < b and
                                     in ascending order */
    int *first;   /* CSR offsets: node -> its first cable in `at`; [nodes] is 2 count */
    int *at;      /* CSR: for each node the numbers of its cables, in ascending order */
    int *tree_of; /* cable -> its tree, or -1 */
    int trees;    /* the maximum number of trees; 0: the nodes are not connected */
    int most_links, most_rows; /* maximum over the nodes: cables in trees, and center paths that
                                  include the node */
    struct allfold_cable_tree tree[ALLFOLD_MOST_TREES];

    /* The same nodes with one rank each, whose number is that of its node: the placement for an
     * algorithm between nodes with several ranks each. */
    struct allfold_nodes alone;
};

/* Lists the cables of the nodes, without trees. `pairs` may have any order and duplicates. *cables
 * is NULL for one node, for no pair, and beyond the limits above. Returns false if out of memory.
 * The caller frees *cables with allfold_cables_free. */
bool allfold_cables_list(int nodes, const struct allfold_cable *pairs, int count,
                         struct allfold_cables **cables);

/* Returns a copy of the cables and trees in which node v has number number[v]. Cables keep their
 * numbers. Returns NULL if out of memory. The caller frees the copy with allfold_cables_free. */
struct allfold_cables *allfold_cables_renumber(const struct allfold_cables *cables,
                                               const int *number);

/* Increments the reference count of cables, and returns them. NULL is allowed. Thread-safe. */
struct allfold_cables *allfold_cables_retain(struct allfold_cables *cables);

/* Decrements the reference count of cables, and frees them if it is 0. NULL is allowed.
 * Thread-safe. */
void allfold_cables_free(struct allfold_cables *cables);

/* Returns the end of a cable that is not `node`. */
static inline int allfold_cable_end(const struct allfold_cables *cables, int cable, int node)
{
    const struct allfold_cable *of = &cables->cables[cable];
    return of->a == node ? of->b : of->a;
}

/* Returns the number of cables on the path between two nodes in a tree. */
int allfold_tree_distance(const struct allfold_cable_tree *tree, int a, int b);

/* Returns the number of cables on the path from a node to the nearest node of `row`, a path of
 * `length` nodes in the tree. */
int allfold_tree_distance_to(const struct allfold_cable_tree *tree, const int *row, int length,
                             int node);

/* Returns the number of cables on the path from a node to the node that is farthest from it in a
 * tree. */
int allfold_tree_height_from(const struct allfold_cable_tree *tree, int node);

/* Returns the next node on the path from `from` to `to` in a tree; -1 if they are the same. */
int allfold_tree_next(const struct allfold_cable_tree *tree, int from, int to);

#endif
