/* Lanes: ranks with the same number on their nodes, and what they do in multi-lane allreduces.
 *
 * There are as many lanes as the emptiest node has ranks. On a fuller one each further rank gives
 * its vector to one that has a lane first, and gets the result at the end. */
#ifndef ALLFOLD_ALGORITHMS_LANES_H
#define ALLFOLD_ALGORITHMS_LANES_H

#include "algorithms/composed.h"

/* A rank that has a lane. */
struct lane_rank {
    const struct allfold_problem *problem;
    struct allfold_group node; /* the ranks of its node that have one */
    struct allfold_group lane;
    const struct allfold_nodes *sockets; /* of its node; NULL: it has none, or other nodes have
                                            fewer ranks, so that only some of it have a lane */
    struct allfold_span
        mine; /* what it gives: its vector, with those of the ranks that it serves */
};

/* Writes what each rank does in an allreduce that is one by lanes: `build_lane` for those that have
 * one. What it leaves in OUT is the result. It is called in a frame of the node, in which IN and
 * OUT are what they were. */
void allfold_serve_lanes(struct allfold_builder *s, const struct allfold_problem *problem,
                         void (*build_lane)(struct allfold_builder *s, const struct lane_rank *of,
                                            const struct allfold_parameters *parameters),
                         const struct allfold_parameters *parameters);

/* Block by block: the vector is cut into a block for each node, and each block into a piece for
 * each lane. In OUT, the lane's piece of block i. */
struct allfold_span allfold_lane_piece(const struct lane_rank *of, int i);

/* Room for what comes from the other ranks of the node, twice, so that two blocks may be on their
 * way. */
struct allfold_span allfold_lane_room(struct allfold_builder *s, const struct lane_rank *of);

/* Sums this lane's piece of block i over the node; returns where the sum is. */
struct allfold_span allfold_lane_sum(struct allfold_builder *s, const struct lane_rank *of,
                                     struct allfold_span room, int i);

/* Sends to the next node on the lane, and receives from the one before. */
void allfold_lane_exchange(struct allfold_builder *s, const struct lane_rank *of,
                           struct allfold_span from, struct allfold_span to);

/* All lanes' pieces of block i of OUT to all ranks of the node that have one. */
void allfold_lane_gather(struct allfold_builder *s, const struct lane_rank *of, int i);

#endif
