/* The transport through shared memory (see shared_memory.h).
 *
 * Invariant: `number` of a place is that of the last piece written into it, counted from 1 over all
 * runs; the piece numbered k lies in place (k - 1) mod PLACES. The sender writes piece k only when
 * the receiver has taken piece k - PLACES, which `taken` tells. Each line is written by one side
 * alone. */
#include "execute/shared_memory.h"

#include <sched.h>
#include <string.h>

#include "schedule/memory.h"

enum { LINE_BYTES = 64, PLACES = 8, INLINE_BYTES = LINE_BYTES - 8 };

struct line {
    _Alignas(LINE_BYTES) atomic_uint_least64_t number;
    unsigned char bytes[INLINE_BYTES];
};

/* What a pair shares; the chunks of its places come behind it. */
struct channel {
    struct line lines[PLACES];
    _Alignas(LINE_BYTES) atomic_uint_least64_t taken; /* pieces; the receiver's line */
};

/* One side's view of a channel. */
struct side {
    struct channel *channel;
    uint64_t pieces;      /* written, or taken, by this side */
    uint64_t known_taken; /* of the sender: what it saw last of `taken` */
    uint64_t run;         /* which run `next_number` is of */
    uint32_t next_number; /* the message of the run whose turn it is */
};

/* A message in flight. */
struct flight {
    struct allfold_message message;
    struct side *side;
    size_t done; /* elements */
    bool is_send;
};

struct allfold_shared_memory {
    struct allfold_transport transport; /* first: its callbacks come back with it */
    struct allfold_shared_options options;
    size_t element_bytes;
    size_t inline_elements, chunk_elements; /* of a piece, at most */
    uint64_t run;
    uint32_t active_count;
    uint32_t beyond_count; /* messages that the other transport has in flight */
    bool is_broken;
    uint32_t active[ALLFOLD_MAX_WINDOW]; /* slots, in the order in which they were started */
    struct flight flights[ALLFOLD_MAX_WINDOW];
    struct side sides[]; /* to each index, then from each index */
};

static size_t channel_bytes(size_t chunk_bytes)
{
    return sizeof(struct channel) + PLACES * chunk_bytes;
}

size_t allfold_shared_bytes(int size, size_t chunk_bytes)
{
    return (size_t)size * (size_t)size * channel_bytes(chunk_bytes);
}

static struct channel *channel_of(const struct allfold_shared_options *options, int from, int to)
{
    const size_t number = (size_t)from * (size_t)options->size + (size_t)to;
    return (struct channel *)(void *)((char *)options->memory +
                                      number * channel_bytes(options->chunk_bytes));
}

static unsigned char *chunk_of(const struct allfold_shared_memory *t, struct channel *channel,
                               uint64_t place)
{
    return (unsigned char *)(channel + 1) + place * t->options.chunk_bytes;
}

/* The bytes of the next piece; a message that fits goes with the line. */
static size_t piece_elements(const struct allfold_shared_memory *t, const struct flight *flight)
{
    const size_t length = flight->message.length, rest = length - flight->done;
    if (length <= t->inline_elements)
        return length;
    return rest < t->chunk_elements ? rest : t->chunk_elements;
}

static unsigned char *piece_bytes(const struct allfold_shared_memory *t,
                                  const struct flight *flight, uint64_t place)
{
    struct channel *channel = flight->side->channel;
    return flight->message.length <= t->inline_elements ? channel->lines[place].bytes
                                                        : chunk_of(t, channel, place);
}

/* Writes the next piece of a message, if there is a free place; says whether it did. */
static bool push(struct allfold_shared_memory *t, struct flight *flight)
{
    struct side *side = flight->side;
    if (side->pieces - side->known_taken == PLACES) {
        side->known_taken = atomic_load_explicit(&side->channel->taken, memory_order_acquire);
        if (side->pieces - side->known_taken == PLACES)
            return false;
    }
    const uint64_t place = side->pieces % PLACES;
    const size_t count = piece_elements(t, flight);
    memcpy(piece_bytes(t, flight, place),
           (const char *)flight->message.data + flight->done * t->element_bytes,
           count * t->element_bytes);
    flight->done += count;
    atomic_store_explicit(&side->channel->lines[place].number, ++side->pieces,
                          memory_order_release);
    return true;
}

/* Takes the next piece of a message, if it is there; says whether it was. */
static bool pull(struct allfold_shared_memory *t, struct flight *flight, int *error)
{
    struct side *side = flight->side;
    const uint64_t place = side->pieces % PLACES;
    if (atomic_load_explicit(&side->channel->lines[place].number, memory_order_acquire) !=
        side->pieces + 1)
        return false;
    const size_t count = piece_elements(t, flight);
    *error = t->transport.take(t->transport.take_context, flight->message.slot, flight->done, count,
                               piece_bytes(t, flight, place));
    flight->done += count;
    atomic_store_explicit(&side->channel->taken, ++side->pieces, memory_order_release);
    return true;
}

/* Moves a message on by a piece; *is_done says whether it was its last. */
static bool move(struct allfold_shared_memory *t, struct flight *flight, bool *is_done, int *error)
{
    struct side *side = flight->side;
    *is_done = false;
    if (flight->message.number != side->next_number)
        return false;
    if (!(flight->is_send ? push(t, flight) : pull(t, flight, error)))
        return false;
    *is_done = flight->done == flight->message.length;
    side->next_number += *is_done;
    return true;
}

static int start(struct allfold_shared_memory *t, const struct allfold_message *message,
                 bool is_send)
{
    const int index = t->options.index_of[message->peer];
    if (index < 0) {
        struct allfold_transport *beyond = t->options.beyond;
        t->beyond_count++;
        return is_send ? beyond->send(beyond, message) : beyond->receive(beyond, message);
    }
    struct side *side = &t->sides[index + (is_send ? 0 : t->options.size)];
    if (side->run != t->run) {
        side->run = t->run;
        side->next_number = 0;
    }
    t->flights[message->slot] =
        (struct flight){.message = *message, .side = side, .is_send = is_send};
    t->active[t->active_count++] = message->slot;
    return 0;
}

/* A send that fits into a free place is on its way at once. */
static int shared_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    const int error = start(t, message, true);
    if (error == 0 && t->options.index_of[message->peer] >= 0) {
        struct flight *flight = &t->flights[message->slot];
        if (flight->message.number == flight->side->next_number &&
            flight->message.length <= t->chunk_elements && push(t, flight))
            flight->side->next_number++;
    }
    return error;
}

static int shared_receive(struct allfold_transport *transport,
                          const struct allfold_message *message)
{
    return start((struct allfold_shared_memory *)transport, message, false);
}

/* Goes once through what is in flight; `moved` says whether anything did. */
static int go_round(struct allfold_shared_memory *t, uint32_t *slots, uint32_t *count, bool *moved)
{
    uint32_t kept = 0;
    int error = 0;
    for (uint32_t i = 0; i < t->active_count; i++) {
        const uint32_t slot = t->active[i];
        struct flight *flight = &t->flights[slot];
        bool is_done = flight->done == flight->message.length; /* by shared_send */
        if (!is_done && error == 0)
            *moved = move(t, flight, &is_done, &error) || *moved;
        if (is_done)
            slots[(*count)++] = slot;
        else
            t->active[kept++] = slot;
    }
    t->active_count = kept;
    return error;
}

static int add_beyond(struct allfold_shared_memory *t, uint32_t *slots, uint32_t *count)
{
    struct allfold_transport *beyond = t->options.beyond;
    uint32_t more = 0;
    if (t->beyond_count == 0)
        return 0;
    const int error = beyond->test(beyond, slots + *count, &more);
    t->beyond_count -= more;
    *count += more;
    return error;
}

static int shared_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    bool moved = false;
    *count = 0;
    const int error = go_round(t, slots, count, &moved);
    return error == 0 ? add_beyond(t, slots, count) : error;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Nothing moved, so many times in a row. In the end the core is left to others in any case: there
 * may be other work on it than this node's ranks. */
static void rest(const struct allfold_shared_memory *t, unsigned times)
{
    enum { SPINS = 64, MANY_SPINS = 1024, YIELDS_UNTIL_IDLE = 16 };
    const unsigned spins = t->options.must_yield ? SPINS : MANY_SPINS;
    if (times < spins) {
        relax();
        return;
    }
    if (t->options.idle != NULL && times % YIELDS_UNTIL_IDLE == 0)
        t->options.idle(t->options.idle_context);
    sched_yield();
}

static int shared_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                       uint32_t *count)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    struct allfold_transport *beyond = t->options.beyond;
    *count = 0;
    for (unsigned times = 0;; times++) {
        if (t->active_count == 0 && t->beyond_count > 0) {
            const int error = beyond->wait(beyond, oldest, slots, count);
            t->beyond_count -= *count;
            return error;
        }
        bool moved = false;
        int error = go_round(t, slots, count, &moved);
        if (error == 0)
            error = add_beyond(t, slots, count);
        if (error != 0 || *count > 0)
            return error;
        if (moved)
            times = 0;
        else
            rest(t, times);
    }
}

static void shared_abandon(struct allfold_transport *transport)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    if (t->active_count > 0)
        t->is_broken = true;
    if (t->beyond_count > 0)
        t->options.beyond->abandon(t->options.beyond);
    t->active_count = t->beyond_count = 0;
}

struct allfold_shared_memory *allfold_shared_create(const struct allfold_shared_options *options)
{
    const size_t size = (size_t)options->size;
    struct allfold_shared_memory *t =
        allfold_allocate_zeroed(sizeof *t + 2 * size * sizeof *t->sides);
    if (t == NULL)
        return NULL;
    t->transport = (struct allfold_transport){.send = shared_send,
                                              .receive = shared_receive,
                                              .test = shared_test,
                                              .wait = shared_wait,
                                              .abandon = shared_abandon};
    t->options = *options;
    for (int i = 0; i < options->size; i++) {
        t->sides[i].channel = channel_of(options, options->index, i);
        t->sides[options->size + i].channel = channel_of(options, i, options->index);
    }
    allfold_shared_begin(t, 1);
    return t;
}

void allfold_shared_free(struct allfold_shared_memory *shared)
{
    allfold_free(shared);
}

struct allfold_transport *allfold_shared_transport(struct allfold_shared_memory *shared)
{
    return &shared->transport;
}

void allfold_shared_begin(struct allfold_shared_memory *t, size_t element_bytes)
{
    t->run++;
    if (t->element_bytes == element_bytes)
        return;
    t->element_bytes = element_bytes;
    t->inline_elements = INLINE_BYTES / element_bytes;
    t->chunk_elements = t->options.chunk_bytes / element_bytes;
}

bool allfold_shared_is_broken(const struct allfold_shared_memory *shared)
{
    return shared->is_broken;
}
