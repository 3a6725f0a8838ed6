/* The peers of a fabric: introductions, slots, credits and progress (see fabric.h).
 *
 * Invariant: a peer's slots are used as a ring and become free in order. So a number of credits
 * says which slots are free, although messages may arrive in any order. Whatever arrives in a slot
 * is handled at once, so credits flow whichever stream waits. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric_inner.h"
#include "util/memory.h"

static uint32_t notice(enum allfold_notice what, uint32_t of)
{
    return (uint32_t)what << ALLFOLD_NOTICE_SHIFT | of;
}

/* --- writes --- */

static void end_write(struct allfold_fabric *fabric, struct allfold_write *write, bool failed);

static void put_later(struct allfold_fabric *fabric, struct allfold_write *write)
{
    write->next = NULL;
    *fabric->later_end = write;
    fabric->later_end = &write->next;
}

/* Whose write it is. */
static struct allfold_fabric_peer *peer_of(const struct allfold_write *write)
{
    return write->owner != NULL ? write->owner : ((const struct allfold_item_write *)write)->peer;
}

static void try_write(struct allfold_fabric *fabric, struct allfold_write *write)
{
    if (peer_of(write)->is_lost) {
        end_write(fabric, write, true);
        return;
    }
    switch (fabric->provider->operations->write(fabric->provider, write)) {
    case ALLFOLD_WRITE_POSTED:
        break;
    case ALLFOLD_WRITE_LATER:
        put_later(fabric, write);
        break;
    case ALLFOLD_WRITE_FAILED:
        end_write(fabric, write, true);
        break;
    }
}

static void post(struct allfold_fabric *fabric, struct allfold_write *write)
{
    fabric->writing++;
    try_write(fabric, write);
}

/* A write to one peer may have to wait for long, until that peer is in the library. So each of them
 * is tried. */
static void retry_later(struct allfold_fabric *fabric)
{
    struct allfold_write *write = fabric->later, *next;
    fabric->later = NULL;
    fabric->later_end = &fabric->later;
    for (; write != NULL; write = next) {
        next = write->next;
        try_write(fabric, write);
    }
}

/* --- introductions --- */

static void greet(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer)
{
    const struct allfold_fabric_address *address = &fabric->addresses[peer->rank];
    struct allfold_board_entry *introduction = &peer->memory->introduction;
    *introduction = (struct allfold_board_entry){.address = peer->registration.address,
                                                 .key = peer->registration.key,
                                                 .first = peer->index * ALLFOLD_FABRIC_SLOTS};
    peer->hello = (struct allfold_write){
        .data = introduction,
        .bytes = sizeof *introduction,
        .local = peer->registration.local,
        .peer = peer->address,
        .target = address->board + (uint64_t)fabric->options.rank * sizeof *introduction,
        .key = address->key,
        .immediate = notice(ALLFOLD_NOTICE_HELLO, (uint32_t)fabric->options.rank),
        .owner = peer};
    peer->is_greeting = true;
    post(fabric, &peer->hello);
}

void allfold_peer_free(struct allfold_fabric_peer *peer)
{
    for (struct allfold_held *next; peer->early != NULL; peer->early = next) {
        next = peer->early->next;
        allfold_free(peer->early);
    }
    allfold_free(peer->memory);
    allfold_free(peer);
}

static struct allfold_fabric_peer *make_peer(struct allfold_fabric *fabric, int rank)
{
    struct allfold_provider *provider = fabric->provider;
    struct allfold_fabric_peer **wider = allfold_make_room(
        fabric->by_index, fabric->peer_count, &fabric->by_index_capacity, sizeof(*wider));
    if (wider == NULL)
        return NULL;
    fabric->by_index = wider;
    struct allfold_fabric_peer *peer = allfold_allocate_zeroed(sizeof *peer);
    if (peer == NULL)
        return NULL;
    peer->memory = allfold_allocate_zeroed(sizeof *peer->memory);
    peer->rank = rank;
    peer->index = fabric->peer_count;
    peer->is_lost = (fabric->flags[rank] & ALLFOLD_RANK_LOST) != 0;
    peer->queue_end = &peer->queue;
    peer->early_end = &peer->early;
    if (peer->memory != NULL &&
        provider->operations->insert(provider, fabric->addresses[rank].address, &peer->address) &&
        provider->operations->enroll(provider, peer->memory, sizeof *peer->memory,
                                     &peer->registration))
        return peer;
    allfold_peer_free(peer);
    return NULL;
}

struct allfold_fabric_peer *allfold_fabric_peer(struct allfold_fabric *fabric, int rank)
{
    assert(rank >= 0 && rank < fabric->options.size);
    struct allfold_fabric_peer *peer = fabric->peers[rank];
    if (peer != NULL)
        return peer;
    peer = make_peer(fabric, rank);
    if (peer == NULL)
        return NULL;
    fabric->peers[rank] = fabric->by_index[fabric->peer_count++] = peer;
    if (!peer->is_lost)
        greet(fabric, peer);
    return peer;
}

static void pump(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer);

/* Another rank has written its entry of the board. Where there is no memory to answer, this rank
 * tries again later. */
static void take_hello(struct allfold_fabric *fabric, int rank)
{
    if (rank >= fabric->options.size)
        return;
    struct allfold_fabric_peer *peer = allfold_fabric_peer(fabric, rank);
    const bool was_unanswered = (fabric->flags[rank] & ALLFOLD_RANK_UNANSWERED) != 0;
    fabric->unanswered_count += (peer == NULL) - was_unanswered;
    fabric->flags[rank] &= (unsigned char)~ALLFOLD_RANK_UNANSWERED;
    if (peer == NULL) {
        fabric->flags[rank] |= ALLFOLD_RANK_UNANSWERED;
        return;
    }
    allfold_peer_arrive(peer);
    const struct allfold_board_entry *entry = &fabric->board[rank];
    peer->there = entry->address;
    peer->key_there = entry->key;
    peer->first_there = (uint32_t)entry->first;
    peer->credits = ALLFOLD_FABRIC_SLOTS;
    peer->is_met = true;
    pump(fabric, peer);
}

static void retry_hellos(struct allfold_fabric *fabric)
{
    for (int r = 0; r < fabric->options.size && fabric->unanswered_count > 0; r++)
        if ((fabric->flags[r] & ALLFOLD_RANK_UNANSWERED) != 0)
            take_hello(fabric, r);
}

/* --- slots and credits --- */

/* How many short messages met their receives, to be told to the peer now. */
static uint32_t say_taken(struct allfold_fabric_peer *peer, struct allfold_pair *pair)
{
    peer->due_count -= pair->is_due;
    pair->is_due = false;
    pair->told = pair->taken;
    return pair->told;
}

static struct allfold_slot_header header_of(struct allfold_fabric_peer *peer,
                                            const struct allfold_item *item)
{
    const bool has_no_place = item->kind == ALLFOLD_SLOT_PLACE && item->place.handle == NULL;
    return (struct allfold_slot_header){.stream = item->stream->key,
                                        .turn = item->turn,
                                        .number = item->number,
                                        .kind = item->kind,
                                        .receive = item->receive,
                                        .received =
                                            say_taken(peer, &item->stream->pairs[peer->index]),
                                        .offset = item->moved,
                                        .address = has_no_place ? UINT64_MAX : item->place.address,
                                        .key = has_no_place ? UINT64_MAX : item->place.key};
}

/* Adds all other places that the peer is to know, so that those of a start take one write. Returns
 * their bytes. */
static size_t add_places(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer, char *to)
{
    size_t bytes = 0;
    for (struct allfold_item *next, *item = peer->queue; item != NULL; item = next) {
        struct allfold_slot_header header;
        next = item->next;
        if (item->kind != ALLFOLD_SLOT_PLACE || bytes + sizeof header > ALLFOLD_SHORT_BYTES)
            continue;
        allfold_peer_unqueue(item);
        item->state = ALLFOLD_ITEM_WAITS;
        header = header_of(peer, item);
        memcpy(to + bytes, &header, sizeof header);
        bytes += sizeof header;
        fabric->figures.places++;
    }
    return bytes;
}

/* Copies what the item sends into the peer's next slot here, header first. Returns the bytes of the
 * item's data; *bytes are those after the header. */
static size_t fill(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                   const struct allfold_item *item, size_t *bytes)
{
    char *copy = peer->memory->copies[peer->next_slot],
         *data = copy + sizeof(struct allfold_slot_header);
    const size_t left = item->bytes - item->moved;
    struct allfold_slot_header header = header_of(peer, item);
    size_t moved = 0;
    header.released = (uint16_t)peer->untold;
    peer->untold = 0;
    if (item->kind == ALLFOLD_SLOT_DATA || item->kind == ALLFOLD_SLOT_FRAGMENT)
        moved = left < ALLFOLD_SHORT_BYTES ? left : ALLFOLD_SHORT_BYTES;
    if (moved > 0)
        memcpy(data, item->data + item->moved, moved);
    fabric->figures.copied_bytes += moved;
    fabric->figures.places += item->kind == ALLFOLD_SLOT_PLACE;
    *bytes = item->kind == ALLFOLD_SLOT_PLACE ? add_places(fabric, peer, data) : moved;
    header.bytes = (uint32_t)*bytes;
    memcpy(copy, &header, sizeof header);
    return moved;
}

/* A write of the peer's next slot, header and so many bytes. */
static struct allfold_write use_slot(struct allfold_fabric *fabric,
                                     struct allfold_fabric_peer *peer, size_t bytes)
{
    const uint32_t slot = peer->next_slot;
    peer->is_writing[slot] = true;
    peer->next_slot = (slot + 1) % ALLFOLD_FABRIC_SLOTS;
    peer->credits--;
    fabric->figures.slot_writes++;
    return (struct allfold_write){
        .data = peer->memory->copies[slot],
        .bytes = sizeof(struct allfold_slot_header) + bytes,
        .local = peer->registration.local,
        .peer = peer->address,
        .target = peer->there + (uint64_t)slot * ALLFOLD_FABRIC_SLOT_BYTES,
        .key = peer->key_there,
        .immediate = notice(ALLFOLD_NOTICE_SLOT, peer->first_there + slot)};
}

static bool is_eager(const struct allfold_item *item)
{
    return item->kind == ALLFOLD_SLOT_DATA || item->kind == ALLFOLD_SLOT_POISON;
}

static void write_slot(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                       struct allfold_item *item)
{
    size_t bytes;
    item->moved += fill(fabric, peer, item, &bytes);
    item->copy = (int)peer->next_slot;
    item->stream->pairs[peer->index].put += is_eager(item);
    const struct allfold_write write = use_slot(fabric, peer, bytes);
    allfold_item_write(fabric, item, &write);
}

/* Tells the peer how many short messages of a stream met their receives. */
static void write_report(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer)
{
    struct allfold_fabric_stream *stream = fabric->streams;
    while (stream->pair_capacity <= peer->index || !stream->pairs[peer->index].is_due)
        stream = stream->next;
    const struct allfold_slot_header header = {.stream = stream->key,
                                               .kind = ALLFOLD_SLOT_RECEIVED,
                                               .released = (uint16_t)peer->untold,
                                               .received =
                                                   say_taken(peer, &stream->pairs[peer->index])};
    peer->untold = 0;
    peer->report_slot = (int)peer->next_slot;
    memcpy(peer->memory->copies[peer->next_slot], &header, sizeof header);
    peer->report = use_slot(fabric, peer, 0);
    peer->report.owner = peer;
    peer->is_reporting = true;
    post(fabric, &peer->report);
}

/* The first item that waits for a slot and may have one; NULL: none. */
static struct allfold_item *next_of(const struct allfold_fabric *fabric,
                                    const struct allfold_fabric_peer *peer)
{
    struct allfold_item *item = peer->queue;
    for (; item != NULL; item = item->next) {
        const struct allfold_pair *pair = &item->stream->pairs[peer->index];
        if (!is_eager(item) || pair->put - pair->received_there < fabric->options.window)
            break;
    }
    return item;
}

void allfold_item_write(struct allfold_fabric *fabric, struct allfold_item *item,
                        const struct allfold_write *write)
{
    assert(write->owner == NULL && !item->is_writing);
    *item->out = (struct allfold_item_write){.write = *write, .peer = item->peer, .item = item};
    item->is_writing = true;
    item->state = ALLFOLD_ITEM_WRITTEN;
    post(fabric, &item->out->write);
}

/* Writes what waits for slots, as far as there are any. */
static void pump(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer)
{
    while (peer->is_met && !peer->is_lost && peer->credits > 0 &&
           !peer->is_writing[peer->next_slot]) {
        struct allfold_item *item = next_of(fabric, peer);
        if (item != NULL) {
            allfold_peer_unqueue(item);
            write_slot(fabric, peer, item);
        } else if (peer->due_count > 0 && !peer->is_reporting) {
            write_report(fabric, peer);
        } else {
            break;
        }
    }
}

void allfold_pair_take(struct allfold_fabric *fabric, struct allfold_fabric_stream *stream,
                       struct allfold_fabric_peer *peer)
{
    struct allfold_pair *pair = &stream->pairs[peer->index];
    pair->taken++;
    if (pair->is_due || pair->taken - pair->told < (fabric->options.window + 1) / 2)
        return;
    pair->is_due = true;
    peer->due_count++;
    pump(fabric, peer);
}

struct allfold_fabric_stream *allfold_stream_find(const struct allfold_fabric *fabric, uint64_t key)
{
    struct allfold_fabric_stream *stream = fabric->streams;
    while (stream != NULL && stream->key != key)
        stream = stream->next;
    return stream;
}

/* The peer says how many short messages met their receives there. */
static void take_report(struct allfold_fabric *fabric, const struct allfold_fabric_peer *peer,
                        const struct allfold_slot_header *header)
{
    const struct allfold_fabric_stream *stream = allfold_stream_find(fabric, header->stream);
    if (stream == NULL || stream->pair_capacity <= peer->index)
        return;
    struct allfold_pair *pair = &stream->pairs[peer->index];
    if (header->received - pair->received_there <= pair->put - pair->received_there)
        pair->received_there = header->received; /* else a later write has said more already */
}

void allfold_peer_queue(struct allfold_fabric *fabric, struct allfold_item *item, uint16_t kind)
{
    struct allfold_fabric_peer *peer = item->peer;
    item->kind = kind;
    item->state = ALLFOLD_ITEM_QUEUED;
    item->next = NULL;
    *peer->queue_end = item;
    peer->queue_end = &item->next;
    if (kind == ALLFOLD_SLOT_PLACE)
        fabric->has_places = true; /* others of this start may go with it */
    else
        pump(fabric, peer);
}

void allfold_peers_tell_places(struct allfold_fabric *fabric)
{
    if (!fabric->has_places)
        return;
    fabric->has_places = false;
    for (uint32_t i = 0; i < fabric->peer_count; i++)
        pump(fabric, fabric->by_index[i]);
}

void allfold_peer_unqueue(struct allfold_item *item)
{
    struct allfold_fabric_peer *peer = item->peer;
    struct allfold_item **at = &peer->queue;
    while (*at != NULL && *at != item)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    *at = item->next;
    if (item->next == NULL)
        peer->queue_end = at;
    item->next = NULL;
}

/* Tells the peer which slots are free, once these are half of them. Who sends much to the peer
 * meanwhile tells it in passing. */
static void give_credit(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer)
{
    const struct allfold_fabric_address *address = &fabric->addresses[peer->rank];
    if (peer->untold < ALLFOLD_FABRIC_SLOTS / 2 || peer->is_crediting || peer->is_lost)
        return;
    const uint32_t count = peer->untold;
    peer->untold = 0;
    peer->is_crediting = true;
    peer->credit = (struct allfold_write){
        .data = &peer->memory->introduction.unused,
        .bytes = sizeof peer->memory->introduction.unused,
        .local = peer->registration.local,
        .peer = peer->address,
        .target = address->board + (uint64_t)fabric->options.rank * sizeof *fabric->board +
                  offsetof(struct allfold_board_entry, unused),
        .key = address->key,
        .immediate = notice(ALLFOLD_NOTICE_CREDIT,
                            count << ALLFOLD_NOTICE_RANK_BITS | (uint32_t)fabric->options.rank),
        .owner = peer};
    fabric->figures.credit_writes++;
    post(fabric, &peer->credit);
}

static void take_credit(struct allfold_fabric *fabric, uint32_t of)
{
    const uint32_t rank = of & (ALLFOLD_MOST_RANKS - 1);
    struct allfold_fabric_peer *peer =
        rank < (uint32_t)fabric->options.size ? fabric->peers[rank] : NULL;
    if (peer == NULL)
        return;
    allfold_peer_arrive(peer);
    peer->credits += of >> ALLFOLD_NOTICE_RANK_BITS;
    assert(peer->credits <= ALLFOLD_FABRIC_SLOTS);
    pump(fabric, peer);
}

/* The message in a slot is taken: so are, perhaps, all before it that are not free yet. */
static void free_slot(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                      uint32_t slot)
{
    peer->taken |= 1u << slot;
    while ((peer->taken & 1u << peer->next_taken) != 0) {
        peer->taken &= ~(1u << peer->next_taken);
        peer->next_taken = (peer->next_taken + 1) % ALLFOLD_FABRIC_SLOTS;
        peer->untold++;
    }
    give_credit(fabric, peer);
}

/* Handles the places in a slot, each with a header of its own. Places that have been handled are
 * skipped the next time. False if out of memory for one of them. */
static bool take_places(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer, char *at,
                        size_t bytes)
{
    bool are_taken = true;
    for (const char *end = at + bytes; at + sizeof(struct allfold_slot_header) <= end;
         at += sizeof(struct allfold_slot_header)) {
        struct allfold_slot_header header;
        memcpy(&header, at, sizeof header);
        take_report(fabric, peer, &header);
        if (header.kind != ALLFOLD_SLOT_PLACE)
            continue;
        const uint32_t others_bytes = header.bytes;
        header.bytes = 0;
        if (!fabric->receiver->take_slot(fabric, peer, &header, NULL)) {
            are_taken = false;
            continue;
        }
        header.kind = ALLFOLD_SLOT_RECEIVED;
        header.bytes = others_bytes;
        memcpy(at, &header, sizeof header);
    }
    return are_taken;
}

/* Handles the content of a slot; false if out of memory. */
static bool take_content(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                         const struct allfold_slot_header *header, char *at)
{
    if (header->bytes > ALLFOLD_SHORT_BYTES)
        return true;
    if (header->kind == ALLFOLD_SLOT_PLACE || header->kind == ALLFOLD_SLOT_RECEIVED)
        return take_places(fabric, peer, at, sizeof *header + header->bytes);
    return fabric->receiver->take_slot(fabric, peer, header, at + sizeof *header);
}

static void take_slot(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                      uint32_t slot)
{
    struct allfold_slot_header header;
    char *at = peer->memory->slots[slot];
    memcpy(&header, at, sizeof header);
    peer->credits += header.released;
    header.released = 0;
    memcpy(at, &header, sizeof header); /* it may be looked at again */
    take_report(fabric, peer, &header);
    pump(fabric, peer);
    const bool was_stuck = (peer->stuck & 1u << slot) != 0;
    const bool is_stuck = !take_content(fabric, peer, &header, at);
    fabric->stuck_count += (uint32_t)is_stuck - (uint32_t)was_stuck;
    peer->stuck &= ~(1u << slot);
    if (is_stuck)
        peer->stuck |= 1u << slot;
    else
        free_slot(fabric, peer, slot);
}

/* Messages for which there was no memory, nor a receive. */
static void retry_stuck(struct allfold_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->peer_count && fabric->stuck_count > 0; i++)
        for (uint32_t slot = 0; slot < ALLFOLD_FABRIC_SLOTS; slot++)
            if ((fabric->by_index[i]->stuck & 1u << slot) != 0)
                take_slot(fabric, fabric->by_index[i], slot);
}

struct allfold_held *allfold_peer_take_early(const struct allfold_item *item)
{
    struct allfold_fabric_peer *peer = item->peer;
    for (struct allfold_held **at = &peer->early; *at != NULL; at = &(*at)->next) {
        struct allfold_held *held = *at;
        if (held->header.stream != item->stream->key || held->header.turn != item->turn ||
            held->header.number != item->number ||
            (held->header.kind == ALLFOLD_SLOT_PLACE) != item->is_send)
            continue;
        *at = held->next;
        if (held->next == NULL)
            peer->early_end = at;
        return held;
    }
    return NULL;
}

/* The peer may be new: then its introduction is missing. */
void allfold_fabric_take_tally(struct allfold_fabric *fabric, int rank, uint64_t writes)
{
    if (rank < 0 || rank >= fabric->options.size)
        return;
    pthread_mutex_lock(&fabric->mutex);
    struct allfold_fabric_peer *peer = allfold_fabric_peer(fabric, rank);
    if (peer == NULL) /* tried twice, as elsewhere */
        peer = allfold_fabric_peer(fabric, rank);
    if (peer != NULL && writes > peer->ended_there)
        peer->ended_there = writes;
    pthread_mutex_unlock(&fabric->mutex);
}

/* --- progress --- */

static void end_write(struct allfold_fabric *fabric, struct allfold_write *write, bool failed)
{
    struct allfold_fabric_peer *peer = peer_of(write);
    assert(fabric->writing > 0);
    fabric->writing--;
    peer->ended += !failed;
    if (write->owner == NULL) {
        struct allfold_item *item = ((struct allfold_item_write *)write)->item;
        if (item == NULL)
            return;
        if (item->copy >= 0)
            peer->is_writing[item->copy] = false;
        item->copy = -1;
        fabric->receiver->item_written(fabric, item, failed);
    } else if (write == &peer->hello) {
        peer->is_greeting = false;
    } else if (write == &peer->report) {
        peer->is_writing[peer->report_slot] = false;
        peer->is_reporting = false;
    } else {
        peer->is_crediting = false;
    }
    if (failed)
        allfold_peer_lose(fabric, peer->rank, true);
    give_credit(fabric, peer);
    pump(fabric, peer);
}

static void take_notice(struct allfold_fabric *fabric, uint32_t immediate)
{
    const uint32_t of = immediate & ((1u << ALLFOLD_NOTICE_SHIFT) - 1);
    switch ((enum allfold_notice)(immediate >> ALLFOLD_NOTICE_SHIFT)) {
    case ALLFOLD_NOTICE_SLOT:
        if (of / ALLFOLD_FABRIC_SLOTS < fabric->peer_count) {
            allfold_peer_arrive(fabric->by_index[of / ALLFOLD_FABRIC_SLOTS]);
            take_slot(fabric, fabric->by_index[of / ALLFOLD_FABRIC_SLOTS],
                      of % ALLFOLD_FABRIC_SLOTS);
        }
        break;
    case ALLFOLD_NOTICE_PLACE:
        fabric->receiver->take_place(fabric, of);
        break;
    case ALLFOLD_NOTICE_CREDIT:
        take_credit(fabric, of);
        break;
    case ALLFOLD_NOTICE_HELLO:
        take_hello(fabric, (int)(of & (ALLFOLD_MOST_RANKS - 1)));
        break;
    }
}

/* The provider has lost completions, so nobody learns which writes have ended. This rank uses the
 * fabric no more, and tells all others. */
static void break_fabric(struct allfold_fabric *fabric)
{
    fabric->is_broken = true;
    allfold_peers_lose_all(fabric);
    fabric->later = NULL;
    fabric->later_end = &fabric->later;
    fabric->writing = 0;
}

void allfold_fabric_poll(struct allfold_fabric *fabric)
{
    enum { ROOM = 16 };
    struct allfold_completion completions[ROOM];
    if (fabric->is_broken)
        return;
    allfold_peers_tell_places(fabric);
    if (fabric->later != NULL)
        retry_later(fabric);
    if (fabric->unanswered_count > 0)
        retry_hellos(fabric);
    if (fabric->stuck_count > 0)
        retry_stuck(fabric);
    const uint32_t count = fabric->provider->operations->poll(fabric->provider, completions, ROOM);
    for (uint32_t i = 0; i < count && !fabric->is_broken; i++)
        if (completions[i].write != NULL)
            end_write(fabric, completions[i].write, completions[i].failed);
        else if (completions[i].failed)
            break_fabric(fabric);
        else
            take_notice(fabric, completions[i].immediate);
}

bool allfold_fabric_progress(struct allfold_fabric *fabric)
{
    pthread_mutex_lock(&fabric->mutex);
    allfold_fabric_poll(fabric);
    const bool is_writing = fabric->writing > 0;
    pthread_mutex_unlock(&fabric->mutex);
    return is_writing;
}
