/* Lanes: ranks with the same number on their nodes, and what they do in the multi-lane allreduce.
 */
#ifndef ALLFOLD_ALGORITHMS_LANES_H
#define ALLFOLD_ALGORITHMS_LANES_H

#include "algorithms/composed.h"

struct lane_parts {
    const struct allfold_algorithm *scatter, *allreduce, *gather;
};

/* Takes the vectors of the ranks of the node, of which `lanes` have a lane, that are this one's to
 * serve; returns the sum. In a frame of the node. */
struct allfold_span allfold_take_others(struct allfold_builder *s, const struct allfold_group *node,
                                        int lanes, size_t n);

/* What a rank with a lane does, `mine` being what it gives: OUT is the result. */
void allfold_build_lane(struct allfold_builder *s, const struct allfold_problem *problem,
                        const struct lane_parts *parts, struct allfold_group node,
                        struct allfold_span mine);

#endif
