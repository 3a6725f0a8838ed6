/* The state of a simulation (simulator.c): ranks, shared resources and messages. */
#ifndef ALLFOLD_LAB_SIMULATE_STATE_H
#define ALLFOLD_LAB_SIMULATE_STATE_H

#include <assert.h>
#include <math.h>

#include "topology/nodes.h"
#include "lab/simulate/simulation_input.h"
#include "lab/simulate/critical.h"
#include "lab/simulate/events.h"
#include "lab/simulate/flows.h"
#include "lab/simulate/outlines.h"

/* Flags of a message on one rank. */
enum {
    MESSAGE_READY = 1,   /* its dependencies are done, and it is in the window */
    MESSAGE_ARRIVED = 2, /* before its receive was ready */
    MESSAGE_DONE = 4,
};

/* Events other than the end of a step. FLOW_BEGINS in place of the rank: a flow starts, and `step`
 * is its number. NEXT_SEND in place of the step: the rank may send its next message. The flag LANDS
 * on the step of a receive: its message has arrived, and the rank must process it. */
static const uint32_t FLOW_BEGINS = UINT32_MAX, NEXT_SEND = UINT32_MAX, LANDS = (uint32_t)1 << 31;

/* A shared resource: a network card, or the memory of a node or socket. */
struct shared {
    uint64_t free;     /* when the messages that started so far are done */
    uint64_t together; /* the time of the messages that start now */
    uint64_t bytes;
    uint32_t collected, settled; /* the last rounds of `settling` in which it was used */
};

/* A rank. `peers` points to a block with the peers of its messages, an index of them if its outline
 * is indexed, the counts of dependencies of its steps, and the flags of its messages. */
struct simulated_rank {
    const struct allfold_outline *outline;
    int32_t *peers;
    uint64_t processor_free;
    uint64_t send_free;       /* with a graph: its core, which sends and receives */
    uint64_t receive_free[2]; /* without a graph: from its node; from other nodes */
    uint64_t waiting; /* window slots of messages that are ready, while another is being sent */
    uint32_t oldest;  /* the oldest message that is not done */
    uint32_t messages_out;
    uint32_t sending, receiving; /* the last round of `settling` in which it started to */
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
    struct allfold_flows *flows;       /* NULL: the network has no graph */
    uint32_t *way;                     /* scratch memory for one route */
    struct allfold_critical *critical; /* NULL: no critical path is recorded */
    int p;
    int sockets;          /* of a node: the maximum */
    size_t element_bytes; /* in a message */
    uint64_t now;         /* picoseconds */
    uint64_t steps, steps_done, messages;
    uint32_t settling; /* rounds of starting messages so far */
    struct simulated_rank *ranks;
    uint32_t *pending; /* ranks that may have a message to start now */
    uint32_t pending_count;
    struct start *starting;
    struct shared *out, *in; /* the cards, by direction; in: NULL without ejection */
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

/* More than ten days, in picoseconds. */
static const uint64_t LONGEST = (uint64_t)1000000000000000000u;

static inline uint64_t picoseconds(double seconds)
{
    const double most = 1e6;
    return (uint64_t)llround(1e12 * (seconds < most ? seconds : most));
}

static inline uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns a + b, limited so that further sums cannot overflow. */
static inline uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a + b < 2 * LONGEST ? a + b : 2 * LONGEST;
}

/* A message at its sender. */
struct sent {
    uint32_t from, to, message;
    enum allfold_level level;
    uint64_t bytes;
    const struct allfold_link *link;
    struct shared *at_sender, *at_receiver; /* the resources that limit it; NULL: none */
};

static inline int socket_of(const struct state *state, int r)
{
    const struct allfold_nodes *nodes = state->of->nodes;
    const int node = nodes->node_of[r], of = state->sockets, known = allfold_socket_of(nodes, r);
    if (known >= 0)
        return node * of + known;
    return node * of + (int)((int64_t)nodes->index_of[r] * of / allfold_node_size(nodes, node));
}

static inline int card_of(const struct state *state, int r)
{
    const int cards = state->of->network->cards;
    return state->of->nodes->node_of[r] * cards + state->of->nodes->index_of[r] % cards;
}

static inline enum allfold_level level_between(const struct state *state, int a, int b)
{
    const struct allfold_nodes *nodes = state->of->nodes;
    if (nodes->node_of[a] != nodes->node_of[b])
        return ALLFOLD_LEVEL_NETWORK;
    return socket_of(state, a) == socket_of(state, b) ? ALLFOLD_LEVEL_SOCKET : ALLFOLD_LEVEL_NODE;
}

static inline uint64_t bytes_of(const struct state *state, const struct simulated_rank *rank,
                                uint32_t step)
{
    return rank->outline->length[step] * state->element_bytes;
}

static inline struct sent sent_of(const struct state *state, uint32_t from, uint32_t message)
{
    const struct simulated_rank *rank = &state->ranks[from];
    const int a = (int)from, b = rank->peers[message];
    struct sent sent = {.from = from,
                        .to = (uint32_t)b,
                        .message = message,
                        .level = level_between(state, a, b),
                        .bytes = bytes_of(state, rank, rank->outline->step_of[message])};
    sent.link = allfold_network_link(state->of->network, sent.level, sent.bytes);
    if (sent.link->limit <= 0)
        return sent;
    if (sent.level == ALLFOLD_LEVEL_NETWORK) {
        sent.at_sender = &state->out[card_of(state, a)];
        sent.at_receiver = state->in == NULL ? NULL : &state->in[card_of(state, b)];
    } else if (sent.level == ALLFOLD_LEVEL_NODE) {
        sent.at_sender = &state->inside[ALLFOLD_LEVEL_NODE][state->of->nodes->node_of[a]];
    } else {
        sent.at_sender = &state->inside[ALLFOLD_LEVEL_SOCKET][socket_of(state, a)];
    }
    return sent;
}

#endif
