/* Channels in memory that ranks share: how pieces of messages get from one to another.
 *
 * The memory has a channel for each ordered pair of ranks, and behind them the chunks of each rank.
 * A channel is a ring of places that the sender fills and the receiver empties, in turn. A place is
 * a few cache lines with the piece's number and, where they fit, its bytes, so that a short message
 * is one line that moves once, or a few that move together; of a longer piece it names the sender's
 * chunk, or says where in the sender's memory it lies, if the receiver sees that memory. */
#ifndef ALLFOLD_EXECUTE_CHANNELS_H
#define ALLFOLD_EXECUTE_CHANNELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/chunks.h"
#include "transport/fill.h"
#include "transport/visible.h"

enum { ALLFOLD_PLACES = 8, ALLFOLD_LINE_BYTES = 64, ALLFOLD_INLINE_BYTES = 312 };

/* Of a piece's number: it is empty. */
#define ALLFOLD_EMPTY (UINT64_C(1) << 63)

struct allfold_place {
    _Alignas(ALLFOLD_LINE_BYTES) atomic_uint_least64_t number;
    union {
        unsigned char bytes[ALLFOLD_INLINE_BYTES];
        struct {             /* where the piece is longer */
            uint32_t chunk;  /* of the sender, or ALLFOLD_NO_CHUNK: it is shown in place */
            uint64_t offset; /* in the sender's visible memory, then */
        };
    };
};

struct allfold_channel {
    struct allfold_place places[ALLFOLD_PLACES];
    _Alignas(ALLFOLD_LINE_BYTES) atomic_uint_least64_t taken; /* pieces; the receiver's line */
};

/* One end of a channel. */
struct allfold_end {
    struct allfold_channel *channel;
    unsigned char *chunks;             /* the sender's */
    struct allfold_visible visible;    /* the sender's */
    uint64_t pieces;                   /* written, or taken, at this end */
    uint64_t known_taken;              /* of the sender: what it saw last of `taken` */
    uint32_t held;                     /* chunks that the receiver may not have taken yet */
    uint32_t chunk_of[ALLFOLD_PLACES]; /* of the sender: which, or ALLFOLD_NO_CHUNK */
    uint64_t run;                      /* which run `next_number` is of */
    uint32_t next_number;              /* the message of the run whose turn it is */
    struct allfold_filler filler;      /* of the sender */
};

/* A rank's view of the memory. */
struct allfold_channels {
    int size, index;
    size_t chunk_bytes;
    allfold_reveal *reveal;
    size_t shown_bytes; /* messages of so many are shown in place, where they are visible */
    size_t element_bytes;
    size_t inline_elements, chunk_elements; /* of a piece, at most */
    uint64_t run;
    struct allfold_chunks *chunks;
    struct allfold_end *ends; /* to each index, then from each index */
};

/* How a message is cut. A short one is one piece, in a line. */
static inline size_t allfold_piece_length(const struct allfold_channels *channels, size_t length,
                                          size_t done)
{
    const size_t rest = length - done;
    return length <= channels->inline_elements || rest < channels->chunk_elements
               ? rest
               : channels->chunk_elements;
}

/* Has the next piece come? */
static inline bool allfold_channel_has_piece(const struct allfold_end *end)
{
    const struct allfold_place *place = &end->channel->places[end->pieces % ALLFOLD_PLACES];
    const uint64_t number = atomic_load_explicit(&place->number, memory_order_acquire);
    return (number & ~ALLFOLD_EMPTY) == end->pieces + 1;
}

/* And is it empty? */
static inline bool allfold_channel_is_empty(const struct allfold_end *end)
{
    const struct allfold_place *place = &end->channel->places[end->pieces % ALLFOLD_PLACES];
    return (atomic_load_explicit(&place->number, memory_order_relaxed) & ALLFOLD_EMPTY) != 0;
}

/* While the next piece has not come: brings its lines behind the first one nearer, so that they
 * come together with it. Nothing is read from them. */
static inline void allfold_channel_expect(const struct allfold_end *end, size_t bytes)
{
    const struct allfold_place *place = &end->channel->places[end->pieces % ALLFOLD_PLACES];
    const char *lines = (const char *)place;
    const size_t end_bytes = offsetof(struct allfold_place, bytes) + bytes;
    for (size_t at = ALLFOLD_LINE_BYTES; at < end_bytes; at += ALLFOLD_LINE_BYTES)
        __builtin_prefetch(lines + at);
}

size_t allfold_channels_bytes(int size, size_t chunk_bytes);

/* Fills a view of memory that all ranks have zeroed before; false without memory of its own. */
bool allfold_channels_open(struct allfold_channels *channels, void *memory, int size, int index,
                           size_t chunk_bytes);

/* Says what memory of each rank, by index, the others see (see shown_bytes). Copied. `reveal` may
 * be NULL where all of it can be read. */
void allfold_channels_see(struct allfold_channels *channels, const struct allfold_visible *visible,
                          allfold_reveal *reveal, size_t shown_bytes);
void allfold_channels_close(struct allfold_channels *channels);

/* A new run, of elements of so many bytes. */
void allfold_channels_begin(struct allfold_channels *channels, size_t element_bytes);

/* Writes the next piece of a message of `length` elements, whose first `done` are written, if there
 * is room; returns whether there was. `data` is the whole message's; NULL: the piece is empty. */
bool allfold_channel_write(struct allfold_channels *channels, struct allfold_end *end,
                           const void *data, size_t length, size_t done, uint32_t publication);

/* Is a message that is written at this end shown in place? Then its data have to stay as they are
 * until the receiver has taken it. */
static inline bool allfold_channel_shows(const struct allfold_channels *channels,
                                         const struct allfold_end *end, const void *data,
                                         size_t length)
{
    const size_t bytes = length * channels->element_bytes;
    return length > channels->inline_elements && bytes >= channels->shown_bytes &&
           allfold_is_visible(&end->visible, data, bytes);
}

/* Has the receiver taken so many pieces? */
bool allfold_channel_has_taken(struct allfold_channels *channels, struct allfold_end *end,
                               uint64_t pieces);

/* Where it lies in the sender's memory. */
const void *allfold_channel_read_in_place(const struct allfold_channels *channels,
                                          struct allfold_end *end, size_t offset, size_t bytes);

/* Where the next piece lies, which must have come, `count` elements of a message of `length`; it
 * stays there until it is taken. */
static inline const void *allfold_channel_read(const struct allfold_channels *channels,
                                               struct allfold_end *end, size_t length, size_t count)
{
    const struct allfold_place *place = &end->channel->places[end->pieces % ALLFOLD_PLACES];
    if (length <= channels->inline_elements)
        return place->bytes;
    return place->chunk == ALLFOLD_NO_CHUNK
               ? allfold_channel_read_in_place(channels, end, place->offset,
                                               count * channels->element_bytes)
               : end->chunks + place->chunk * channels->chunk_bytes;
}

static inline void allfold_channel_take(struct allfold_end *end)
{
    atomic_store_explicit(&end->channel->taken, ++end->pieces, memory_order_release);
}

#endif
