/* Channels in memory that ranks share: how fragments of messages get from one rank to another.
 *
 * The memory has a channel for each ordered pair of ranks. The shared-memory buffers of each rank
 * follow. A channel is a ring of slots: the sender fills them in order, the receiver releases them
 * in order. A slot is a few cache lines with the fragment's sequence number. A short message lies
 * in the slot itself: one line that moves once, or a few lines that move together. For a longer
 * fragment the slot names the sender's buffer. A message in memory of the sender that the receiver
 * sees is published in place: one slot names where all of it lies. */
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

/* What is published in place names no buffer. It lies in the sender's visible memory
 * (ALLFOLD_NO_BUFFER), or anywhere in the sender, to be attached. */
#define ALLFOLD_ATTACHED (ALLFOLD_NO_BUFFER - 1)

/* A bit of a fragment's number: the fragment is poison. */
#define ALLFOLD_POISON (UINT64_C(1) << 63)

struct allfold_ring_slot {
    _Alignas(ALLFOLD_LINE_BYTES) atomic_uint_least64_t number;
    union {
        unsigned char bytes[ALLFOLD_INLINE_BYTES];
        struct {             /* where the fragment is longer */
            uint32_t buffer; /* of the sender, or where else the fragment lies, see below */
            uint64_t offset; /* in the sender's visible memory, or its address, then */
        };
    };
};

struct allfold_channel {
    _Alignas(ALLFOLD_LINE_BYTES) atomic_uint_least64_t released; /* how many; the receiver's line */
    struct allfold_ring_slot slots[];
};

/* How many slots each channel among so many ranks has: a power of two. So many short messages may
 * be ahead of a receiver that comes late. As native libraries: 64, but a rank's channels are at
 * most 328 KiB in all while they have more than the fewest. */
static inline uint32_t allfold_ring_slots(int size)
{
    uint32_t slots = ALLFOLD_MOST_SLOTS;
    while (slots > ALLFOLD_LEAST_SLOTS && (uint32_t)size * slots > 1024)
        slots /= 2;
    return slots;
}

/* Bytes of the channels among so many ranks; the buffers lie behind them. */
static inline size_t allfold_rings_bytes(int size)
{
    return (size_t)size * (size_t)size *
           (sizeof(struct allfold_channel) +
            allfold_ring_slots(size) * sizeof(struct allfold_ring_slot));
}

/* One end of a channel. */
struct allfold_end {
    struct allfold_channel *channel;
    unsigned char *buffers;         /* the sender's */
    struct allfold_visible visible; /* the sender's */
    uint64_t fragments;             /* written, or taken, at this end */
    uint64_t known_released;        /* what this end saw or wrote last of `released` */
    uint64_t retained_slots;        /* of the receiver: a bit for each slot, see below */
    uint32_t retained;              /* buffers that the receiver may not have released yet */
    uint32_t mask;                  /* slots of the channel, less one */
    uint32_t buffer_of[ALLFOLD_MOST_SLOTS]; /* of the sender: which, or ALLFOLD_NO_BUFFER */
    uint64_t run;                           /* the run that `next_number` belongs to */
    uint32_t next_number;                   /* the message of the run that comes next */
    struct allfold_filler filler;           /* of the sender */
};

/* A rank's view of the memory. */
struct allfold_channels {
    int size, index;
    size_t buffer_bytes;
    struct allfold_access access;
    size_t publish_bytes; /* messages of at least so many are published in place, where visible */
    size_t element_bytes;
    size_t inline_elements, buffer_elements; /* of a fragment, at most */
    uint64_t run;
    struct allfold_buffers *buffers;
    bool populates_buffers;
    uint32_t populated;       /* buffers */
    struct allfold_end *ends; /* to each index, then from each index */
};

/* The slot of the next fragment. */
static inline struct allfold_ring_slot *allfold_next_slot(const struct allfold_end *end)
{
    return &end->channel->slots[end->fragments & end->mask];
}

/* How a message is cut that is not published in place. A short one is one fragment, in a line. */
static inline size_t allfold_fragment_length(const struct allfold_channels *channels, size_t length,
                                             size_t done)
{
    const size_t rest = length - done;
    return length <= channels->inline_elements || rest < channels->buffer_elements
               ? rest
               : channels->buffer_elements;
}

/* Has the next fragment arrived? */
static inline bool allfold_channel_has_fragment(const struct allfold_end *end)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    const uint64_t number = atomic_load_explicit(&slot->number, memory_order_acquire);
    return (number & ~ALLFOLD_POISON) == end->fragments + 1;
}

/* Is the next fragment, which must have arrived, poison? */
static inline bool allfold_channel_is_poison(const struct allfold_end *end)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    return (atomic_load_explicit(&slot->number, memory_order_relaxed) & ALLFOLD_POISON) != 0;
}

/* Is the next fragment, which must have arrived, a whole message of `length` that is published in
 * place? */
static inline bool allfold_channel_is_published(const struct allfold_channels *channels,
                                                const struct allfold_end *end, size_t length)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    return length > channels->inline_elements && !allfold_channel_is_poison(end) &&
           slot->buffer >= ALLFOLD_ATTACHED;
}

/* While the next fragment has not arrived: prefetches its lines behind the first one, so that they
 * arrive together with it. Nothing is read from them. */
static inline void allfold_channel_prefetch(const struct allfold_end *end, size_t bytes)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    const char *lines = (const char *)slot;
    const size_t end_bytes = offsetof(struct allfold_ring_slot, bytes) + bytes;
    for (size_t at = ALLFOLD_LINE_BYTES; at < end_bytes; at += ALLFOLD_LINE_BYTES)
        __builtin_prefetch(lines + at);
}

size_t allfold_channels_bytes(int size, size_t buffer_bytes);

/* Fills a view of memory that all ranks have zeroed before; false without memory of its own. */
bool allfold_channels_open(struct allfold_channels *channels, void *memory, int size, int index,
                           size_t buffer_bytes);

/* Has the kernel map the rings of this rank's channels now, and the first 32 KiB of each of its own
 * buffers at once when it is first used, in memory that processes share. Without it each page costs
 * a call some microseconds, the first time that a ring or a fragment gets there. An old kernel
 * cannot, and nothing else changes.
 */
void allfold_channels_populate(struct allfold_channels *channels);

/* Says what memory of each rank, by index, the others see (see publish_bytes). Copied. */
void allfold_channels_see(struct allfold_channels *channels, const struct allfold_visible *visible,
                          const struct allfold_access *access, size_t publish_bytes);
void allfold_channels_close(struct allfold_channels *channels);

/* A new run, of elements of so many bytes. */
void allfold_channels_begin(struct allfold_channels *channels, size_t element_bytes);

/* Writes the next fragment of a message of `length` elements, whose first `done` are written, if
 * there is room. Returns how many elements the fragment has, or 0. The whole message is at `data`;
 * with NULL the fragment is empty. */
size_t allfold_channel_write(struct allfold_channels *channels, struct allfold_end *end,
                             const void *data, size_t length, size_t done, uint32_t publication);

/* Is a message that is written at this end published in place? Then its data must not change until
 * the receiver has released it. */
static inline bool allfold_channel_publishes(const struct allfold_channels *channels,
                                             const struct allfold_end *end, const void *data,
                                             size_t length)
{
    const size_t bytes = length * channels->element_bytes;
    return length > channels->inline_elements && bytes >= channels->publish_bytes &&
           (end->visible.process != NULL || allfold_is_visible(&end->visible, data, bytes));
}

/* Has the receiver released so many fragments? */
bool allfold_channel_has_released(struct allfold_channels *channels, struct allfold_end *end,
                                  uint64_t fragments);

/* Where the next fragment lies, which is published in place, until allfold_channel_detach. NULL
 * where this process cannot attach it. */
const void *allfold_channel_attach(const struct allfold_channels *channels, struct allfold_end *end,
                                   size_t bytes);

/* Ends what allfold_channel_attach began. The memory is not NULL. */
static inline void allfold_channel_detach(const struct allfold_channels *channels,
                                          const struct allfold_end *end, const void *memory)
{
    if (end->visible.process != NULL && !allfold_is_visible(&end->visible, memory, 1))
        channels->access.detach(end->visible.process, memory);
}

/* Where the next fragment of a message of `length` lies, which must have arrived and is not
 * published in place; it stays there until it is released. */
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

/* The receiver has taken the next fragment. Releases all fragments but those from the first
 * retained one on. */
static inline void allfold_channel_release(struct allfold_end *end)
{
    assert(allfold_channel_has_fragment(end));
    end->fragments++;
    if (end->retained_slots != 0)
        return;
    end->known_released = end->fragments;
    atomic_store_explicit(&end->channel->released, end->fragments, memory_order_release);
}

/* The receiver has taken the next fragment, and retains it: it and those behind it are not
 * released. Returns its number, for allfold_channel_release_retained. */
uint64_t allfold_channel_retain(struct allfold_end *end);

/* Any order will do. */
void allfold_channel_release_retained(struct allfold_end *end, uint64_t fragment);

#endif
