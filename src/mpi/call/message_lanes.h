/* Lanes: the part of a communicator's messages that concurrent calls must not share.
 *
 * A lane has a range of tags of its own, and the first ones a stream of their own through the
 * node's memory. The calls of one lane go one after the other, in the same order on all ranks.
 * Messages of a pair stay in order, so a rank may start a call once it has ended the lane's call
 * before. Lane 0 is for blocking calls (ALLFOLD_BLOCKING_LANE). The next lanes are for nonblocking
 * calls, by their sequence numbers. Each of the others belongs to one persistent plan. */
#ifndef ALLFOLD_MPI_CALL_MESSAGE_LANES_H
#define ALLFOLD_MPI_CALL_MESSAGE_LANES_H

#include "mpi/arrivals/arrivals.h"
#include "mpi/call/cache.h"
#include "mpi/handles/operands.h"

struct allfold_plan;

/* Lanes 1 .. ALLFOLD_COMMON_LANES are for nonblocking calls. */
enum { ALLFOLD_COMMON_LANES = 8, ALLFOLD_FIRST_OWN_LANE = ALLFOLD_COMMON_LANES + 1 };

struct allfold_lane {
    struct allfold_point_to_point transport;
    struct allfold_fabric_stream *stream; /* NULL: `transport` carries what node memory does not */
    const int *rank_of;                   /* in the job, for the stream */
    struct allfold_shared_memory *shared; /* NULL: no stream through the node's memory */
    struct allfold_roll roll;             /* of its number, and the run that was begun last */
    bool is_taken;                        /* by a persistent plan */
    bool is_broken;                       /* a run failed: messages may have been left behind */
    struct allfold_plan *running;         /* NULL: none */
    struct allfold_plan *waiting, **last; /* nonblocking calls that follow, in order */
};

struct allfold_lanes {
    struct allfold_lane **lanes; /* by number; NULL where there was none yet */
    uint32_t capacity;
};

/* The lane of that number, which is made where there is none; NULL without memory or past the last
 * tag. Local. */
struct allfold_lane *allfold_lane_get(struct allfold_lanes *lanes, int number,
                                      struct allfold_communicator *state);

/* The first lane from `number` on that no plan has. Local. */
int allfold_lane_free_from(const struct allfold_lanes *lanes, int number);

/* Starts a run of an entry on the lane, over such operands, and says in the binding by which
 * transport. Like allfold_executor_start. Local. */
int allfold_lane_start(struct allfold_lane *lane, struct allfold_entry *entry,
                       const struct allfold_operands *operands, struct allfold_binding *binding);

void allfold_lanes_close(struct allfold_lanes *lanes);

#endif
