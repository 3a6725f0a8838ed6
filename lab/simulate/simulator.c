/* The simulator: builds the outlines of all ranks, then runs the events (see simulator.h).
 *
 * At each time, all steps that end are processed first. Only then do messages start, all together,
 * because only then is it known which messages each rank has to send. */
#include "lab/simulate/simulator.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/peers.h"
#include "lab/simulate/simulation_input.h"
#include "lab/simulate/state.h"
#include "util/memory.h"

/* How often progress is reported. */
enum { RANKS_BETWEEN_REPORTS = 1 << 10, STEPS_BETWEEN_REPORTS = 1 << 18 };

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
    assert(state->pending_count < (uint32_t)state->p);
    rank->is_pending = true;
    state->pending[state->pending_count++] = r;
}

static void let_wait(struct state *state, uint32_t r, uint32_t message)
{
    assert(message - state->ranks[r].oldest < state->of->window);
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

/* How long a rank is busy with a message that it sends or takes in, on a network with a graph, or
 * takes in from node memory. */
static uint64_t busy_with(const struct allfold_link *link, enum allfold_level level, uint64_t bytes)
{
    const bool copies = level != ALLFOLD_LEVEL_NETWORK && !link->offloaded && link->bandwidth > 0;
    return picoseconds((link->in_memory ? link->take_s : link->overhead_s) +
                       (copies ? (double)bytes / link->bandwidth : 0));
}

/* How the message of a receive travels. */
static const struct allfold_link *link_to(const struct state *state, uint32_t r, uint32_t step,
                                          enum allfold_level *level)
{
    const struct simulated_rank *rank = &state->ranks[r];
    *level = level_between(state, (int)r, rank->peers[rank->outline->message[step]]);
    return allfold_network_link(state->of->network, *level, bytes_of(state, rank, step));
}

/* A message is there, on a network with a graph or in node memory: its receiver takes it in when
 * its core is free, and a sender that waited goes on. */
static void land(struct state *state, uint32_t r, uint32_t step)
{
    struct simulated_rank *rank = &state->ranks[r];
    const uint32_t message = rank->outline->message[step], peer = (uint32_t)rank->peers[message];
    enum allfold_level level;
    const struct allfold_link *link = link_to(state, r, step, &level);
    rank->send_free =
        later_of(state->now, rank->send_free) + busy_with(link, level, bytes_of(state, rank, step));
    allfold_critical_takes_in(state->critical, r, step);
    add_event(state, rank->send_free, r, step);
    add_event(state, rank->send_free, r, NEXT_SEND);
    if (!link->waits)
        return;
    const uint32_t send = partner_of(state, r, message);
    if (state->error == ALLFOLD_OK)
        add_event(state, state->now, peer, state->ranks[peer].outline->step_of[send]);
}

/* A receive waits for no step: what came already is taken, or what waits for it may start. */
static void offer_receive(struct state *state, uint32_t r, uint32_t message)
{
    const struct simulated_rank *rank = &state->ranks[r];
    const uint32_t step = rank->outline->step_of[message], peer = (uint32_t)rank->peers[message];
    enum allfold_level level;
    const struct allfold_link *link = link_to(state, r, step, &level);
    if (states_of(rank)[message] & MESSAGE_ARRIVED) {
        allfold_critical_early(state->critical, r, step);
        if (link->in_memory)
            land(state, r, step);
        else
            add_event(state, state->now, r, step);
    }
    if (!link->waits)
        return;
    const uint32_t send = partner_of(state, r, message);
    if (state->error != ALLFOLD_OK || !(states_of(&state->ranks[peer])[send] & MESSAGE_READY))
        return;
    allfold_critical_ready(state->critical, peer, state->ranks[peer].outline->step_of[send],
                           state->now);
    let_wait(state, peer, send);
}

static void start_local(struct state *state, uint32_t r, uint32_t step)
{
    struct simulated_rank *rank = &state->ranks[r];
    const struct allfold_network *network = state->of->network;
    const bool reduces = rank->outline->kind[step] == ALLFOLD_STEP_REDUCE;
    const double byte_s = reduces ? network->reduce_s : network->copy_s;
    const uint64_t begins = later_of(rank->processor_free, state->now);
    allfold_critical_works(state->critical, r, step, state->now, begins);
    rank->processor_free =
        sum_of(begins, picoseconds(byte_s * (double)bytes_of(state, rank, step)));
    add_event(state, rank->processor_free, r, step);
}

static void post(struct state *state, uint32_t r, uint32_t message)
{
    struct simulated_rank *rank = &state->ranks[r];
    assert(waits_of(rank)[rank->outline->step_of[message]] == 0);
    assert(!(states_of(rank)[message] & (MESSAGE_READY | MESSAGE_DONE)));
    states_of(rank)[message] |= MESSAGE_READY;
    allfold_critical_ready(state->critical, r, rank->outline->step_of[message], state->now);
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
    allfold_critical_ended(state->critical, r, step, state->now);
    assert(waits[step] == 0 && state->steps_done <= state->steps);
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

/* A message is there. One in node memory is read when its receive is posted. */
static void take_in(struct state *state, uint32_t r, uint32_t step)
{
    const struct simulated_rank *rank = &state->ranks[r];
    const uint32_t message = rank->outline->message[step];
    enum allfold_level level;
    if (link_to(state, r, step, &level)->in_memory && !(states_of(rank)[message] & MESSAGE_READY))
        states_of(rank)[message] |= MESSAGE_ARRIVED;
    else
        land(state, r, step);
}

/* A step has ended; a message that comes too early stays where it is. */
static void work_off(struct state *state, struct allfold_event event)
{
    if (event.rank == FLOW_BEGINS) {
        if (!allfold_flows_begin(state->flows, event.step, state->now))
            fail(state, ALLFOLD_NO_MEMORY, "no memory");
        return;
    }
    if (event.step == NEXT_SEND) {
        make_pending(state, event.rank);
        return;
    }
    if (event.step & LANDS) {
        take_in(state, event.rank, event.step & ~LANDS);
        return;
    }
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
    assert(rank->waiting != 0);
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
    assert(shared->free >= state->now);
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

static uint32_t host_of(const struct state *state, uint32_t r)
{
    const int node = state->of->nodes->node_of[r];
    return state->of->hosts != NULL ? state->of->hosts[node] : (uint32_t)node;
}

/* What all links of the way between two hosts take for the first byte, and the farthest class. */
static double way_s(const struct state *state, uint32_t from, uint32_t to, int *farthest)
{
    const struct allfold_graph *graph = state->of->network->graph;
    double latency_s = 0;
    const int count =
        allfold_graph_route(graph, from, to, state->way, allfold_graph_longest_route(graph));
    *farthest = 0;
    for (int i = 0; i < count; i++) {
        const struct allfold_graph_link link = allfold_graph_link(graph, state->way[i]);
        latency_s += link.latency_s;
        *farthest = link.link_class > *farthest ? link.link_class : *farthest;
    }
    return latency_s;
}

static void note_sent(struct state *state, const struct sent *sent, uint32_t receive, int farthest)
{
    allfold_critical_sends(state->critical,
                           (struct allfold_critical_message){
                               .from = sent->from,
                               .send = state->ranks[sent->from].outline->step_of[sent->message],
                               .to = sent->to,
                               .receive = state->ranks[sent->to].outline->step_of[receive],
                               .level = allfold_critical_level(sent->level, farthest),
                               .bytes = sent->bytes},
                           state->now);
}

/* A message between nodes of a graph. Its rank could start the next one after the overhead; its
 * bytes flow when the first one has arrived. A message that does not wait is gone by then. */
static void launch_flow(struct state *state, const struct sent *sent)
{
    struct simulated_rank *from = &state->ranks[sent->from];
    const uint64_t overhead = picoseconds(sent->link->overhead_s);
    struct allfold_flow flow = {.stream = sent->from,
                                .peer = sent->to,
                                .from = host_of(state, sent->from),
                                .to = host_of(state, sent->to),
                                .bytes = (double)sent->bytes,
                                .bound = sent->link->bandwidth,
                                .receive = partner_of(state, sent->from, sent->message)};
    if (state->error != ALLFOLD_OK)
        return;
    int farthest;
    const uint64_t begins = state->now + picoseconds(sent->link->latency_s) - overhead +
                            picoseconds(way_s(state, flow.from, flow.to, &farthest));
    note_sent(state, sent, flow.receive, farthest);
    const uint32_t number = allfold_flows_add(state->flows, flow);
    if (number == UINT32_MAX) {
        fail(state, ALLFOLD_NO_MEMORY, "no memory");
        return;
    }
    from->send_free = state->now + overhead;
    add_event(state, begins, FLOW_BEGINS, number);
    add_event(state, from->send_free, sent->from,
              sent->link->waits ? NEXT_SEND : from->outline->step_of[sent->message]);
    state->messages++;
    from->messages_out++;
    state->out[card_of(state, (int)sent->from)].bytes += sent->bytes;
}

/* A message on a node of a network with a graph. Cores copy its bytes, unless it is offloaded. */
static void launch_on_node(struct state *state, const struct sent *sent)
{
    struct simulated_rank *from = &state->ranks[sent->from];
    const uint64_t own =
        sent->link->bandwidth > 0 ? picoseconds((double)sent->bytes / sent->link->bandwidth) : 0;
    const uint64_t transfer = later_of(own, wait_for(state, sent->at_sender));
    const uint64_t busy = busy_with(sent->link, sent->level, sent->bytes);
    const uint32_t receive = partner_of(state, sent->from, sent->message);
    if (state->error != ALLFOLD_OK)
        return;
    note_sent(state, sent, receive, -1);
    from->send_free = state->now + busy + (sent->link->offloaded ? 0 : transfer - own);
    add_event(state, from->send_free, sent->from,
              sent->link->waits ? NEXT_SEND : from->outline->step_of[sent->message]);
    add_event(state, state->now + picoseconds(sent->link->latency_s) + transfer - busy, sent->to,
              LANDS | state->ranks[sent->to].outline->step_of[receive]);
    state->messages++;
}

/* A message in node memory. Its sender stores the data, unless they are stored already, or read
 * where they are; its receiver reads them. */
static void launch_in_memory(struct state *state, const struct sent *sent)
{
    struct simulated_rank *from = &state->ranks[sent->from];
    const struct allfold_link *link = sent->link;
    const bool stores = link->store > 0 && !from->outline->is_again[sent->message];
    const uint64_t stored = stores ? picoseconds((double)sent->bytes / link->store) : 0;
    const bool is_cut = link->piece_bytes > 0 && link->piece_bytes < sent->bytes;
    const uint64_t first =
        stores && is_cut ? picoseconds((double)link->piece_bytes / link->store) : stored;
    const uint64_t waited = wait_for(state, sent->at_sender);
    const uint32_t receive = partner_of(state, sent->from, sent->message);
    if (state->error != ALLFOLD_OK)
        return;
    note_sent(state, sent, receive, -1);
    from->send_free = state->now + picoseconds(link->overhead_s) + stored;
    add_event(state, from->send_free, sent->from,
              link->waits ? NEXT_SEND : from->outline->step_of[sent->message]);
    add_event(state, state->now + picoseconds(link->latency_s) + later_of(first, waited), sent->to,
              LANDS | state->ranks[sent->to].outline->step_of[receive]);
    state->messages++;
}

static void launch(struct state *state, struct start start)
{
    const struct sent sent = sent_of(state, start.rank, start.message);
    if (sent.link->in_memory) {
        launch_in_memory(state, &sent);
        return;
    }
    if (state->flows != NULL) {
        (sent.level == ALLFOLD_LEVEL_NETWORK ? launch_flow : launch_on_node)(state, &sent);
        return;
    }
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
    note_sent(state, &sent, receive, -1);
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

/* Names the oldest message of the first rank that is not done. */
static void tell_stuck(struct state *state)
{
    char words[200] = "steps wait for each other for ever; `allfold verify` says which";
    for (int r = state->p - 1; r >= 0; r--) {
        const struct simulated_rank *rank = &state->ranks[r];
        if (rank->oldest == rank->outline->message_count)
            continue;
        const uint32_t step = rank->outline->step_of[rank->oldest];
        snprintf(words, sizeof words,
                 "rank %d waits for ever at step %u for rank %d to %s; `allfold verify` says why",
                 r, step, rank->peers[rank->oldest],
                 rank->outline->kind[step] == ALLFOLD_STEP_SEND ? "receive" : "send");
    }
    fail(state, ALLFOLD_NO_PROGRESS, words);
}

/* When something happens next; false where nothing does, or not by the limit. */
static bool next_time(const struct state *state, uint64_t *time)
{
    uint64_t ends;
    bool is_there = allfold_events_time(state->events, time);
    if (state->flows != NULL && allfold_flows_time(state->flows, &ends) &&
        (!is_there || ends < *time)) {
        *time = ends;
        is_there = true;
    }
    return is_there && (state->of->limit_s <= 0 || 1e-12 * (double)*time <= state->of->limit_s);
}

/* Flows end before anything else happens at a moment, and share anew after it. */
static void end_flows(struct state *state)
{
    struct allfold_flow ended;
    while (state->flows != NULL && state->error == ALLFOLD_OK &&
           allfold_flows_take(state->flows, state->now, &ended))
        land(state, ended.peer, state->ranks[ended.peer].outline->step_of[ended.receive]);
}

static void share_links(struct state *state)
{
    if (state->flows != NULL && state->error == ALLFOLD_OK &&
        !allfold_flows_share(state->flows, state->now))
        fail(state, ALLFOLD_NO_MEMORY, "no memory");
}

static void flow(struct state *state)
{
    uint64_t time, next;
    size_t next_report = 0;
    begin(state);
    settle(state);
    while (state->error == ALLFOLD_OK && next_time(state, &time)) {
        assert(time >= state->now); /* no event begins before what it follows from */
        state->now = time;
        if (time > LONGEST)
            fail(state, ALLFOLD_BAD_INPUT, "it takes more than ten days");
        end_flows(state);
        while (state->error == ALLFOLD_OK && allfold_events_time(state->events, &next) &&
               next == time)
            work_off(state, allfold_events_take(state->events));
        settle(state);
        share_links(state);
        if (state->of->on_progress != NULL && state->steps_done >= next_report) {
            state->of->on_progress(state->of->context, "runs", state->steps_done, state->steps);
            next_report = state->steps_done + STEPS_BETWEEN_REPORTS;
        }
    }
    if (state->error == ALLFOLD_OK && state->steps_done < state->steps && state->of->limit_s <= 0)
        tell_stuck(state);
}

/* Memory within the budget, zeroed; NULL with the error set. */
static void *take(struct state *state, size_t bytes)
{
    void *memory = NULL;
    if (allfold_budget_take(&state->budget, bytes))
        memory = allfold_allocate_zeroed(bytes);
    if (memory == NULL)
        state->error = ALLFOLD_NO_MEMORY;
    return memory;
}

static bool any_limit(const struct allfold_network *network, enum allfold_level level)
{
    for (int i = 0; i < network->link_count[level]; i++)
        if (network->links[level][i].limit > 0)
            return true;
    return false;
}

static void set_up(struct state *state)
{
    const struct allfold_network *network = state->of->network;
    const size_t p = (size_t)state->p, nodes = (size_t)state->of->nodes->count;
    const size_t cards = nodes * (size_t)network->cards;
    state->ranks = take(state, p * sizeof *state->ranks);
    state->pending = take(state, p * sizeof *state->pending);
    state->starting = take(state, p * sizeof *state->starting);
    state->out = take(state, cards * sizeof *state->out);
    if (network->ejection)
        state->in = take(state, cards * sizeof *state->in);
    if (any_limit(network, ALLFOLD_LEVEL_NODE))
        state->inside[ALLFOLD_LEVEL_NODE] = take(state, nodes * sizeof(struct shared));
    if (any_limit(network, ALLFOLD_LEVEL_SOCKET))
        state->inside[ALLFOLD_LEVEL_SOCKET] =
            take(state, nodes * (size_t)state->sockets * sizeof(struct shared));
    state->events = allfold_events_create(&state->budget);
    if (state->events == NULL)
        state->error = ALLFOLD_NO_MEMORY;
    if (state->of->wants_path)
        state->critical = allfold_critical_create((uint32_t)state->p, &state->budget);
    if (state->of->wants_path && state->critical == NULL)
        state->error = ALLFOLD_NO_MEMORY;
    if (network->graph == NULL)
        return;
    state->way =
        take(state, sizeof *state->way * ((size_t)allfold_graph_longest_route(network->graph) + 1));
    state->flows = allfold_flows_create(network->graph, (uint32_t)state->p, &state->budget);
    if (state->flows == NULL)
        state->error = ALLFOLD_NO_MEMORY;
}

static void fill_block(struct state *state, struct simulated_rank *rank,
                       const struct allfold_schedule *schedule)
{
    const struct allfold_outline *outline = rank->outline;
    for (uint32_t m = 0; m < outline->message_count; m++)
        rank->peers[m] = schedule->steps[outline->step_of[m]].peer;
    if (outline->is_indexed)
        allfold_outlines_index(outline, rank->peers, index_of_rank(rank));
    uint16_t *waits = waits_of(rank);
    for (uint32_t i = 0; i < outline->step_count; i++) {
        if (outline->waits_for[i] > UINT16_MAX) {
            state->error = ALLFOLD_BAD_INPUT;
            snprintf(state->message, state->message_bytes,
                     "a step waits for %u others; up to %d can be simulated", outline->waits_for[i],
                     UINT16_MAX);
        }
        waits[i] = (uint16_t)outline->waits_for[i];
    }
}

static void keep(struct state *state, int r, const struct allfold_schedule *schedule)
{
    struct simulated_rank *rank = &state->ranks[r];
    enum {
        HEAD_BYTES = 16,
        LINE_BYTES = 64
    }; /* that an allocation takes beside and rounds up to */
    state->error = allfold_outlines_add(&state->outlines, schedule, &rank->outline);
    if (state->error != ALLFOLD_OK)
        return;
    const size_t bytes = block_bytes(rank->outline);
    const size_t taken = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    rank->peers = take(state, bytes);
    if (rank->peers == NULL || !allfold_budget_take(&state->budget, taken - bytes + HEAD_BYTES) ||
        !allfold_critical_add(state->critical, (uint32_t)r, rank->outline->step_count)) {
        state->error = ALLFOLD_NO_MEMORY;
        return;
    }
    state->steps += rank->outline->step_count;
    fill_block(state, rank, schedule);
}

static void tell_progress(const struct state *state, const char *what, size_t done, size_t total)
{
    if (state->of->on_progress != NULL)
        state->of->on_progress(state->of->context, what, done, total);
}

static void tell_memory(struct state *state, int built)
{
    const double limit = (double)state->of->memory_bytes / (1 << 20);
    if (!state->budget.is_over)
        snprintf(state->message, state->message_bytes, "no memory");
    else if (built >= 64 && built < state->p)
        snprintf(state->message, state->message_bytes,
                 "it takes more than the %.0f MiB that it may: about %.0f for %d ranks", limit,
                 limit * state->p / built, state->p);
    else
        snprintf(state->message, state->message_bytes,
                 "it takes more than the %.0f MiB that it may", limit);
}

static void build(struct state *state)
{
    int r = 0;
    for (; r < state->p && state->error == ALLFOLD_OK; r++) {
        const struct allfold_problem problem = allfold_simulation_problem(state->of, r);
        struct allfold_schedule *schedule;
        char words[200] = "";
        if (r % RANKS_BETWEEN_REPORTS == 0)
            tell_progress(state, "builds", (size_t)r, (size_t)state->p);
        state->error = allfold_build(state->of->algorithm, &problem, &state->of->parameters,
                                     &schedule, words, sizeof words);
        if (state->error != ALLFOLD_OK) {
            snprintf(state->message, state->message_bytes, "%s", words);
            return;
        }
        keep(state, r, schedule);
        allfold_schedule_free(schedule);
    }
    if (state->error == ALLFOLD_NO_MEMORY)
        tell_memory(state, r);
}

static void count_classes(const struct state *state, struct allfold_simulated *result)
{
    const struct allfold_graph *graph = state->of->network->graph;
    result->class_count = allfold_graph_class_count(graph);
    for (int i = 0; i < result->class_count; i++)
        snprintf(result->classes[i].name, sizeof result->classes[i].name, "%s",
                 allfold_graph_class_name(graph, i));
    for (uint32_t i = 0; i < allfold_graph_link_count(graph); i++) {
        const uint64_t bytes = allfold_flows_link_bytes(state->flows, i);
        struct allfold_simulated_class *of =
            &result->classes[allfold_graph_link(graph, i).link_class];
        of->links++;
        of->bytes += bytes;
        if (bytes > of->most_bytes)
            of->most_bytes = bytes;
    }
}

static struct allfold_simulated result_of(const struct state *state)
{
    const struct allfold_simulation *of = state->of;
    struct allfold_simulated result = {.time_s = 1e-12 * (double)state->now,
                                       .steps = state->steps,
                                       .messages = state->messages,
                                       .memory_bytes = state->budget.used_bytes};
    for (int i = 0; i < of->nodes->count * of->network->cards; i++)
        if (state->out[i].bytes > result.card_bytes)
            result.card_bytes = state->out[i].bytes;
    for (int r = 0; r < state->p; r++)
        if (state->ranks[r].messages_out > result.messages_out)
            result.messages_out = state->ranks[r].messages_out;
    if (state->steps_done < state->steps)
        result.time_s = INFINITY;
    if (state->flows != NULL)
        count_classes(state, &result);
    allfold_critical_fill(state->critical, of->network, &result);
    return result;
}

static void clean_up(struct state *state)
{
    for (int r = 0; state->ranks != NULL && r < state->p; r++)
        allfold_free(state->ranks[r].peers);
    allfold_outlines_free(&state->outlines);
    allfold_events_free(state->events);
    allfold_flows_free(state->flows);
    allfold_critical_free(state->critical);
    allfold_free(state->way);
    allfold_free(state->ranks);
    allfold_free(state->pending);
    allfold_free(state->starting);
    allfold_free(state->out);
    allfold_free(state->in);
    for (int level = 0; level < ALLFOLD_LEVEL_NETWORK; level++)
        allfold_free(state->inside[level]);
}

enum allfold_error allfold_simulate(const struct allfold_simulation *asked,
                                    struct allfold_simulated *simulated, char *message,
                                    size_t message_bytes)
{
    struct allfold_simulation completed = *asked;
    const struct allfold_simulation *of = &completed;
    *simulated = (struct allfold_simulated){.steps = 0};
    if (!allfold_simulation_complete(&completed, message, message_bytes))
        return ALLFOLD_BAD_INPUT;
    struct state state = {.of = of,
                          .budget = {.limit_bytes = of->memory_bytes},
                          .p = of->nodes->first[of->nodes->count],
                          .sockets = allfold_simulation_sockets(of),
                          .message = message,
                          .message_bytes = message_bytes};
    state.outlines.budget = &state.budget;
    state.element_bytes = allfold_simulation_problem(of, 0).element_bytes;
    set_up(&state);
    if (state.error == ALLFOLD_OK)
        build(&state);
    else
        tell_memory(&state, 0);
    if (state.error == ALLFOLD_OK) {
        flow(&state);
        if (state.error == ALLFOLD_NO_MEMORY)
            tell_memory(&state, state.p);
    }
    if (state.error == ALLFOLD_OK)
        *simulated = result_of(&state);
    clean_up(&state);
    return state.error;
}
