/* The canonical tree over p ranks (canonical_left, peers.h), in which the rank that reduces changes
 * from segment to segment, for reduce_rotating_tree.c. Pure functions.
 *
 * A vertex of the tree stands for consecutive ranks, which its two halves divide. The host of a
 * vertex is the rank that computes the reduction over the ranks of the vertex. It is the host of
 * one of the two halves; the host of the other half sends its reduction to it. Which half has the
 * host depends on a bit of the segment's number, a different bit for each level. The root rank is
 * never the host of a vertex of several ranks: then the host of the half without the root is used.
 */
#ifndef ALLFOLD_ALGORITHMS_ROTATING_TREE_H
#define ALLFOLD_ALGORITHMS_ROTATING_TREE_H

#include "algorithms/peers.h"
#include "algorithms/segments.h"

/* A vertex over ranks [lo, hi), whose second half starts at `mid`; `level` is ceil(lg (hi - lo)).
 */
struct rotating_node {
    int lo, mid, hi, level;
};

/* Writes the vertices that contain rank r to `path`, lowest level first. Returns their number. */
int allfold_rotating_path(int p, int r, struct rotating_node path[ALLFOLD_MAX_LOG2]);

/* Returns whether the host of a vertex is in its second half, for segment j. */
bool allfold_rotating_goes_right(struct rotating_node node, int root, size_t j);

/* Returns the host of the vertex over ranks [lo, hi) for segment j. */
int allfold_rotating_host(int lo, int hi, int root, size_t j);

/* Returns the delay between the start of a segment and its reduction on a level; the unit is the
 * time from one segment to the next. From level 2 on the delay is 2 longer than the data requires,
 * so that a rank that is host on several levels rarely has to reduce two segments at once. */
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
