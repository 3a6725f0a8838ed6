/* Simulating: the events (see simulate.h).
 *
 * At each moment first all that ends at it is worked off; then, when it is known of all ranks what
 * they have to send, messages start together. */
#include <math.h>
#include <stdio.h>

#include "model/simulate/simulate_state.h"

enum { PROGRESS_EVERY = 1 << 18 };

/* More than ten days, in picoseconds. */
static const uint64_t LONGEST = (uint64_t)1000000000000000000u;

static uint64_t picoseconds(double seconds)
{
    const double most = 1e6;
    return (uint64_t)llround(1e12 * (seconds < most ? seconds : most));
}

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Never so much that what is added to it could overflow. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a + b < 2 * LONGEST ? a + b : 2 * LONGEST;
}

/* A message as its sender sees it. */
struct sent {
    uint32_t from, to, message;
    enum allfold_level level;
    uint64_t bytes;
    const struct allfold_link *link;
    struct shared *at_sender, *at_receiver; /* whose limits hold; NULL: none */
};

static int socket_of(const struct state *state, int r)
{
    const struct allfold_nodes *nodes = state->of->nodes;
    const int size = allfold_node_size(nodes, nodes->node_of[r]);
    const int64_t before = (int64_t)nodes->index_of[r] * state->of->network->sockets;
    return nodes->node_of[r] * state->of->network->sockets + (int)(before / size);
}

static int card_of(const struct state *state, int r)
{
    const int cards = state->of->network->cards;
    return state->of->nodes->node_of[r] * cards + state->of->nodes->index_of[r] % cards;
}

static enum allfold_level level_between(const struct state *state, int a, int b)
{
    const struct allfold_nodes *nodes = state->of->nodes;
    if (nodes->node_of[a] != nodes->node_of[b])
        return ALLFOLD_LEVEL_NETWORK;
    return socket_of(state, a) == socket_of(state, b) ? ALLFOLD_LEVEL_SOCKET : ALLFOLD_LEVEL_NODE;
}

static uint64_t bytes_of(const struct state *state, const struct simulated_rank *rank,
                         uint32_t step)
{
    return rank->outline->length[step] * state->element_bytes;
}

static struct sent sent_of(const struct state *state, uint32_t from, uint32_t message)
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

static void fail(struct state *state, enum allfold_error error, const char *words)
{
    if (state->error != ALLFOLD_OK)
        return;
    state->error = error;
    snprintf(state->message, state->message_bytes, "%s", words);
}

static void add_event(struct state *state, uint64_t time, uint32_t rank, uint32_t step)
{
    if (!allfold_events_add(state->events, time, (struct allfold_event){rank, step}))
        fail(state, ALLFOLD_NO_MEMORY, "no memory");
}

/* The other side of a message. */
static uint32_t partner_of(struct state *state, uint32_t r, uint32_t message)
{
    const struct simulated_rank *rank = &state->ranks[r];
    const uint8_t kind = rank->outline->kind[rank->outline->step_of[message]];
    const struct simulated_rank *peer = &state->ranks[rank->peers[message]];
    const uint32_t found =
        allfold_outlines_find(peer->outline, peer->peers, index_of_rank(peer), peer->oldest,
                              kind == ALLFOLD_STEP_SEND ? ALLFOLD_STEP_RECEIVE : ALLFOLD_STEP_SEND,
                              (int32_t)r, rank->outline->number[message]);
    if (found == peer->outline->message_count)
        fail(state, ALLFOLD_DISPROVED, "a message has one side only");
    return found;
}

static void make_pending(struct state *state, uint32_t r)
{
    struct simulated_rank *rank = &state->ranks[r];
    if (rank->is_pending || rank->waiting == 0)
        return;
    rank->is_pending = true;
    state->pending[state->pending_count++] = r;
}

static void let_wait(struct state *state, uint32_t r, uint32_t message)
{
    state->ranks[r].waiting |= (uint64_t)1 << (message & (state->of->window - 1));
    make_pending(state, r);
}

/* A send waits for no step: it may start, unless it waits for its receive. */
static void offer_send(struct state *state, uint32_t r, uint32_t message)
{
    const struct sent sent = sent_of(state, r, message);
    if (sent.link->waits) {
        const uint32_t receive = partner_of(state, r, message);
        if (state->error != ALLFOLD_OK ||
            !(states_of(&state->ranks[sent.to])[receive] & MESSAGE_READY))
            return;
    }
    let_wait(state, r, message);
}

/* A receive waits for no step: what came already is taken, or what waits for it may start. */
static void offer_receive(struct state *state, uint32_t r, uint32_t message)
{
    const struct simulated_rank *rank = &state->ranks[r];
    const uint32_t step = rank->outline->step_of[message], peer = (uint32_t)rank->peers[message];
    const enum allfold_level level = level_between(state, (int)r, (int)peer);
    if (states_of(rank)[message] & MESSAGE_ARRIVED)
        add_event(state, state->now, r, step);
    if (!allfold_network_link(state->of->network, level, bytes_of(state, rank, step))->waits)
        return;
    const uint32_t send = partner_of(state, r, message);
    if (state->error == ALLFOLD_OK && states_of(&state->ranks[peer])[send] & MESSAGE_READY)
        let_wait(state, peer, send);
}

static void start_local(struct state *state, uint32_t r, uint32_t step)
{
    struct simulated_rank *rank = &state->ranks[r];
    const struct allfold_network *network = state->of->network;
    const bool reduces = rank->outline->kind[step] == ALLFOLD_STEP_REDUCE;
    const double byte_s = reduces ? network->reduce_s : network->copy_s;
    rank->processor_free = sum_of(later_of(rank->processor_free, state->now),
                                  picoseconds(byte_s * (double)bytes_of(state, rank, step)));
    add_event(state, rank->processor_free, r, step);
}

static void post(struct state *state, uint32_t r, uint32_t message)
{
    struct simulated_rank *rank = &state->ranks[r];
    states_of(rank)[message] |= MESSAGE_READY;
    if (rank->outline->kind[rank->outline->step_of[message]] == ALLFOLD_STEP_SEND)
        offer_send(state, r, message);
    else
        offer_receive(state, r, message);
}

static bool is_message(const struct allfold_outline *outline, uint32_t step)
{
    return outline->kind[step] <= ALLFOLD_STEP_RECEIVE;
}

static void make_ready(struct state *state, uint32_t r, uint32_t step)
{
    const struct simulated_rank *rank = &state->ranks[r];
    const uint32_t message = rank->outline->message[step];
    if (!is_message(rank->outline, step))
        start_local(state, r, step);
    else if (message - rank->oldest < state->of->window)
        post(state, r, message);
}

/* The oldest messages are done: as many more may start. */
static void advance_window(struct state *state, uint32_t r)
{
    struct simulated_rank *rank = &state->ranks[r];
    const struct allfold_outline *outline = rank->outline;
    while (rank->oldest < outline->message_count && states_of(rank)[rank->oldest] & MESSAGE_DONE) {
        const uint32_t admitted = rank->oldest++ + state->of->window;
        if (admitted < outline->message_count && waits_of(rank)[outline->step_of[admitted]] == 0)
            post(state, r, admitted);
    }
}

static void finish(struct state *state, uint32_t r, uint32_t step)
{
    struct simulated_rank *rank = &state->ranks[r];
    const struct allfold_outline *outline = rank->outline;
    uint16_t *waits = waits_of(rank);
    state->steps_done++;
    for (uint32_t e = outline->first_edge[step]; e < outline->first_edge[step + 1]; e++)
        if (--waits[outline->edges[e]] == 0)
            make_ready(state, r, outline->edges[e]);
    if (!is_message(outline, step))
        return;
    states_of(rank)[outline->message[step]] |= MESSAGE_DONE;
    advance_window(state, r);
    if (outline->kind[step] == ALLFOLD_STEP_SEND)
        make_pending(state, r);
}

/* A step has ended; a message that comes too early stays where it is. */
static void work_off(struct state *state, struct allfold_event event)
{
    const struct simulated_rank *rank = &state->ranks[event.rank];
    const uint32_t message = rank->outline->message[event.step];
    if (rank->outline->kind[event.step] == ALLFOLD_STEP_RECEIVE &&
        !(states_of(rank)[message] & MESSAGE_READY))
        states_of(rank)[message] |= MESSAGE_ARRIVED;
    else
        finish(state, event.rank, event.step);
}

/* The oldest message that waits to be sent. */
static uint32_t oldest_waiting(const struct state *state, const struct simulated_rank *rank)
{
    const uint32_t window = state->of->window;
    uint32_t message = rank->oldest;
    while (!(rank->waiting >> (message & (window - 1)) & 1))
        message++;
    return message;
}

/* What a message that starts now adds to a limit. */
static void collect(struct state *state, struct shared *shared, const struct sent *sent)
{
    if (shared == NULL)
        return;
    if (shared->collected != state->settling)
        shared->together = 0;
    shared->collected = state->settling;
    shared->together =
        sum_of(shared->together, picoseconds((double)sent->bytes / sent->link->limit));
}

/* How long it takes from now until what started until now is through. */
static uint64_t wait_for(const struct state *state, struct shared *shared)
{
    if (shared == NULL)
        return 0;
    if (shared->settled != state->settling)
        shared->free = sum_of(later_of(shared->free, state->now), shared->together);
    shared->settled = state->settling;
    return shared->free - state->now;
}

static bool goes_one_way(const struct state *state, const struct sent *sent)
{
    const struct simulated_rank *from = &state->ranks[sent->from], *to = &state->ranks[sent->to];
    const bool sender_receives = from->receive_free[0] > state->now ||
                                 from->receive_free[1] > state->now ||
                                 from->receiving == state->settling;
    const bool receiver_sends = to->send_free > state->now || to->sending == state->settling;
    return !sender_receives && !receiver_sends;
}

static void launch(struct state *state, struct start start)
{
    const struct sent sent = sent_of(state, start.rank, start.message);
    struct simulated_rank *from = &state->ranks[sent.from], *to = &state->ranks[sent.to];
    const struct allfold_network *network = state->of->network;
    const bool one_way = goes_one_way(state, &sent);
    const double latency = one_way ? network->one_way_latency : 1;
    const double byte = one_way ? network->one_way_byte : 1;
    const uint64_t own = sent.link->bandwidth > 0
                             ? picoseconds(byte * (double)sent.bytes / sent.link->bandwidth)
                             : 0;
    const uint64_t overhead = picoseconds(latency * sent.link->overhead_s);
    const uint64_t transfer =
        later_of(own, later_of(wait_for(state, sent.at_sender), wait_for(state, sent.at_receiver)));
    const uint32_t receive = partner_of(state, start.rank, start.message);
    if (state->error != ALLFOLD_OK)
        return;
    from->send_free = state->now + overhead + transfer;
    uint64_t *receive_free = &to->receive_free[sent.level == ALLFOLD_LEVEL_NETWORK];
    *receive_free = later_of(state->now + picoseconds(latency * sent.link->latency_s) + transfer,
                             *receive_free + overhead + own);
    add_event(state, from->send_free, sent.from, from->outline->step_of[sent.message]);
    add_event(state, *receive_free, sent.to, to->outline->step_of[receive]);
    state->messages++;
    if (sent.level != ALLFOLD_LEVEL_NETWORK)
        return;
    from->messages_out++;
    state->out[card_of(state, (int)sent.from)].bytes += sent.bytes;
}

/* Starts what can start now: of each rank one message, if none of it is being sent. */
static void settle(struct state *state)
{
    uint32_t count = 0;
    state->settling++;
    for (uint32_t i = 0; i < state->pending_count; i++) {
        struct simulated_rank *rank = &state->ranks[state->pending[i]];
        rank->is_pending = false;
        if (rank->send_free > state->now)
            continue;
        const uint32_t message = oldest_waiting(state, rank);
        rank->waiting &= ~((uint64_t)1 << (message & (state->of->window - 1)));
        rank->sending = state->settling;
        state->ranks[rank->peers[message]].receiving = state->settling;
        state->starting[count++] = (struct start){state->pending[i], message};
    }
    state->pending_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct sent sent =
            sent_of(state, state->starting[i].rank, state->starting[i].message);
        collect(state, sent.at_sender, &sent);
        collect(state, sent.at_receiver, &sent);
    }
    for (uint32_t i = 0; i < count && state->error == ALLFOLD_OK; i++)
        launch(state, state->starting[i]);
}

static void begin(struct state *state)
{
    for (uint32_t r = 0; r < (uint32_t)state->p; r++) {
        const struct simulated_rank *rank = &state->ranks[r];
        for (uint32_t i = 0; i < rank->outline->step_count && state->error == ALLFOLD_OK; i++)
            if (rank->outline->waits_for[i] == 0)
                make_ready(state, r, i);
    }
}

void allfold_simulation_flow(struct state *state)
{
    uint64_t time;
    size_t told = 0;
    begin(state);
    settle(state);
    while (state->error == ALLFOLD_OK && allfold_events_time(state->events, &time)) {
        state->now = time;
        if (time > LONGEST)
            fail(state, ALLFOLD_BAD_INPUT, "it takes more than ten days");
        for (uint64_t next = time; next == time && state->error == ALLFOLD_OK;) {
            work_off(state, allfold_events_take(state->events));
            if (!allfold_events_time(state->events, &next))
                break;
        }
        settle(state);
        if (state->of->on_progress != NULL && state->steps_done >= told) {
            state->of->on_progress(state->of->context, "runs", state->steps_done, state->steps);
            told = state->steps_done + PROGRESS_EVERY;
        }
    }
    if (state->error == ALLFOLD_OK && state->steps_done < state->steps)
        fail(state, ALLFOLD_NO_PROGRESS, "ranks wait for each other for ever");
}
