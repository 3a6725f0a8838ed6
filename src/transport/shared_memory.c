/* The transport through shared memory: the messages in flight, over channels (see shared_memory.h).
 */
#include "transport/shared_memory.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

#include "transport/channels.h"
#include "util/memory.h"

/* A message in flight. */
struct flight {
    struct allfold_message message;
    struct allfold_end *end;
    size_t done; /* elements */
    bool is_send;
    uint64_t published_until; /* of a send published in place, once it is written:
                                 fragments */
};

struct allfold_shared_memory {
    struct allfold_transport transport; /* first: its callbacks come back with it */
    struct allfold_shared_options options;
    const int *index_of; /* of the group in hand, see allfold_shared_set_group */
    bool is_whole;
    struct allfold_channels channels;
    uint32_t active_count;
    uint32_t sent_count;
    uint32_t beyond_count;   /* messages that the other transport has in flight */
    uint32_t retained_count; /* published messages that the executor reads in place */
    uint64_t put_run;        /* the last run that used the fast path, see transport.h */
    bool is_broken;
    uint32_t active[ALLFOLD_MAX_WINDOW]; /* slots, in the order in which they were started */
    uint32_t sent[ALLFOLD_MAX_WINDOW];   /* slots of sends that were done as soon as started */
    struct flight flights[ALLFOLD_MAX_WINDOW];
};

size_t allfold_shared_bytes(int size, size_t buffer_bytes)
{
    return allfold_channels_bytes(size, buffer_bytes);
}

/* Writes the next fragment of a message, if there is room; says whether it did. */
static bool push(struct allfold_shared_memory *t, struct flight *flight)
{
    const struct allfold_message *message = &flight->message;
    const size_t count = allfold_channel_write(&t->channels, flight->end,
                                               message->has_no_data ? NULL : message->data,
                                               message->length, flight->done, message->publication);
    flight->done += count;
    return count > 0;
}

/* Where to begin to read what is published in place. Two ranks that read each other's vectors and
 * each its own from the same element on want the same lines at the same time. A line that the other
 * core has just taken away takes long to read again, and all takes up to twice as long. So each
 * rank begins in a part of its own. */
static size_t first_to_read(const struct allfold_shared_memory *t, size_t length)
{
    enum { ELEMENTS = ALLFOLD_LINE_BYTES }; /* whole lines, whatever an element has */
    return length / (size_t)t->options.size * (size_t)t->options.index / ELEMENTS * ELEMENTS;
}

/* Offers the executor a message that is published in place; says whether the executor retains it.
 */
static bool offer_in_place(struct allfold_shared_memory *t, struct flight *flight)
{
    const size_t length = flight->message.length;
    if (flight->done > 0 || t->transport.offer == NULL)
        return false;
    const void *data =
        allfold_channel_attach(&t->channels, flight->end, length * t->channels.element_bytes);
    if (data == NULL)
        return false;
    const struct allfold_published published = {
        .data = data,
        .first = first_to_read(t, length),
        .peer = flight->message.peer,
        .fragment = flight->end->fragments,
    };
    if (!t->transport.offer(t->transport.deliver_context, flight->message.slot, &published)) {
        allfold_channel_detach(&t->channels, flight->end, data);
        return false;
    }
    allfold_channel_retain(flight->end);
    t->retained_count++;
    flight->done = length;
    return true;
}

/* How much of a message that is published in place to deliver at once. In parts, so that other
 * messages move, too: the parts of a long one are as long as what kernels keep out of the caches.
 */
static size_t part_elements(const struct allfold_shared_memory *t, size_t length)
{
    enum { LONG_BYTES = 8 << 20 };
    const size_t of_long = LONG_BYTES / t->channels.element_bytes;
    return length >= of_long ? of_long : t->channels.buffer_elements;
}

/* Delivers some of a message that is published in place, and releases it after the last of it. One
 * that cannot be read counts as poison: its data are lost to this rank. */
static int read_in_place(struct allfold_shared_memory *t, struct flight *flight)
{
    int error = 0;
    const size_t length = flight->message.length, begin = first_to_read(t, length);
    const bool is_wrapped = flight->done >= length - begin;
    const size_t at = is_wrapped ? flight->done - (length - begin) : begin + flight->done;
    const size_t rest = (is_wrapped ? begin : length) - at;
    const size_t part = part_elements(t, length), count = rest < part ? rest : part;
    const char *data =
        allfold_channel_attach(&t->channels, flight->end, length * t->channels.element_bytes);
    if (data != NULL) {
        error = t->transport.deliver(t->transport.deliver_context, flight->message.slot, at, count,
                                     data + at * t->channels.element_bytes);
        allfold_channel_detach(&t->channels, flight->end, data);
    } else {
        t->transport.got_poison = true;
    }
    flight->done += count;
    if (flight->done == length)
        allfold_channel_release(flight->end);
    return error;
}

/* Delivers and releases the next fragment of a message, if it has arrived; says whether it had. */
static bool pull(struct allfold_shared_memory *t, struct flight *flight, int *error)
{
    const size_t length = flight->message.length;
    if (!allfold_channel_has_fragment(flight->end))
        return false;
    if (allfold_channel_is_published(&t->channels, flight->end, length)) {
        if (!offer_in_place(t, flight))
            *error = read_in_place(t, flight);
        return true;
    }
    const size_t count = allfold_fragment_length(&t->channels, length, flight->done);
    if (allfold_channel_is_poison(flight->end))
        t->transport.got_poison = true;
    else
        *error =
            t->transport.deliver(t->transport.deliver_context, flight->message.slot, flight->done,
                                 count, allfold_channel_read(&t->channels, flight->end, length));
    flight->done += count;
    allfold_channel_release(flight->end);
    return true;
}

static bool is_published(const struct allfold_shared_memory *t, const struct flight *flight)
{
    const struct allfold_message *message = &flight->message;
    return flight->is_send && !message->has_no_data &&
           allfold_channel_publishes(&t->channels, flight->end, message->data, message->length);
}

/* Moves a message by one fragment; *is_done says whether that was all. One that is published in
 * place lets the next one start when it is written, and is done when the receiver has released it.
 */
static bool move(struct allfold_shared_memory *t, struct flight *flight, bool *is_done, int *error)
{
    struct allfold_end *end = flight->end;
    *is_done = false;
    if (flight->published_until > 0)
        return *is_done = allfold_channel_has_released(&t->channels, end, flight->published_until);
    if (flight->message.number != end->next_number)
        return false;
    if (!(flight->is_send ? push(t, flight) : pull(t, flight, error)))
        return false;
    if (flight->done < flight->message.length)
        return true;
    end->next_number++;
    flight->published_until = is_published(t, flight) ? end->fragments : 0;
    *is_done = flight->published_until == 0;
    return true;
}

/* A flight of a message to or from a rank that shares the memory. */
static struct flight *start(struct allfold_shared_memory *t, const struct allfold_message *message,
                            struct allfold_end *end, bool is_send)
{
    assert(message->slot < ALLFOLD_MAX_WINDOW && message->length > 0);
    struct flight *flight = &t->flights[message->slot];
    if (end->run != t->channels.run) {
        end->run = t->channels.run;
        end->next_number = 0;
    }
    flight->message = *message;
    flight->end = end;
    flight->done = 0;
    flight->is_send = is_send;
    flight->published_until = 0;
    return flight;
}

/* A send that fits into a free slot of the ring is done at once, unless it is published in place.
 */
static void send_here(struct allfold_shared_memory *t, const struct allfold_message *message,
                      int index)
{
    struct flight *flight = start(t, message, &t->channels.ends[index], true);
    bool is_done;
    move(t, flight, &is_done, NULL);
    if (is_done)
        t->sent[t->sent_count++] = message->slot;
    else
        t->active[t->active_count++] = message->slot;
}

static int shared_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    const int index = t->index_of[message->peer];
    if (index >= 0) {
        send_here(t, message, index);
        return 0;
    }
    const int error = t->options.beyond->operations->send(t->options.beyond, message);
    t->beyond_count += error == 0;
    return error;
}

static int shared_receive(struct allfold_transport *transport,
                          const struct allfold_message *message)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    const int index = t->index_of[message->peer];
    if (index < 0) {
        t->options.beyond->received = t->transport.received;
        t->options.beyond->deliver = t->transport.deliver;
        t->options.beyond->deliver_context = t->transport.deliver_context;
        const int error = t->options.beyond->operations->receive(t->options.beyond, message);
        t->beyond_count += error == 0;
        return error;
    }
    start(t, message, &t->channels.ends[t->options.size + index], false);
    t->active[t->active_count++] = message->slot;
    return 0;
}

/* Goes once through what is in flight; `moved` says whether anything did. */
static int go_round(struct allfold_shared_memory *t, uint32_t *slots, uint32_t *count, bool *moved)
{
    uint32_t kept = 0;
    int error = 0;
    for (uint32_t i = 0; i < t->active_count; i++) {
        const uint32_t slot = t->active[i];
        struct flight *flight = &t->flights[slot];
        bool is_done = false;
        if (error == 0)
            *moved = move(t, flight, &is_done, &error) || *moved;
        if (is_done)
            slots[(*count)++] = slot;
        else
            t->active[kept++] = slot;
    }
    t->active_count = kept;
    return error;
}

/* Passes on that the other transport received poison. */
static void pass_on_poison(struct allfold_shared_memory *t)
{
    t->transport.got_poison |= t->options.beyond->got_poison;
    t->options.beyond->got_poison = false;
}

static int add_beyond(struct allfold_shared_memory *t, uint32_t *slots, uint32_t *count)
{
    struct allfold_transport *beyond = t->options.beyond;
    uint32_t more = 0;
    if (t->beyond_count == 0)
        return 0;
    const int error = beyond->operations->test(beyond, slots + *count, &more);
    t->beyond_count -= more;
    *count += more;
    pass_on_poison(t);
    return error;
}

/* Sends that were done before anybody asked. */
static uint32_t take_sent(struct allfold_shared_memory *t, uint32_t *slots)
{
    const uint32_t count = t->sent_count;
    memcpy(slots, t->sent, count * sizeof *slots);
    t->sent_count = 0;
    return count;
}

static int shared_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    bool moved = false;
    *count = take_sent(t, slots);
    const int error = go_round(t, slots, count, &moved), beyond = add_beyond(t, slots, count);
    return error == 0 ? beyond : error;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* How many times to look in vain before the rank yields its core. In the end it yields in any case:
 * there may be other work on the core than this node's ranks. A look takes some 50 ns. Where ranks
 * share cores the rank that is waited for may need this very core, and each look keeps it away. */
static unsigned spins(const struct allfold_shared_memory *t)
{
    enum { SHARED = 1, BETWEEN_NODES = 64, ALONE = 1024 };
    return t->options.must_yield ? SHARED : !t->is_whole ? BETWEEN_NODES : ALONE;
}

/* How many times to look for one message before looking for anything else. */
static unsigned tries(const struct allfold_shared_memory *t)
{
    enum { MOST = 64 };
    return spins(t) < MOST ? spins(t) : MOST;
}

/* How many times to look in vain while the executor retains what peers may wait for. */
static unsigned patience(const struct allfold_shared_memory *t)
{
    enum { YIELDS = 16 };
    return spins(t) + YIELDS;
}

/* Waits for a short time for the only message in flight, if it is a receive. This is the fastest
 * path from a peer's write to its use. Returns how many times it looked in vain. */
static unsigned await_only(const struct allfold_shared_memory *t)
{
    if (t->active_count != 1 || t->beyond_count > 0)
        return 0;
    const struct flight *flight = &t->flights[t->active[0]];
    if (flight->is_send)
        return 0;
    const unsigned most = tries(t);
    unsigned looks = 0;
    for (; looks < most && !allfold_channel_has_fragment(flight->end); looks++)
        relax();
    return looks;
}

/* Nothing moved, so many times in a row. */
static void rest(const struct allfold_shared_memory *t, unsigned times)
{
    enum { YIELDS_UNTIL_IDLE = 16 };
    if (times < spins(t)) {
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
    *count = take_sent(t, slots);
    for (unsigned times = 0; *count == 0; times++) {
        if (t->retained_count > 0 && times >= patience(t))
            return 0;
        if (t->active_count == 0 && t->beyond_count > 0 && t->retained_count == 0) {
            const int error = beyond->operations->wait(beyond, oldest, slots, count);
            t->beyond_count -= *count;
            pass_on_poison(t);
            return error;
        }
        bool moved = false;
        if (times < spins(t))
            times += await_only(t);
        int error = go_round(t, slots, count, &moved);
        if (error == 0)
            error = add_beyond(t, slots, count);
        if (error != 0)
            return error;
        if (moved)
            times = 0;
        else
            rest(t, times);
    }
    return 0;
}

static bool shared_may_compress(const struct allfold_transport *transport, int peer)
{
    const struct allfold_shared_memory *t = (const struct allfold_shared_memory *)transport;
    const struct allfold_transport *beyond = t->options.beyond;
    return t->index_of[peer] < 0 && beyond->operations->may_compress != NULL &&
           beyond->operations->may_compress(beyond, peer);
}

static bool shared_try_put(struct allfold_transport *transport, int peer, const void *data,
                           size_t length)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    t->put_run = t->channels.run;
    return allfold_channel_write(&t->channels, &t->channels.ends[t->index_of[peer]], data, length,
                                 0, 0) > 0;
}

static struct allfold_end *end_from(struct allfold_shared_memory *t, int peer)
{
    return &t->channels.ends[t->options.size + t->index_of[peer]];
}

static const void *shared_peek(struct allfold_transport *transport, int peer, size_t length)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    struct allfold_end *end = end_from(t, peer);
    if (!allfold_channel_has_fragment(end))
        return NULL;
    t->transport.got_poison |= allfold_channel_is_poison(end);
    return allfold_channel_read(&t->channels, end, length);
}

static void shared_release(struct allfold_transport *transport, int peer)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    t->put_run = t->channels.run;
    allfold_channel_release(end_from(t, peer));
}

static void shared_release_published(struct allfold_transport *transport,
                                     const struct allfold_published *published)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    assert(t->retained_count > 0);
    t->retained_count--;
    struct allfold_end *end = end_from(t, published->peer);
    allfold_channel_detach(&t->channels, end, published->data);
    allfold_channel_release_retained(end, published->fragment);
}

static void shared_await(struct allfold_transport *transport, int peer, size_t length,
                         unsigned times)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    if (peer < 0 || times >= spins(t) / tries(t)) {
        rest(t, spins(t) + times);
        return;
    }
    const struct allfold_end *end = end_from(t, peer);
    const size_t bytes = length * t->channels.element_bytes;
    for (unsigned looks = tries(t); looks > 0 && !allfold_channel_has_fragment(end); looks--) {
        allfold_channel_prefetch(end, bytes);
        relax();
    }
}

static void shared_abandon(struct allfold_transport *transport)
{
    struct allfold_shared_memory *t = (struct allfold_shared_memory *)transport;
    if (t->active_count > 0 || t->sent_count > 0 || t->put_run == t->channels.run)
        t->is_broken = true;
    if (t->beyond_count > 0)
        t->options.beyond->operations->abandon(t->options.beyond);
    t->active_count = t->sent_count = t->beyond_count = 0;
}

static const struct allfold_transport_operations operations = {
    .send = shared_send,
    .receive = shared_receive,
    .test = shared_test,
    .wait = shared_wait,
    .abandon = shared_abandon,
    .release_published = shared_release_published,
    .sends_poison = true,
    .may_compress = shared_may_compress,
    .try_put = shared_try_put,
    .peek = shared_peek,
    .release = shared_release,
    .await = shared_await,
};

void allfold_shared_set_group(struct allfold_shared_memory *t, const int *index_of, bool is_whole)
{
    assert(is_whole || t->options.beyond != NULL);
    assert(t->active_count == 0 && t->sent_count == 0 && t->beyond_count == 0);
    t->index_of = index_of;
    t->is_whole = is_whole;
}

struct allfold_shared_memory *allfold_shared_create(const struct allfold_shared_options *options)
{
    struct allfold_shared_memory *t = allfold_allocate_zeroed(sizeof *t);
    if (t == NULL || !allfold_channels_open(&t->channels, options->memory, options->size,
                                            options->index, options->buffer_bytes)) {
        allfold_free(t);
        return NULL;
    }
    t->transport = (struct allfold_transport){.operations = &operations,
                                              .poison_error = options->poison_error};
    if (options->visible != NULL)
        allfold_channels_see(&t->channels, options->visible, &options->access,
                             options->publish_bytes);
    t->options = *options;
    allfold_shared_set_group(t, options->index_of, options->beyond == NULL);
    return t;
}

void allfold_shared_free(struct allfold_shared_memory *shared)
{
    if (shared != NULL)
        allfold_channels_close(&shared->channels);
    allfold_free(shared);
}

void allfold_shared_populate(struct allfold_shared_memory *t)
{
    allfold_channels_populate(&t->channels);
}

struct allfold_transport *allfold_shared_transport(struct allfold_shared_memory *shared)
{
    return &shared->transport;
}

void allfold_shared_begin(struct allfold_shared_memory *t, size_t element_bytes)
{
    assert(!t->is_broken && t->active_count == 0 && t->sent_count == 0 && t->beyond_count == 0);
    assert(t->retained_count == 0);
    allfold_channels_begin(&t->channels, element_bytes);
    t->transport.put_limit = t->is_whole ? t->channels.inline_elements : 0;
}

bool allfold_shared_is_broken(const struct allfold_shared_memory *shared)
{
    return shared->is_broken;
}
