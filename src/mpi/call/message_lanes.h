/* Lanes: channels for the messages of a communicator's calls, so that concurrent calls do not share
 * messages.
 *
 * A lane has its own range of tags, and the first lanes have a stream of their own through the
 * node's memory. The calls of one lane run one after the other, in the same order on all ranks.
 * Messages between a pair of ranks stay in order, so a rank may start a call as soon as it has
 * ended the lane's call before. Lane 0 is for blocking calls (ALLFOLD_BLOCKING_LANE). The next
 * lanes are for nonblocking calls, which use them in turn by their sequence numbers. Each of the
 * remaining lanes belongs to one persistent plan. */
#ifndef ALLFOLD_MPI_CALL_MESSAGE_LANES_H
#define ALLFOLD_MPI_CALL_MESSAGE_LANES_H

#include "mpi/arrivals/missing_ranks.h"
#include "mpi/call/cache.h"
#include "mpi/handles/operands.h"

struct allfold_plan;

/* Lanes 1 .. ALLFOLD_COMMON_LANES are for nonblocking calls. */
enum { ALLFOLD_COMMON_LANES = 8, ALLFOLD_FIRST_OWN_LANE = ALLFOLD_COMMON_LANES + 1 };

struct allfold_lane {
    struct allfold_point_to_point transport;
    /* NULL: `transport` carries what does not go through node memory. */
    struct allfold_fabric_stream *stream;
    const int *rank_of; /* rank_of[r]: rank r's rank in the job, for `stream` */
    /* NULL: the lane has no stream through the node's memory. */
    struct allfold_shared_memory *shared;
    struct allfold_roll roll;     /* has the lane's number, and the run that was begun last */
    bool is_taken;                /* a persistent plan owns the lane */
    bool is_broken;               /* a run failed, so messages of it may still arrive */
    struct allfold_plan *running; /* NULL: no plan */
    struct allfold_plan *waiting, **last; /* nonblocking calls that wait for `running`, in order */
};

struct allfold_lanes {
    struct allfold_lane **lanes; /* by number; NULL: not made yet */
    uint32_t capacity;
};

/* Returns the lane `number`, which is made at the first request; NULL if out of memory or beyond
 * the last tag. Local. */
struct allfold_lane *allfold_lane_get(struct allfold_lanes *lanes, int number,
                                      struct allfold_communicator *state);

/* Returns the number of the first lane from `number` on that no plan owns. Local. */
int allfold_lane_free_from(const struct allfold_lanes *lanes, int number);

/* Starts a run of an entry on the lane, over `operands`, and sets the transport in the binding.
 * Otherwise like allfold_executor_start. Local. */
int allfold_lane_start(struct allfold_lane *lane, struct allfold_entry *entry,
                       const struct allfold_operands *operands, struct allfold_binding *binding);

void allfold_lanes_close(struct allfold_lanes *lanes);

#endif
