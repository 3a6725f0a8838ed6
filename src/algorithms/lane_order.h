/* Blocks in the order of the lanes: those of lane 0 as its ranks are, then those of lane 1, and so
 * on. A lane is the ranks with the same number on their nodes, which have as many ranks each.
 *
 * Invariant: if the ranks are dealt out to the nodes, they are in that order already. */
#ifndef ALLFOLD_ALGORITHMS_LANE_ORDER_H
#define ALLFOLD_ALGORITHMS_LANE_ORDER_H

#include "algorithms/algorithm.h"

/* What this rank knows of it, also of blocks that differ. Lengths are in elements. */
struct lane_order {
    const struct allfold_problem *problem;
    size_t begin, length; /* of this rank's lane */
    const size_t *lanes;  /* where each lane begins, and last the vector's length; NULL where all
                             blocks have one length */
    const size_t *nodes;  /* the same of each node's block in this rank's lane */
    size_t *room;
};

/* Without memory it says so to the builder and returns false. */
bool allfold_lane_order_make(struct allfold_builder *s, const struct allfold_problem *problem,
                             struct lane_order *order);
void allfold_lane_order_free(struct lane_order *order);

/* The vector of that buffer in the order of the lanes: itself, if it is in that order, or room for
 * it. */
struct allfold_span allfold_by_lanes(struct allfold_builder *s, const struct lane_order *order,
                                     int buffer);

/* Copies the blocks of the buffer there, or back. */
void allfold_to_lanes(struct allfold_builder *s, const struct lane_order *order, int buffer,
                      struct allfold_span by_lanes);
void allfold_from_lanes(struct allfold_builder *s, const struct lane_order *order, int buffer,
                        struct allfold_span by_lanes);

/* The elements that are copied there, or back. */
size_t allfold_lane_copies(const struct allfold_problem *problem);

/* The most elements that a lane has. */
size_t allfold_longest_lane(const struct allfold_problem *problem);

#endif
