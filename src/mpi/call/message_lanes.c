/* Lanes of a communicator's messages (see message_lanes.h). */
#include "mpi/call/message_lanes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* What carries messages of contiguous elements to ranks beyond node memory. */
static struct allfold_transport *beyond(struct allfold_lane *lane)
{
    return lane->stream == NULL ? &lane->transport.transport
                                : allfold_fabric_transport(lane->stream);
}

static struct allfold_lane *make(int number, struct allfold_communicator *state)
{
    const struct allfold_node *node = state->carrier.node;
    struct allfold_lane *lane = allfold_allocate_zeroed(sizeof *lane);
    if (lane == NULL)
        return NULL;
    lane->last = &lane->waiting;
    bool is_made = allfold_point_to_point_open(&lane->transport, state->carrier.comm, number);
    if (is_made && state->carrier.stream != NULL) {
        lane->stream = allfold_communicator_stream(state, number);
        lane->rank_of = state->members;
        is_made = lane->stream != NULL;
    }
    if (is_made && node->shared != NULL && number <= node->streams) {
        lane->shared = allfold_node_stream(node, number, beyond(lane));
        is_made = lane->shared != NULL;
    }
    if (!is_made) {
        allfold_fabric_stream_free(lane->stream);
        allfold_free(lane);
        return NULL;
    }
    allfold_roll_open(state, &lane->roll, number);
    return lane;
}

static void free_lane(struct allfold_lane *lane)
{
    allfold_shared_free(lane->shared);
    allfold_fabric_stream_free(lane->stream);
    allfold_free(lane);
}

struct allfold_lane *allfold_lane_get(struct allfold_lanes *lanes, int number,
                                      struct allfold_communicator *state)
{
    assert(number > ALLFOLD_BLOCKING_LANE);
    const uint32_t before = lanes->capacity, index = (uint32_t)number;
    struct allfold_lane **wider =
        allfold_make_room(lanes->lanes, index, &lanes->capacity, sizeof *lanes->lanes);
    if (wider == NULL)
        return NULL;
    lanes->lanes = wider;
    if (lanes->capacity > before)
        memset(wider + before, 0, (lanes->capacity - before) * sizeof(*wider));
    if (wider[index] == NULL)
        wider[index] = make(number, state);
    return wider[index];
}

int allfold_lane_free_from(const struct allfold_lanes *lanes, int number)
{
    for (; (uint32_t)number < lanes->capacity; number++) {
        const struct allfold_lane *lane = lanes->lanes[number];
        if (lane == NULL || (!lane->is_taken && !lane->is_broken))
            break;
    }
    return number;
}

int allfold_lane_start(struct allfold_lane *lane, struct allfold_entry *entry,
                       const struct allfold_operands *operands, struct allfold_binding *binding)
{
    const bool are_contiguous = allfold_operands_are_contiguous(operands);
    struct allfold_shared_memory *shared = are_contiguous ? lane->shared : NULL;
    struct allfold_fabric_stream *stream = are_contiguous ? lane->stream : NULL;
    if (stream == NULL)
        allfold_point_to_point_begin(&lane->transport, operands->travels_as, entry->vector_bytes);
    else
        allfold_fabric_begin(stream, operands->element_bytes, lane->rank_of);
    if (shared != NULL)
        allfold_shared_begin(shared, operands->element_bytes);
    binding->transport = shared != NULL   ? allfold_shared_transport(shared)
                         : stream != NULL ? allfold_fabric_transport(stream)
                                          : &lane->transport.transport;
    const int error = allfold_executor_start(entry->executor, binding);
    if (stream != NULL)
        allfold_fabric_has_begun(stream);
    return error;
}

void allfold_lanes_close(struct allfold_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->capacity; i++) {
        assert(lanes->lanes[i] == NULL || lanes->lanes[i]->running == NULL);
        if (lanes->lanes[i] != NULL)
            free_lane(lanes->lanes[i]);
    }
    free(lanes->lanes); /* grown by allfold_make_room */
    *lanes = (struct allfold_lanes){.lanes = NULL};
}
