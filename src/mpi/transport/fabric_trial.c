/* Measures the fabric against MPI's messages (see fabric_trial.h). */
#include "mpi/transport/fabric_trial.h"

#include <math.h>
#include <string.h>

#include "mpi/process/runtime.h"
#include "util/memory.h"

enum { SIZES = 4, ROUNDS = 5, MOST_BYTES = 256 << 10, CARRIERS = 2 };

static const struct size {
    size_t bytes;
    uint32_t exchanges;
} sizes[SIZES] = {{8, 8}, {2 << 10, 8}, {64 << 10, 4}, {MOST_BYTES, 1}};

struct trial {
    MPI_Comm comm;
    struct allfold_transport *carriers[CARRIERS]; /* MPI's messages, and the fabric */
    struct allfold_point_to_point *messages;
    struct allfold_fabric_stream *stream;
    const struct allfold_fabric_ring *ring;
    char *out, *in;
};

static int take(void *context, uint32_t slot, size_t first, size_t count, const void *data)
{
    const struct trial *trial = context;
    (void)slot;
    memcpy(trial->in + first, data, count);
    return 0;
}

/* Sends a message to the next rank, and receives one from the previous rank. */
static int exchange(const struct trial *trial, struct allfold_transport *carrier, size_t bytes,
                    uint32_t number)
{
    const struct allfold_message receive = {.data = trial->in,
                                            .length = bytes,
                                            .peer = trial->ring->previous,
                                            .number = number,
                                            .slot = 0};
    const struct allfold_message send = {.data = trial->out,
                                         .length = bytes,
                                         .peer = trial->ring->next,
                                         .number = number,
                                         .slot = 1};
    uint32_t slots[ALLFOLD_MAX_WINDOW], done = 0, count;
    int error = carrier->operations->receive(carrier, &receive);
    if (error == 0)
        error = carrier->operations->send(carrier, &send);
    for (uint32_t oldest = 0; error == 0 && done < 2; done += count) {
        error = carrier->operations->wait(carrier, oldest, slots, &count);
        for (uint32_t i = 0; i < count; i++)
            oldest = slots[i] == 0 ? 1 : oldest;
    }
    return error;
}

/* Returns the seconds of a size's messages over one of the carriers; infinite if they fail. */
static double time_s(const struct trial *trial, int carrier, const struct size *size)
{
    struct allfold_transport *by = trial->carriers[carrier];
    int error = PMPI_Barrier(trial->comm);
    if (trial->ring->next < 0)
        return 0;
    allfold_point_to_point_begin(trial->messages, MPI_BYTE, size->bytes);
    allfold_fabric_begin(trial->stream, 1, NULL);
    by->deliver = take;
    by->deliver_context = (void *)trial;
    const double begin_s = allfold_now_s();
    for (uint32_t i = 0; i < size->exchanges && error == 0; i++)
        error = exchange(trial, by, size->bytes, i);
    if (error != 0)
        by->operations->abandon(by);
    return error == 0 ? allfold_now_s() - begin_s : INFINITY;
}

/* Finds the minimum over the rounds, because disturbances only make messages slower. The time is
 * that of the slowest rank. */
static bool measure(const struct trial *trial, double least_s[CARRIERS][SIZES])
{
    for (int i = 0; i < CARRIERS * SIZES; i++)
        least_s[i / SIZES][i % SIZES] = trial->ring->next < 0 ? 0 : INFINITY;
    for (int i = 0; i < SIZES; i++)
        for (int round = 0; round < ROUNDS; round++)
            for (int c = 0; c < CARRIERS; c++)
                least_s[c][i] = fmin(least_s[c][i], time_s(trial, c, &sizes[i]));
    return PMPI_Allreduce(MPI_IN_PLACE, least_s, CARRIERS * SIZES, MPI_DOUBLE, MPI_MAX,
                          trial->comm) == MPI_SUCCESS;
}

bool allfold_fabric_try(MPI_Comm comm, struct allfold_fabric_stream *stream,
                        struct allfold_point_to_point *messages,
                        const struct allfold_fabric_ring *ring, struct allfold_fabric_gain *gain)
{
    struct trial trial = {.comm = comm,
                          .carriers = {&messages->transport, allfold_fabric_transport(stream)},
                          .messages = messages,
                          .stream = stream,
                          .ring = ring,
                          .out = allfold_allocate_zeroed(MOST_BYTES),
                          .in = allfold_allocate_zeroed(MOST_BYTES)};
    double least_s[CARRIERS][SIZES];
    int have_all = trial.out != NULL && trial.in != NULL;
    *gain = (struct allfold_fabric_gain){0, 0};
    const bool is_measured =
        PMPI_Allreduce(MPI_IN_PLACE, &have_all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS &&
        have_all && measure(&trial, least_s);
    allfold_free(trial.out);
    allfold_free(trial.in);
    return is_measured && allfold_fabric_is_faster(least_s[0], least_s[1], SIZES, gain);
}
