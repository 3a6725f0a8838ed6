/* The transport over MPI point-to-point messages (see point_to_point.h).
 *
 * A message's number is its tag, modulo a power of two that is far more than a window: messages of
 * a pair with the same tag are never in flight together in one run, and MPI keeps the order of
 * those of two runs. */
#include "mpi/point_to_point.h"

#include <limits.h>

#include "mpi/operands.h"

struct start {
    struct allfold_point_to_point *transport;
    const struct allfold_message *message;
    bool is_send;
};

static int start_typed(void *context, MPI_Datatype datatype, int count)
{
    const struct start *start = context;
    struct allfold_point_to_point *t = start->transport;
    const struct allfold_message *m = start->message;
    const int tag = t->first_tag + (int)(m->number % ALLFOLD_LANE_TAGS);
    if (start->is_send)
        return PMPI_Isend(m->data, count, datatype, m->peer, tag, t->comm, &t->requests[m->slot]);
    return PMPI_Irecv(m->data, count, datatype, m->peer, tag, t->comm, &t->requests[m->slot]);
}

static int start_message(struct allfold_transport *transport, const struct allfold_message *message,
                         bool is_send)
{
    struct allfold_point_to_point *t = (struct allfold_point_to_point *)transport;
    struct start start = {t, message, is_send};
    for (; t->used <= message->slot; t->used++)
        t->requests[t->used] = MPI_REQUEST_NULL;
    t->tells_length[message->slot] = !is_send && message->length <= INT_MAX;
    if (message->length <= INT_MAX)
        return start_typed(&start, t->datatype, (int)message->length);
    return allfold_with_count(message->length, t->datatype, start_typed, &start);
}

static int point_to_point_send(struct allfold_transport *transport,
                               const struct allfold_message *message)
{
    return start_message(transport, message, true);
}

static int point_to_point_receive(struct allfold_transport *transport,
                                  const struct allfold_message *message)
{
    return start_message(transport, message, false);
}

/* The error of the first message that failed, where MPI says that it is in the statuses. */
static int find_error(const struct allfold_point_to_point *t, int error, int count)
{
    int error_class;
    PMPI_Error_class(error, &error_class);
    for (int i = 0; error_class == MPI_ERR_IN_STATUS && i < count; i++)
        if (t->statuses[i].MPI_ERROR != MPI_SUCCESS && t->statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            return t->statuses[i].MPI_ERROR;
    return error;
}

/* Says how many elements a message brought that is done. */
static void tell_length(const struct allfold_point_to_point *t, uint32_t slot,
                        const MPI_Status *status)
{
    int length = MPI_UNDEFINED;
    if (!t->tells_length[slot])
        return;
    PMPI_Get_count(status, t->datatype, &length);
    t->transport.came[slot] = length == MPI_UNDEFINED ? SIZE_MAX : (size_t)length;
}

/* What MPI_Testsome or MPI_Waitsome found. */
static int take_done(struct allfold_point_to_point *t, int error, int done, const uint32_t *slots,
                     uint32_t *count)
{
    *count = done == MPI_UNDEFINED ? 0 : (uint32_t)done;
    for (uint32_t i = 0; t->transport.came != NULL && error == MPI_SUCCESS && i < *count; i++)
        tell_length(t, slots[i], &t->statuses[i]);
    return error == MPI_SUCCESS ? 0 : find_error(t, error, (int)*count);
}

static int point_to_point_test(struct allfold_transport *transport, uint32_t *slots,
                               uint32_t *count)
{
    struct allfold_point_to_point *t = (struct allfold_point_to_point *)transport;
    int done = 0;
    const int error = PMPI_Testsome((int)t->used, t->requests, &done, (int *)slots, t->statuses);
    return take_done(t, error, done, slots, count);
}

/* Short messages end as soon as they arrive, so waiting for the oldest loses no time, and MPI_Wait
 * takes less of it than MPI_Waitsome. */
static int point_to_point_wait(struct allfold_transport *transport, uint32_t oldest,
                               uint32_t *slots, uint32_t *count)
{
    struct allfold_point_to_point *t = (struct allfold_point_to_point *)transport;
    if (t->are_short && t->transport.came == NULL) {
        slots[0] = oldest;
        *count = 1;
        return PMPI_Wait(&t->requests[oldest], MPI_STATUS_IGNORE);
    }
    int done = 0;
    const int error = PMPI_Waitsome((int)t->used, t->requests, &done, (int *)slots, t->statuses);
    return take_done(t, error, done, slots, count);
}

static bool point_to_point_may_be_short(const struct allfold_transport *transport, int peer)
{
    (void)transport, (void)peer;
    return true;
}

static void point_to_point_abandon(struct allfold_transport *transport)
{
    struct allfold_point_to_point *t = (struct allfold_point_to_point *)transport;
    for (uint32_t i = 0; i < t->used; i++) {
        if (t->requests[i] == MPI_REQUEST_NULL)
            continue;
        PMPI_Cancel(&t->requests[i]);
        PMPI_Request_free(&t->requests[i]);
    }
    t->used = 0;
}

int allfold_question_tag(void)
{
    int *limit, found;
    /* Open MPI has it on MPI_COMM_WORLD alone; 32767 is what MPI grants at least */
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found) != MPI_SUCCESS || !found)
        return 32767 - 1;
    return *limit - 1;
}

bool allfold_point_to_point_open(struct allfold_point_to_point *t, MPI_Comm comm, int lane)
{
    t->transport = (struct allfold_transport){.send = point_to_point_send,
                                              .receive = point_to_point_receive,
                                              .test = point_to_point_test,
                                              .wait = point_to_point_wait,
                                              .abandon = point_to_point_abandon,
                                              .may_be_short = point_to_point_may_be_short};
    t->comm = comm;
    t->used = 0;
    if (lane > (allfold_question_tag() - ALLFOLD_LANE_TAGS) / ALLFOLD_LANE_TAGS)
        return false;
    t->first_tag = lane * ALLFOLD_LANE_TAGS;
    return true;
}
