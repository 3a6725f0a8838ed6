/* The canonical tree over p ranks (canonical_left, peers.h), whose nodes have hosts that change
 * from segment to segment. Pure functions.
 *
 * The host of a node has the reduction over the node's ranks. It is the host of one of the two
 * halves, to which the other half's host sends. Which half that is changes with a bit of the
 * segment's number, another one for each level. The root hosts no node of several ranks: over it,
 * the other half's host is taken. */
#ifndef ALLFOLD_ALGORITHMS_ROTATING_TREE_H
#define ALLFOLD_ALGORITHMS_ROTATING_TREE_H

#include "algorithms/peers.h"
#include "algorithms/segments.h"

/* Ranks lo .. hi-1, of which mid is the first of the second half; the level is ceil(lg (hi - lo)).
 */
struct rotating_node {
    int lo, mid, hi, level;
};

/* The nodes over rank r, the lowest first; returns how many. */
int allfold_rotating_path(int p, int r, struct rotating_node path[ALLFOLD_MAX_LOG2]);

/* Is the host of the node in its second half, for segment j? */
bool allfold_rotating_goes_right(struct rotating_node node, int root, size_t j);

/* Who has the reduction over ranks lo .. hi-1 of segment j. */
int allfold_rotating_host(int lo, int hi, int root, size_t j);

/* When a segment is at a level, in segments after the first: later than the level asks for, so that
 * a rank which is host of several levels seldom has two of them at once. */
static inline size_t allfold_rotating_time(int level)
{
    return level == 1 ? 1 : (size_t)level + 2;
}

/* The vector's segments of `bytes` bytes; 0 takes the pipelining lemma's. */
struct segments allfold_rotating_segments(const struct allfold_problem *problem, size_t bytes);

/* What a reduce of these segments up the tree takes, and what of it goes between nodes. */
struct allfold_claim allfold_rotating_claim(const struct allfold_problem *problem,
                                            struct segments cut);

#endif
