/* The shared code of allreduces by lanes. A lane consists of the ranks with the same local index on
 * their nodes.
 *
 * There are as many lanes as the node with the fewest ranks has ranks. On other nodes each further
 * rank first sends its vector to a rank that has a lane, and receives the result at the end. */
#ifndef ALLFOLD_ALGORITHMS_LANE_ALLREDUCE_H
#define ALLFOLD_ALGORITHMS_LANE_ALLREDUCE_H

#include "algorithms/composed.h"

/* A rank that has a lane. */
struct lane_rank {
    const struct allfold_problem *problem;
    struct allfold_group node; /* the ranks of its node that have a lane */
    struct allfold_group lane;
    /* Of its node; NULL: there are none, or other nodes have fewer ranks, so that only some
     * ranks of this node have a lane. */
    const struct allfold_nodes *sockets;
    struct allfold_span mine; /* its contribution: its vector, reduced with those of the ranks that
                                 send theirs to it */
};

/* Writes an allreduce by lanes: `build_lane` writes the program of ranks that have a lane. It must
 * leave the result in OUT. It is called in a frame of the node, in which IN and OUT are unchanged.
 */
void allfold_serve_lanes(struct allfold_builder *s, const struct allfold_problem *problem,
                         void (*build_lane)(struct allfold_builder *s, const struct lane_rank *of,
                                            const struct allfold_parameters *parameters),
                         const struct allfold_parameters *parameters);

/* Returns the lane's piece of block i in OUT: the vector is divided into one block per node, and
 * each block into one piece per lane. */
struct allfold_span allfold_lane_piece(const struct lane_rank *of, int i);

/* Returns scratch memory for the contributions of the other ranks of the node, for two blocks in
 * flight. */
struct allfold_span allfold_lane_room(struct allfold_builder *s, const struct lane_rank *of);

/* Sums this lane's piece of block i over the node, and returns where the sum is. */
struct allfold_span allfold_lane_sum(struct allfold_builder *s, const struct lane_rank *of,
                                     struct allfold_span room, int i);

/* Sends to the next node on the lane, and receives from the previous one. */
void allfold_lane_exchange(struct allfold_builder *s, const struct lane_rank *of,
                           struct allfold_span from, struct allfold_span to);

/* Sends all lanes' pieces of block i of OUT to all ranks of the node that have a lane. */
void allfold_lane_gather(struct allfold_builder *s, const struct lane_rank *of, int i);

#endif
