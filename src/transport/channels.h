/* Channels: rings of slots in shared memory, through which fragments of messages go from one rank
 * to another.
 *
 * The memory has a channel for each ordered pair of ranks. The shared-memory buffers of each rank
 * follow. The sender fills the slots of a channel in order, and the receiver releases them in
 * order. A slot is a few cache lines with the fragment's sequence number. A short message is stored
 * in the slot itself. For a longer fragment the slot names a buffer of the sender. A message in
 * memory of the sender that the receiver can access is published in place: one slot says where the
 * whole message is. One thread at a time. */
#ifndef ALLFOLD_TRANSPORT_CHANNELS_H
#define ALLFOLD_TRANSPORT_CHANNELS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/buffers.h"
#include "transport/visible.h"

enum {
    ALLFOLD_MOST_SLOTS = 64,
    ALLFOLD_LEAST_SLOTS = 8,
    ALLFOLD_LINE_BYTES = 64,
    ALLFOLD_INLINE_BYTES = 312
};

/* For a message that is published in place, `buffer` of the slot is one of two values.
 * ALLFOLD_NO_BUFFER: the message is in the sender's visible memory, at `offset`. ALLFOLD_ATTACHED:
 * it is at address `offset` of the sender, and the receiver attaches it. */
#define ALLFOLD_ATTACHED (ALLFOLD_NO_BUFFER - 1)

/* The bit of a fragment's number that marks poison. */
#define ALLFOLD_POISON (UINT64_C(1) << 63)

/* A slot: the number of a fragment, and its data or where they are. */
struct allfold_ring_slot {
    _Alignas(ALLFOLD_LINE_BYTES) atomic_uint_least64_t number;
    union {
        unsigned char bytes[ALLFOLD_INLINE_BYTES];
        struct {             /* if the fragment is longer */
            uint32_t buffer; /* of the sender; or ALLFOLD_NO_BUFFER, ALLFOLD_ATTACHED */
            uint64_t offset; /* in the sender's visible memory, or an address of the sender */
        };
    };
};

/* A channel: written by its sender, except for `released`. */
struct allfold_channel {
    _Alignas(ALLFOLD_LINE_BYTES) atomic_uint_least64_t
        released; /* the number of released fragments; the only line that the receiver writes */
    struct allfold_ring_slot slots[];
};

/* Returns the number of slots of a channel if `size` ranks share the memory, a power of two. Each
 * of them may hold a short message for a receiver that comes late. As in MPI libraries it is 64,
 * but less for many ranks: a rank's channels take at most 328 KiB unless they have the minimum
 * number of slots. */
static inline uint32_t allfold_ring_slots(int size)
{
    uint32_t slots = ALLFOLD_MOST_SLOTS;
    while (slots > ALLFOLD_LEAST_SLOTS && (uint32_t)size * slots > 1024)
        slots /= 2;
    return slots;
}

/* Returns the bytes of the channels of `size` ranks. The buffers follow the channels in memory. */
static inline size_t allfold_rings_bytes(int size)
{
    return (size_t)size * (size_t)size *
           (sizeof(struct allfold_channel) +
            allfold_ring_slots(size) * sizeof(struct allfold_ring_slot));
}

/* One end of a channel, in the sender's or in the receiver's process. */
struct allfold_end {
    struct allfold_channel *channel;
    unsigned char *buffers;         /* the sender's */
    struct allfold_visible visible; /* the sender's */
    uint64_t fragments;             /* number of fragments written or taken at this end */
    uint64_t known_released;        /* the last value of `released` that this end read or wrote */
    uint64_t retained_slots; /* receiver: bit i is set if the fragment in slot i is retained */
    uint32_t retained;       /* buffers that the receiver may still use */
    uint32_t mask;           /* number of slots - 1 */
    uint32_t buffer_of[ALLFOLD_MOST_SLOTS]; /* sender: slot -> its buffer, or ALLFOLD_NO_BUFFER */
    uint64_t run;                           /* the run that `next_number` belongs to */
    uint32_t next_number;                   /* number of the next message of this run */
    struct allfold_filler filler;           /* sender */
};

/* The channels of one rank: both ends to and from every other rank. */
struct allfold_channels {
    int size, index;
    size_t buffer_bytes;
    struct allfold_access access;
    size_t publish_bytes; /* minimum length of messages that are published in place */
    size_t element_bytes;
    size_t inline_elements, buffer_elements; /* maximum length of a fragment */
    uint64_t run;
    struct allfold_buffers *buffers;
    bool populates_buffers;
    uint32_t populated;       /* number of buffers that are mapped */
    struct allfold_end *ends; /* to each index, then from each index */
};

/* Returns the slot of the next fragment. */
static inline struct allfold_ring_slot *allfold_next_slot(const struct allfold_end *end)
{
    return &end->channel->slots[end->fragments & end->mask];
}

/* Returns the length of the fragment that starts at element `done` of a message of `length`
 * elements that is not published in place. A short message is one fragment, in a slot. */
static inline size_t allfold_fragment_length(const struct allfold_channels *channels, size_t length,
                                             size_t done)
{
    const size_t rest = length - done;
    return length <= channels->inline_elements || rest < channels->buffer_elements
               ? rest
               : channels->buffer_elements;
}

/* Returns whether the next fragment has arrived. */
static inline bool allfold_channel_has_fragment(const struct allfold_end *end)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    const uint64_t number = atomic_load_explicit(&slot->number, memory_order_acquire);
    return (number & ~ALLFOLD_POISON) == end->fragments + 1;
}

/* Returns whether the next fragment is poison. It must have arrived. */
static inline bool allfold_channel_is_poison(const struct allfold_end *end)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    return (atomic_load_explicit(&slot->number, memory_order_relaxed) & ALLFOLD_POISON) != 0;
}

/* Returns whether the next fragment, which must have arrived, is a whole message of `length`
 * elements that is published in place. */
static inline bool allfold_channel_is_published(const struct allfold_channels *channels,
                                                const struct allfold_end *end, size_t length)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    return length > channels->inline_elements && !allfold_channel_is_poison(end) &&
           slot->buffer >= ALLFOLD_ATTACHED;
}

/* Prefetches all cache lines of the next slot, `bytes` bytes of data, except for the first line, so
 * that they arrive together with it. Called while the fragment has not arrived. Reads nothing. */
static inline void allfold_channel_prefetch(const struct allfold_end *end, size_t bytes)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    const char *lines = (const char *)slot;
    const size_t end_bytes = offsetof(struct allfold_ring_slot, bytes) + bytes;
    for (size_t at = ALLFOLD_LINE_BYTES; at < end_bytes; at += ALLFOLD_LINE_BYTES)
        __builtin_prefetch(lines + at);
}

/* Returns the bytes of shared memory for `size` ranks, with buffers of buffer_bytes bytes. */
size_t allfold_channels_bytes(int size, size_t buffer_bytes);

/* Initializes rank `index`'s view of the shared memory, which all ranks must have zeroed before.
 * False if out of memory. */
bool allfold_channels_open(struct allfold_channels *channels, void *memory, int size, int index,
                           size_t buffer_bytes);

/* Lets the kernel map the rings of this rank's channels now, and the first 32 KiB of each of its
 * own buffers when it is first used. Otherwise the first access to each page takes some
 * microseconds during a call. If the kernel is too old, it has no effect. */
void allfold_channels_populate(struct allfold_channels *channels);

/* Sets what memory of each rank, by index, the other ranks can access, and the minimum length of
 * messages that are published in place. Copies `visible`. */
void allfold_channels_see(struct allfold_channels *channels, const struct allfold_visible *visible,
                          const struct allfold_access *access, size_t publish_bytes);

/* Frees what allfold_channels_open allocated. */
void allfold_channels_close(struct allfold_channels *channels);

/* Starts a new run over elements of element_bytes bytes. */
void allfold_channels_begin(struct allfold_channels *channels, size_t element_bytes);

/* Writes the next fragment of a message of `length` elements at `data`, of which `done` elements
 * are already written, if there is a free slot. Returns the number of elements in the fragment, or
 * 0 if none was written. If `data` is NULL, the fragment is poison and empty. */
size_t allfold_channel_write(struct allfold_channels *channels, struct allfold_end *end,
                             const void *data, size_t length, size_t done, uint32_t publication);

/* Returns whether a message that is written at this end is published in place. If so, its data must
 * not change until the receiver has released it. */
static inline bool allfold_channel_publishes(const struct allfold_channels *channels,
                                             const struct allfold_end *end, const void *data,
                                             size_t length)
{
    const size_t bytes = length * channels->element_bytes;
    return length > channels->inline_elements && bytes >= channels->publish_bytes &&
           (end->visible.process != NULL || allfold_is_visible(&end->visible, data, bytes));
}

/* Returns whether the receiver has released the first `fragments` fragments. */
bool allfold_channel_has_released(struct allfold_channels *channels, struct allfold_end *end,
                                  uint64_t fragments);

/* Returns the address of the next fragment, which is published in place, for this process. NULL if
 * it cannot be attached. Valid until allfold_channel_detach. */
const void *allfold_channel_attach(const struct allfold_channels *channels, struct allfold_end *end,
                                   size_t bytes);

/* Releases memory that allfold_channel_attach returned. It must not be NULL. */
static inline void allfold_channel_detach(const struct allfold_channels *channels,
                                          const struct allfold_end *end, const void *memory)
{
    if (end->visible.process != NULL && !allfold_is_visible(&end->visible, memory, 1))
        channels->access.detach(end->visible.process, memory);
}

/* Returns the address of the next fragment of a message of `length` elements. The fragment must
 * have arrived and not be published in place. Valid until the fragment is released. */
static inline const void *allfold_channel_read(const struct allfold_channels *channels,
                                               const struct allfold_end *end, size_t length)
{
    assert(allfold_channel_has_fragment(end));
    assert(!allfold_channel_is_published(channels, end, length));
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    return length <= channels->inline_elements
               ? slot->bytes
               : end->buffers + slot->buffer * channels->buffer_bytes;
}

/* Takes the next fragment, and releases it and all fragments before it, unless one of these is
 * retained. */
static inline void allfold_channel_release(struct allfold_end *end)
{
    assert(allfold_channel_has_fragment(end));
    end->fragments++;
    if (end->retained_slots != 0)
        return;
    end->known_released = end->fragments;
    atomic_store_explicit(&end->channel->released, end->fragments, memory_order_release);
}

/* Takes the next fragment and retains it: neither this fragment nor later ones are released.
 * Returns its number, for allfold_channel_release_retained. */
uint64_t allfold_channel_retain(struct allfold_end *end);

/* Ends the retention of a fragment. Retained fragments may be released in any order. */
void allfold_channel_release_retained(struct allfold_end *end, uint64_t fragment);

#endif
