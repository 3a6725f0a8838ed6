/* The transport over MPI point-to-point messages (see point_to_point.h).
 *
 * A message's tag is its number modulo a power of two that is far larger than a window. So two
 * messages between a pair of ranks with the same tag are never in flight together in one run.
 * Messages of two runs may be; MPI delivers them in the order sent. */
#include "mpi/transport/point_to_point.h"

#include <limits.h>

#include "events/live_page.h"
#include "mpi/handles/operands.h"

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
    const int peer = t->rank_of == NULL ? m->peer : t->rank_of[m->peer];
    if (start->is_send)
        return PMPI_Isend(m->data, count, datatype, peer, tag, t->comm, &t->requests[m->slot]);
    return PMPI_Irecv(m->data, count, datatype, peer, tag, t->comm, &t->requests[m->slot]);
}

static int start_message(struct allfold_transport *transport, const struct allfold_message *message,
                         bool is_send)
{
    struct allfold_point_to_point *t = (struct allfold_point_to_point *)transport;
    struct start start = {t, message, is_send};
    for (; t->used <= message->slot; t->used++)
        t->requests[t->used] = MPI_REQUEST_NULL;
    t->receives[message->slot] = !is_send;
    t->tells_length[message->slot] =
        !is_send && !message->has_no_data && message->length <= INT_MAX;
    if (message->has_no_data)
        return start_typed(&start, MPI_BYTE, 0);
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

/* Notes poison: an empty message that replaces lost data. */
static void note_poison(struct allfold_point_to_point *t, uint32_t slot, const MPI_Status *status)
{
    int bytes;
    if (t->have_bytes && t->receives[slot] &&
        PMPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes == 0)
        t->transport.got_poison = true;
}

/* Notes how many elements a received message brought. */
static void tell_length(const struct allfold_point_to_point *t, uint32_t slot,
                        const MPI_Status *status)
{
    int length = MPI_UNDEFINED;
    if (!t->tells_length[slot])
        return;
    PMPI_Get_count(status, t->datatype, &length);
    t->transport.received[slot] = length == MPI_UNDEFINED ? SIZE_MAX : (size_t)length;
}

/* Handles what MPI_Testsome or MPI_Waitsome found. If MPI says that an error is in the statuses,
 * the messages are complete, and the error of the first failed one is returned. With any other
 * error none is complete. */
static int take_done(struct allfold_point_to_point *t, int error, int done, const uint32_t *slots,
                     uint32_t *count)
{
    int error_class = MPI_SUCCESS;
    *count = 0;
    if (error != MPI_SUCCESS)
        PMPI_Error_class(error, &error_class);
    if (done == MPI_UNDEFINED || (error != MPI_SUCCESS && error_class != MPI_ERR_IN_STATUS))
        return error;
    *count = (uint32_t)done;
    for (int i = 0; i < done; i++) {
        const int own = t->statuses[i].MPI_ERROR;
        if (error_class == MPI_ERR_IN_STATUS && own != MPI_SUCCESS && own != MPI_ERR_PENDING)
            error = own;
        else
            note_poison(t, slots[i], &t->statuses[i]);
        if (t->transport.received != NULL && error == MPI_SUCCESS)
            tell_length(t, slots[i], &t->statuses[i]);
    }
    return error;
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
    allfold_page_time_call();
    if (t->are_short && t->transport.received == NULL) {
        slots[0] = oldest;
        const int error = PMPI_Wait(&t->requests[oldest], &t->statuses[0]);
        *count = error == MPI_SUCCESS || t->requests[oldest] == MPI_REQUEST_NULL;
        if (error == MPI_SUCCESS)
            note_poison(t, oldest, &t->statuses[0]);
        return error;
    }
    int done = 0;
    const int error = PMPI_Waitsome((int)t->used, t->requests, &done, (int *)slots, t->statuses);
    return take_done(t, error, done, slots, count);
}

static bool point_to_point_may_compress(const struct allfold_transport *transport, int peer)
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
    /* Open MPI has the attribute on MPI_COMM_WORLD alone; 32767 is the minimum that MPI
     * guarantees */
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found) != MPI_SUCCESS || !found)
        return 32767 - 1;
    return *limit - 1;
}

int allfold_clock_tag(void)
{
    return allfold_question_tag() - 1;
}

int allfold_news_tag(void)
{
    return allfold_clock_tag() - 1;
}

static const struct allfold_transport_operations operations = {
    .send = point_to_point_send,
    .receive = point_to_point_receive,
    .test = point_to_point_test,
    .wait = point_to_point_wait,
    .abandon = point_to_point_abandon,
    .sends_poison = true,
    .may_compress = point_to_point_may_compress,
};

bool allfold_point_to_point_open(struct allfold_point_to_point *t, MPI_Comm comm, int lane)
{
    t->transport =
        (struct allfold_transport){.operations = &operations, .poison_error = MPI_ERR_OTHER};
    t->comm = comm;
    t->rank_of = NULL;
    t->used = 0;
    if (lane > (allfold_news_tag() - ALLFOLD_LANE_TAGS) / ALLFOLD_LANE_TAGS)
        return false;
    t->first_tag = lane * ALLFOLD_LANE_TAGS;
    return true;
}
