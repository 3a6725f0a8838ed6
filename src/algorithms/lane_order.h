/* The order of blocks by lanes: those of lane 0 in the order of its ranks, then those of lane 1,
 * and so on. A lane consists of the ranks with the same local index on their nodes. All nodes must
 * have the same number of ranks.
 *
 * Invariant: if the ranks are placed on the nodes cyclically, the blocks are already in that order.
 */
#ifndef ALLFOLD_ALGORITHMS_LANE_ORDER_H
#define ALLFOLD_ALGORITHMS_LANE_ORDER_H

#include "algorithms/algorithm.h"

/* The order, as this rank needs it, also for blocks of different lengths. Lengths are in elements.
 */
struct lane_order {
    const struct allfold_problem *problem;
    size_t begin, length; /* of this rank's lane */
    const size_t *lanes; /* the offset of each lane, and at the end the vector's length; NULL if all
                            blocks have the same length */
    /* The offset of each node's block in this rank's lane, in the same format. */
    const size_t *nodes;
    size_t *room;
};

/* Computes the order. If out of memory, it reports that to the builder and returns false. */
bool allfold_lane_order_make(struct allfold_builder *s, const struct allfold_problem *problem,
                             struct lane_order *order);

/* Frees the memory of the order. */
void allfold_lane_order_free(struct lane_order *order);

/* Returns the span of a buffer's vector in the order by lanes: the buffer itself if it is in that
 * order, otherwise a new scratch buffer. */
struct allfold_span allfold_by_lanes(struct allfold_builder *s, const struct lane_order *order,
                                     int buffer);

/* Copies the blocks of the buffer into the order by lanes. */
void allfold_to_lanes(struct allfold_builder *s, const struct lane_order *order, int buffer,
                      struct allfold_span by_lanes);

/* Copies the blocks from the order by lanes back into the buffer. */
void allfold_from_lanes(struct allfold_builder *s, const struct lane_order *order, int buffer,
                        struct allfold_span by_lanes);

/* Returns the number of elements that one of these copies copies. */
size_t allfold_lane_copies(const struct allfold_problem *problem);

/* Returns the maximum number of elements of a lane. */
size_t allfold_longest_lane(const struct allfold_problem *problem);

#endif
