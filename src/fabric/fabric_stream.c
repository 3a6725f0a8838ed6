/* Streams: transports over a fabric (see fabric.h).
 *
 * A message is identified by its stream, its number in the run, and the number of the run among
 * those in which the pair had messages in that direction. Both ranks count these runs alone.
 *
 * Data are delivered to the executor only in a test of their own stream, because other threads may
 * run the other streams. */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric_inner.h"
#include "util/memory.h"

/* --- items --- */

/* Leaves the item's write to the provider, for good. */
static void give_up_write(struct allfold_fabric *fabric, struct allfold_item *item)
{
    item->out->item = NULL;
    item->out->next = fabric->given_up;
    fabric->given_up = item->out;
    item->out = NULL;
    item->is_writing = false;
}

/* The item is over; the executor gets to know at the next test, once no write uses it. */
static void finish(struct allfold_item *item, bool failed)
{
    struct allfold_fabric_stream *stream = item->stream;
    struct allfold_fabric *fabric = stream->fabric;
    assert(item->state != ALLFOLD_ITEM_FREE);
    item->failed |= failed;
    item->state = ALLFOLD_ITEM_DONE;
    fabric->provider->operations->withdraw(fabric->provider, &item->place);
    if (item->is_writing && item->peer->is_lost)
        give_up_write(fabric, item);
    if (item->is_writing)
        return;
    item->next = NULL;
    *stream->last_done = item;
    stream->last_done = &item->next;
}

static void release_receive(struct allfold_fabric *fabric, struct allfold_item *item);

/* Ends a long receive. */
static void finish_receive(struct allfold_fabric *fabric, struct allfold_item *item, bool failed)
{
    release_receive(fabric, item);
    finish(item, failed);
}

/* The number of a long receive: its row in a table, and how often that was used, so that what comes
 * late finds nobody. */
enum { ROW_BITS = 12, MOST_ROWS = 1 << ROW_BITS, GENERATIONS = 1 << (30 - ROW_BITS) };

static bool take_receive_row(struct allfold_fabric *fabric, struct allfold_item *item)
{
    if (fabric->receive_free == UINT32_MAX) {
        const uint32_t before = fabric->receive_capacity;
        struct allfold_receive_row *wider =
            before >= MOST_ROWS ? NULL
                                : allfold_make_room(fabric->receives, before,
                                                    &fabric->receive_capacity, sizeof *wider);
        if (wider == NULL)
            return false;
        fabric->receives = wider;
        for (uint32_t i = before; i < fabric->receive_capacity; i++) {
            wider[i] = (struct allfold_receive_row){.next_free = fabric->receive_free};
            fabric->receive_free = i < MOST_ROWS ? i : fabric->receive_free;
        }
    }
    const uint32_t row = fabric->receive_free;
    fabric->receive_free = fabric->receives[row].next_free;
    fabric->receives[row].item = item;
    fabric->receives[row].generation = (fabric->receives[row].generation + 1) % GENERATIONS;
    item->receive = fabric->receives[row].generation << ROW_BITS | row;
    return true;
}

static void release_receive(struct allfold_fabric *fabric, struct allfold_item *item)
{
    struct allfold_receive_row *row = &fabric->receives[item->receive & (MOST_ROWS - 1)];
    assert(row->item == item);
    row->item = NULL;
    row->next_free = fabric->receive_free;
    fabric->receive_free = item->receive & (MOST_ROWS - 1);
}

/* The item of a long receive; NULL: it is over. */
static struct allfold_item *find_receive(const struct allfold_fabric *fabric, uint32_t receive)
{
    const uint32_t row = receive & (MOST_ROWS - 1);
    if (row >= fabric->receive_capacity || fabric->receives[row].generation != receive >> ROW_BITS)
        return NULL;
    return fabric->receives[row].item;
}

/* --- long sends --- */

static bool may_write(struct allfold_fabric *fabric, struct allfold_item *item)
{
    struct allfold_provider *provider = fabric->provider;
    if (item->bytes > provider->most_bytes)
        return false;
    return !provider->needs_local ||
           provider->operations->enroll(provider, item->data, item->bytes, &item->place);
}

/* The receiver has sent the place for its data. */
static void take_offer(struct allfold_fabric *fabric, struct allfold_item *item,
                       const struct allfold_slot_header *header)
{
    const bool has_place = header->key != UINT64_MAX || header->address != UINT64_MAX;
    item->receive = header->receive;
    if (item->has_no_data) {
        allfold_peer_queue(fabric, item, ALLFOLD_SLOT_REFUSAL);
        return;
    }
    if (!has_place || !may_write(fabric, item)) {
        allfold_peer_queue(fabric, item, ALLFOLD_SLOT_FRAGMENT);
        return;
    }
    const struct allfold_write write = {
        .data = item->data,
        .bytes = item->bytes,
        .local = item->place.local,
        .peer = item->peer->address,
        .target = header->address,
        .key = header->key,
        .immediate = (uint32_t)ALLFOLD_NOTICE_PLACE << ALLFOLD_NOTICE_SHIFT | header->receive};
    item->moved = item->bytes;
    item->kind = ALLFOLD_SLOT_PLACE;
    fabric->figures.place_writes++;
    allfold_item_write(fabric, item, &write);
}

static void item_written(struct allfold_fabric *fabric, struct allfold_item *item, bool failed)
{
    item->is_writing = false;
    if (item->state == ALLFOLD_ITEM_DONE)
        finish(item, failed);
    else if (failed && !item->is_send && item->is_long)
        finish_receive(fabric, item, true);
    else if (failed)
        finish(item, true);
    else if (!item->is_send)
        item->state = ALLFOLD_ITEM_WAITS; /* its place was told */
    else if (item->kind == ALLFOLD_SLOT_FRAGMENT && item->moved < item->bytes)
        allfold_peer_queue(fabric, item, ALLFOLD_SLOT_FRAGMENT);
    else
        finish(item, false);
}

/* --- arrivals --- */

static struct allfold_held *hold(const struct allfold_slot_header *header, const char *data)
{
    struct allfold_held *held = allfold_allocate(sizeof *held + header->bytes);
    if (held == NULL)
        return NULL;
    held->next = NULL;
    held->header = *header;
    if (header->bytes > 0)
        memcpy(held->data, data, header->bytes);
    return held;
}

/* A fragment of a long receive, or what comes in place of its data. */
static void take_part(struct allfold_fabric *fabric, const struct allfold_slot_header *header,
                      const char *data)
{
    struct allfold_item *item = find_receive(fabric, header->receive);
    if (item == NULL)
        return;
    if (header->kind == ALLFOLD_SLOT_REFUSAL) {
        item->got_poison = true;
        finish_receive(fabric, item, false);
        return;
    }
    if (header->bytes > item->bytes || header->offset > item->bytes - header->bytes) {
        finish_receive(fabric, item, true);
        return;
    }
    if (!item->has_no_data)
        memcpy(item->data + header->offset, data, header->bytes);
    fabric->figures.copied_bytes += header->bytes;
    item->moved += header->bytes;
    if (item->moved >= item->bytes)
        finish_receive(fabric, item, false);
}

static void take_place(struct allfold_fabric *fabric, uint32_t receive)
{
    struct allfold_item *item = find_receive(fabric, receive);
    if (item == NULL)
        return;
    allfold_peer_arrive(item->peer);
    finish_receive(fabric, item, false);
}

/* The item that waits for such a message of the peer; NULL: none does. */
static struct allfold_item *find_item(const struct allfold_fabric *fabric,
                                      const struct allfold_fabric_peer *peer,
                                      const struct allfold_slot_header *header)
{
    const bool is_send = header->kind == ALLFOLD_SLOT_PLACE;
    struct allfold_fabric_stream *stream = allfold_stream_find(fabric, header->stream);
    for (uint32_t i = 0; stream != NULL && i < fabric->options.window; i++) {
        struct allfold_item *item = &stream->items[i];
        if (item->state == ALLFOLD_ITEM_WAITS && item->peer == peer && item->is_send == is_send &&
            item->is_long == is_send && item->turn == header->turn &&
            item->number == header->number)
            return item;
    }
    return NULL;
}

/* Gives the executor what a short receive brought. */
static void deliver(struct allfold_item *item, const struct allfold_slot_header *header,
                    const char *data)
{
    struct allfold_fabric_stream *stream = item->stream;
    struct allfold_transport *transport = &stream->transport;
    int error = 0;
    if (header->kind == ALLFOLD_SLOT_POISON)
        item->got_poison = true;
    else if (header->bytes != item->bytes)
        item->failed = true; /* the ranks made different calls */
    else if (item->bytes > 0 && !item->has_no_data)
        error = transport->deliver(transport->deliver_context, item->slot, 0,
                                   item->bytes / stream->element_bytes, data);
    item->failed |= error != 0;
}

static bool take_slot(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                      const struct allfold_slot_header *header, const char *data)
{
    if (header->kind == ALLFOLD_SLOT_FRAGMENT || header->kind == ALLFOLD_SLOT_REFUSAL) {
        take_part(fabric, header, data);
        return true;
    }
    struct allfold_item *item = find_item(fabric, peer, header);
    if (item != NULL && item->is_send) {
        take_offer(fabric, item, header);
        return true;
    }
    if (item != NULL && item->stream == fabric->testing) {
        deliver(item, header, data);
        finish(item, false);
        allfold_pair_take(fabric, item->stream, peer);
        return true;
    }
    struct allfold_held *held = hold(header, data);
    if (held == NULL)
        return false;
    fabric->figures.copied_bytes += header->bytes;
    if (item != NULL) {
        item->held = held;
        finish(item, false);
        item->state = ALLFOLD_ITEM_ARRIVED;
        allfold_pair_take(fabric, item->stream, peer);
    } else {
        *peer->early_end = held;
        peer->early_end = &held->next;
    }
    return true;
}

/* Ends an item, whatever it waits for. */
static void cut_short(struct allfold_fabric *fabric, struct allfold_item *item)
{
    if (item->state == ALLFOLD_ITEM_FREE || item->state == ALLFOLD_ITEM_ARRIVED ||
        (item->state == ALLFOLD_ITEM_DONE && !item->is_writing))
        return;
    allfold_peer_unqueue(item);
    if (item->state == ALLFOLD_ITEM_DONE)
        finish(item, item->failed);
    else if (item->is_long && !item->is_send)
        finish_receive(fabric, item, true);
    else
        finish(item, true);
}

static void lose_peer(struct allfold_fabric *fabric, const struct allfold_fabric_peer *peer)
{
    for (struct allfold_fabric_stream *s = fabric->streams; s != NULL; s = s->next)
        for (uint32_t i = 0; i < fabric->options.window; i++)
            if (s->items[i].peer == peer)
                cut_short(fabric, &s->items[i]);
}

static const struct allfold_fabric_receiver receiver = {.take_slot = take_slot,
                                                        .take_place = take_place,
                                                        .item_written = item_written,
                                                        .lose_peer = lose_peer};

struct allfold_fabric *allfold_fabric_create(const struct allfold_fabric_options *options)
{
    return allfold_peers_create(options, &receiver);
}

/* --- the transport's operations --- */

/* Which run with messages of this pair and direction this one is; 0 without memory. */
static uint32_t turn_of(struct allfold_fabric_stream *stream,
                        const struct allfold_fabric_peer *peer, bool sends)
{
    const uint32_t before = stream->pair_capacity;
    struct allfold_pair *wider =
        allfold_make_room(stream->pairs, peer->index, &stream->pair_capacity, sizeof *wider);
    if (wider == NULL)
        return 0;
    stream->pairs = wider;
    if (stream->pair_capacity > before)
        memset(wider + before, 0, (stream->pair_capacity - before) * sizeof *wider);
    struct allfold_pair *pair = &wider[peer->index];
    uint64_t *run = sends ? &pair->run_sent : &pair->run_received;
    uint32_t *turn = sends ? &pair->sent : &pair->received;
    if (*run != stream->run) {
        *run = stream->run;
        *turn = *turn == UINT32_MAX ? 1 : *turn + 1;
    }
    return *turn;
}

/* The peer of a rank and its turn, tried twice. NULL without memory. */
static struct allfold_fabric_peer *find_peer(struct allfold_fabric_stream *stream, int rank,
                                             bool sends, uint32_t *turn)
{
    for (int times = 0; times < 2; times++) {
        struct allfold_fabric_peer *peer = allfold_fabric_peer(stream->fabric, rank);
        *turn = peer == NULL ? 0 : turn_of(stream, peer, sends);
        if (*turn > 0)
            return peer;
    }
    return NULL;
}

/* The item of a message, filled in; NULL without memory. */
static struct allfold_item *open_item(struct allfold_fabric_stream *stream,
                                      const struct allfold_message *message, bool is_send)
{
    const int rank = stream->rank_of == NULL ? message->peer : stream->rank_of[message->peer];
    uint32_t turn;
    struct allfold_fabric_peer *peer = find_peer(stream, rank, is_send, &turn);
    struct allfold_item *item = &stream->items[message->slot];
    assert(message->slot < stream->fabric->options.window);
    assert(item->state == ALLFOLD_ITEM_FREE);
    for (int times = 0; times < 2 && item->out == NULL; times++)
        item->out = allfold_allocate(sizeof *item->out);
    if (peer == NULL || item->out == NULL)
        return NULL;
    const size_t bytes = message->length * stream->element_bytes;
    *item = (struct allfold_item){.out = item->out,
                                  .stream = stream,
                                  .peer = peer,
                                  .is_send = is_send,
                                  .has_no_data = message->has_no_data,
                                  .is_long = bytes > ALLFOLD_SHORT_BYTES,
                                  .copy = -1,
                                  .slot = message->slot,
                                  .turn = turn,
                                  .number = message->number,
                                  .data = message->data,
                                  .bytes = bytes};
    return item;
}

/* A long receive sends the place for its data to the sender; if the provider cannot register the
 * memory, it asks for fragments. */
static bool tell_place(struct allfold_fabric *fabric, struct allfold_item *item)
{
    struct allfold_provider *provider = fabric->provider;
    if (!take_receive_row(fabric, item) && !take_receive_row(fabric, item))
        return false;
    if (!item->has_no_data &&
        provider->operations->enroll(provider, item->data, item->bytes, &item->place))
        fabric->figures.registrations++;
    allfold_peer_queue(fabric, item, ALLFOLD_SLOT_PLACE);
    return true;
}

/* What came before the item did. */
static void take_early(struct allfold_fabric *fabric, struct allfold_item *item)
{
    struct allfold_held *held = allfold_peer_take_early(item);
    item->state = ALLFOLD_ITEM_WAITS;
    if (held == NULL)
        return;
    if (!item->is_send) {
        item->held = held;
        finish(item, false);
        item->state = ALLFOLD_ITEM_ARRIVED;
        allfold_pair_take(fabric, item->stream, item->peer);
        return;
    }
    take_offer(fabric, item, &held->header);
    allfold_free(held);
}

/* Where nothing else is in flight, nobody calls `abandon` after an error. */
static int begin_message(struct allfold_transport *transport, const struct allfold_message *message,
                         bool is_send)
{
    struct allfold_fabric_stream *stream = (struct allfold_fabric_stream *)transport;
    struct allfold_fabric *fabric = stream->fabric;
    bool has_begun = true;
    pthread_mutex_lock(&fabric->mutex);
    struct allfold_item *item = open_item(stream, message, is_send);
    if (item == NULL) {
        has_begun = false;
    } else if (item->peer->is_lost) {
        item->state = ALLFOLD_ITEM_WAITS;
        finish(item, true);
    } else if (is_send && !item->is_long) {
        allfold_peer_queue(fabric, item,
                           item->has_no_data ? ALLFOLD_SLOT_POISON : ALLFOLD_SLOT_DATA);
    } else if (!is_send && item->is_long) {
        has_begun = tell_place(fabric, item);
    } else {
        take_early(fabric, item);
    }
    if (!has_begun)
        allfold_peers_lose_all(fabric);
    pthread_mutex_unlock(&fabric->mutex);
    return has_begun ? 0 : fabric->options.error;
}

static int stream_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    return begin_message(transport, message, true);
}

static int stream_receive(struct allfold_transport *transport,
                          const struct allfold_message *message)
{
    return begin_message(transport, message, false);
}

/* Takes the list of those done. */
static int collect(struct allfold_fabric_stream *stream, uint32_t *slots, uint32_t *count)
{
    int error = 0;
    while (stream->done != NULL) {
        struct allfold_item *item = stream->done;
        stream->done = item->next;
        if (item->held != NULL) {
            deliver(item, &item->held->header, item->held->data);
            allfold_free(item->held);
            item->held = NULL;
        }
        if (item->failed)
            error = stream->fabric->options.error;
        stream->transport.got_poison |= item->got_poison;
        slots[(*count)++] = item->slot;
        item->state = ALLFOLD_ITEM_FREE;
    }
    stream->last_done = &stream->done;
    return error;
}

static int stream_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    enum { TESTS_UNTIL_IDLE = 32 }; /* who only tests hears of lost peers, too */
    struct allfold_fabric_stream *stream = (struct allfold_fabric_stream *)transport;
    struct allfold_fabric *fabric = stream->fabric;
    *count = 0;
    pthread_mutex_lock(&fabric->mutex);
    fabric->testing = stream;
    allfold_fabric_poll(fabric);
    const int error = collect(stream, slots, count);
    stream->empty_tests = *count > 0 ? 0 : stream->empty_tests + 1;
    const bool is_idle = *count == 0 && stream->empty_tests % TESTS_UNTIL_IDLE == 0;
    if (is_idle)
        allfold_peers_find_missing(fabric);
    fabric->testing = NULL;
    pthread_mutex_unlock(&fabric->mutex);
    if (is_idle && fabric->options.idle != NULL)
        fabric->options.idle(fabric->options.context);
    return error;
}

static int stream_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                       uint32_t *count)
{
    enum { AT_ONCE = 4 }; /* a look takes longer than to yield, and peers may need the core */
    (void)oldest;
    for (unsigned times = 0;; times++) {
        const int error = stream_test(transport, slots, count);
        if (*count > 0 || error != 0 || transport->got_poison)
            return error;
        if (times >= AT_ONCE)
            sched_yield();
    }
}

static void stream_abandon(struct allfold_transport *transport)
{
    enum { MOST_POLLS = 100000 };
    struct allfold_fabric_stream *stream = (struct allfold_fabric_stream *)transport;
    struct allfold_fabric *fabric = stream->fabric;
    uint32_t slots[ALLFOLD_MAX_WINDOW], count = 0;
    pthread_mutex_lock(&fabric->mutex);
    allfold_peers_lose_all(fabric);
    for (int i = 0; i < MOST_POLLS && fabric->writing > 0; i++) {
        allfold_fabric_poll(fabric);
        sched_yield();
    }
    for (struct allfold_item *item = stream->done; item != NULL; item = item->next)
        item->has_no_data = true;
    collect(stream, slots, &count);
    transport->got_poison = false;
    pthread_mutex_unlock(&fabric->mutex);
}

static const struct allfold_transport_operations operations = {
    .send = stream_send,
    .receive = stream_receive,
    .test = stream_test,
    .wait = stream_wait,
    .abandon = stream_abandon,
    .sends_poison = true,
};

struct allfold_fabric_stream *allfold_fabric_stream_create(struct allfold_fabric *fabric,
                                                           uint64_t key)
{
    struct allfold_fabric_stream *stream =
        allfold_allocate_zeroed(sizeof *stream + fabric->options.window * sizeof *stream->items);
    if (stream == NULL)
        return NULL;
    stream->transport = (struct allfold_transport){.operations = &operations,
                                                   .poison_error = fabric->options.error};
    stream->fabric = fabric;
    stream->key = key;
    stream->last_done = &stream->done;
    pthread_mutex_lock(&fabric->mutex);
    stream->next = fabric->streams;
    fabric->streams = stream;
    pthread_mutex_unlock(&fabric->mutex);
    return stream;
}

void allfold_fabric_stream_name(struct allfold_fabric_stream *stream, uint64_t key)
{
    pthread_mutex_lock(&stream->fabric->mutex);
    assert(stream->run == 0);
    stream->key = key;
    pthread_mutex_unlock(&stream->fabric->mutex);
}

/* Nobody receives what came early for a stream that is freed. */
static void forget_early(struct allfold_fabric_stream *stream)
{
    struct allfold_fabric *fabric = stream->fabric;
    for (uint32_t i = 0; i < fabric->peer_count; i++) {
        struct allfold_fabric_peer *peer = fabric->by_index[i];
        struct allfold_held **at = &peer->early;
        while (*at != NULL) {
            struct allfold_held *held = *at;
            if (held->header.stream != stream->key) {
                at = &held->next;
                continue;
            }
            *at = held->next;
            allfold_free(held);
        }
        peer->early_end = at;
        if (i < stream->pair_capacity)
            peer->due_count -= stream->pairs[i].is_due;
    }
}

/* Ends what a run that was given up has left. */
static void end_items(struct allfold_fabric_stream *stream)
{
    for (uint32_t i = 0; i < stream->fabric->options.window; i++) {
        struct allfold_item *item = &stream->items[i];
        cut_short(stream->fabric, item);
        if (item->is_writing)
            give_up_write(stream->fabric, item);
        allfold_free(item->held);
        allfold_free(item->out);
    }
}

void allfold_fabric_stream_free(struct allfold_fabric_stream *stream)
{
    if (stream == NULL)
        return;
    struct allfold_fabric *fabric = stream->fabric;
    pthread_mutex_lock(&fabric->mutex);
    struct allfold_fabric_stream **at = &fabric->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    forget_early(stream);
    end_items(stream);
    pthread_mutex_unlock(&fabric->mutex);
    free(stream->pairs); /* grown by allfold_make_room */
    allfold_free(stream);
}

struct allfold_transport *allfold_fabric_transport(struct allfold_fabric_stream *stream)
{
    return &stream->transport;
}

void allfold_fabric_begin(struct allfold_fabric_stream *stream, size_t element_bytes,
                          const int *rank_of)
{
    stream->run++;
    stream->element_bytes = element_bytes;
    stream->rank_of = rank_of;
}

void allfold_fabric_has_begun(struct allfold_fabric_stream *stream)
{
    pthread_mutex_lock(&stream->fabric->mutex);
    allfold_peers_tell_places(stream->fabric);
    pthread_mutex_unlock(&stream->fabric->mutex);
}
