/* The canonical tree over p ranks (canonical_left, peers.h) whose nodes have hosts that change from
 * segment to segment, for reduce_rotating_tree.c. Pure functions.
 *
 * The host of a tree node has the reduction over the node's ranks. It is the host of one of the two
 * halves, to which the other half's host sends. Which half that is alternates with a bit of the
 * segment's number, a different bit for each level. The root rank hosts no node of several ranks;
 * the other half's host is used instead. */
#ifndef ALLFOLD_ALGORITHMS_ROTATING_TREE_H
#define ALLFOLD_ALGORITHMS_ROTATING_TREE_H

#include "algorithms/peers.h"
#include "algorithms/segments.h"

/* A node over ranks [lo, hi), whose second half starts at mid; the level is ceil(lg (hi - lo)). */
struct rotating_node {
    int lo, mid, hi, level;
};

/* Returns the nodes that contain rank r, the lowest level first, and their number. */
int allfold_rotating_path(int p, int r, struct rotating_node path[ALLFOLD_MAX_LOG2]);

/* Returns whether the host of the node is in its second half, for segment j. */
bool allfold_rotating_goes_right(struct rotating_node node, int root, size_t j);

/* Returns the rank that has the reduction over ranks [lo, hi) of segment j. */
int allfold_rotating_host(int lo, int hi, int root, size_t j);

/* Returns when a segment is at a level, in segments after the first one. It is later than the level
 * requires, so that a rank that hosts nodes of several levels rarely has two of them at once. */
static inline size_t allfold_rotating_time(int level)
{
    return level == 1 ? 1 : (size_t)level + 2;
}

/* Returns the vector's segments of at most `bytes` bytes; 0 uses the pipelining lemma. */
struct segments allfold_rotating_segments(const struct allfold_problem *problem, size_t bytes);

/* Returns the claim of a reduce of these segments up the tree, including the part between nodes. */
struct allfold_claim allfold_rotating_claim(const struct allfold_problem *problem,
                                            struct segments cut);

#endif
