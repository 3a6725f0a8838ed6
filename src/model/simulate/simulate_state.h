/* What a simulation holds; for its own files alone. */
#ifndef ALLFOLD_MODEL_SIMULATE_STATE_H
#define ALLFOLD_MODEL_SIMULATE_STATE_H

#include "model/simulate/events.h"
#include "model/simulate/outlines.h"
#include "model/simulate/simulate.h"

/* Of a message on one rank. */
enum {
    MESSAGE_READY = 1,   /* waits for no step, and is in the window */
    MESSAGE_ARRIVED = 2, /* before its receive was ready */
    MESSAGE_DONE = 4,
};

/* A card, or the memory of a node or socket, where their messages go together. */
struct shared {
    uint64_t free;     /* when all that started so far is through */
    uint64_t together; /* what starts now takes */
    uint64_t bytes;
    uint32_t collected, settled; /* the last settling that it took part in */
};

/* A rank. Its block: peers by message, maybe an index of them, what steps wait for, and the states
 * of its messages. */
struct simulated_rank {
    const struct allfold_outline *outline;
    int32_t *peers;
    uint64_t processor_free, send_free;
    uint64_t receive_free[2]; /* from its node; from others */
    uint64_t waiting;         /* slots of messages that could be sent, but another is being sent */
    uint32_t oldest;          /* the oldest message that is not done */
    uint32_t messages_out;
    uint32_t sending, receiving; /* the last settling in which it began to */
    bool is_pending;
};

struct start {
    uint32_t rank, message;
};

struct state {
    const struct allfold_simulation *of;
    struct allfold_budget budget;
    struct allfold_outlines outlines;
    struct allfold_events *events;
    int p;
    size_t element_bytes; /* as it travels */
    uint64_t now;         /* picoseconds */
    uint64_t steps, steps_done, messages;
    uint32_t settling;
    struct simulated_rank *ranks;
    uint32_t *pending; /* ranks that may have a message to start now */
    uint32_t pending_count;
    struct start *starting;
    struct shared *out, *in; /* cards */
    struct shared
        *inside[ALLFOLD_LEVEL_NETWORK]; /* memories of sockets and nodes; NULL: no limit */
    enum allfold_error error;
    char *message;
    size_t message_bytes;
};

static inline uint32_t *index_of_rank(const struct simulated_rank *rank)
{
    return (uint32_t *)rank->peers + rank->outline->message_count;
}

static inline uint16_t *waits_of(const struct simulated_rank *rank)
{
    const size_t messages = rank->outline->message_count;
    return (uint16_t *)(rank->peers + (rank->outline->is_indexed ? 2 * messages : messages));
}

static inline uint8_t *states_of(const struct simulated_rank *rank)
{
    return (uint8_t *)(waits_of(rank) + rank->outline->step_count);
}

static inline size_t block_bytes(const struct allfold_outline *outline)
{
    const size_t messages = outline->message_count;
    return messages * sizeof(int32_t) * (outline->is_indexed ? 2 : 1) +
           outline->step_count * sizeof(uint16_t) + messages;
}

/* Runs what is built to its end. */
void allfold_simulation_flow(struct state *state);

#endif
