/* Channels (see channels.h).
 *
 * Invariant: `number` of a place is that of the last piece written into it, counted from 1 over all
 * runs; the piece numbered k lies in place (k - 1) mod ALLFOLD_PLACES. The sender writes piece k
 * only when the receiver has taken piece k - ALLFOLD_PLACES, which `taken` tells. Each line is
 * written at one end alone. */
#include "transport/channels.h"

#include <string.h>

#include "util/memory.h"

static size_t chunks_bytes(int size, size_t chunk_bytes)
{
    return (size_t)allfold_chunks_for(size - 1) * chunk_bytes;
}

size_t allfold_channels_bytes(int size, size_t chunk_bytes)
{
    const size_t ranks = (size_t)size;
    return ranks * (ranks * sizeof(struct allfold_channel) + chunks_bytes(size, chunk_bytes));
}

static void open_end(const struct allfold_channels *channels, struct allfold_end *end, void *memory,
                     int from, int to)
{
    const size_t size = (size_t)channels->size;
    struct allfold_channel *all = memory;
    end->channel = &all[(size_t)from * size + (size_t)to];
    end->chunks = (unsigned char *)(all + size * size) +
                  (size_t)from * chunks_bytes(channels->size, channels->chunk_bytes);
    for (int i = 0; i < ALLFOLD_PLACES; i++)
        end->chunk_of[i] = ALLFOLD_NO_CHUNK;
}

bool allfold_channels_open(struct allfold_channels *channels, void *memory, int size, int index,
                           size_t chunk_bytes)
{
    *channels = (struct allfold_channels){
        .size = size, .index = index, .chunk_bytes = chunk_bytes, .shown_bytes = SIZE_MAX};
    channels->chunks = allfold_chunks_create(size - 1);
    channels->ends = allfold_allocate_zeroed(2 * (size_t)size * sizeof *channels->ends);
    if (channels->chunks == NULL || channels->ends == NULL) {
        allfold_channels_close(channels);
        return false;
    }
    for (int i = 0; i < size; i++) {
        open_end(channels, &channels->ends[i], memory, index, i);
        open_end(channels, &channels->ends[size + i], memory, i, index);
    }
    allfold_channels_begin(channels, 1);
    return true;
}

void allfold_channels_see(struct allfold_channels *channels, const struct allfold_visible *visible,
                          allfold_reveal *reveal, size_t shown_bytes)
{
    for (int i = 0; i < channels->size; i++) {
        channels->ends[i].visible = visible[channels->index];
        channels->ends[channels->size + i].visible = visible[i];
    }
    channels->reveal = reveal;
    channels->shown_bytes = shown_bytes;
}

const void *allfold_channel_read_in_place(const struct allfold_channels *channels,
                                          struct allfold_end *end, size_t offset, size_t bytes)
{
    if (offset + bytes > end->visible.bytes)
        channels->reveal(&end->visible, offset + bytes);
    return end->visible.memory + offset;
}

void allfold_channels_close(struct allfold_channels *channels)
{
    allfold_chunks_free(channels->chunks);
    allfold_free(channels->ends);
}

void allfold_channels_begin(struct allfold_channels *channels, size_t element_bytes)
{
    channels->run++;
    if (channels->element_bytes == element_bytes)
        return;
    channels->element_bytes = element_bytes;
    channels->inline_elements = ALLFOLD_INLINE_BYTES / element_bytes;
    channels->chunk_elements = channels->chunk_bytes / element_bytes;
}

/* Sees what the receiver has taken. */
static void look(struct allfold_channels *channels, struct allfold_end *end)
{
    const uint64_t taken = atomic_load_explicit(&end->channel->taken, memory_order_acquire);
    for (; end->known_taken < taken; end->known_taken++) {
        uint32_t *chunk = &end->chunk_of[end->known_taken % ALLFOLD_PLACES];
        if (*chunk == ALLFOLD_NO_CHUNK)
            continue;
        allfold_chunk_let_go(channels->chunks, *chunk);
        end->held--;
        *chunk = ALLFOLD_NO_CHUNK;
    }
}

static bool may_hold(struct allfold_channels *channels, const struct allfold_end *end)
{
    if (allfold_chunks_may_hold(channels->chunks, end->held))
        return true;
    for (int i = 0; i < channels->size; i++)
        if (channels->ends[i].held > 0)
            look(channels, &channels->ends[i]);
    return allfold_chunks_may_hold(channels->chunks, end->held);
}

/* The chunk with a piece, which is filled where none has it yet; ALLFOLD_NO_CHUNK where the
 * receiver has to take others first. */
static uint32_t show(struct allfold_channels *channels, struct allfold_end *end,
                     const struct allfold_piece *piece, const void *data, size_t bytes)
{
    if (!may_hold(channels, end))
        return ALLFOLD_NO_CHUNK;
    uint32_t chunk = allfold_chunk_find(channels->chunks, piece);
    if (chunk == ALLFOLD_NO_CHUNK) {
        chunk = allfold_chunk_fill(channels->chunks, piece);
        allfold_fill(&end->filler, end->chunks + chunk * channels->chunk_bytes, data, bytes);
    }
    allfold_chunk_hold(channels->chunks, chunk);
    end->held++;
    return chunk;
}

bool allfold_channel_has_taken(struct allfold_channels *channels, struct allfold_end *end,
                               uint64_t pieces)
{
    look(channels, end);
    return end->known_taken >= pieces;
}

/* Says in a place where the piece lies; false where the receiver has to take others first. */
static bool point(struct allfold_channels *channels, struct allfold_end *end,
                  struct allfold_place *place, const struct allfold_piece *piece, const char *from,
                  size_t bytes, bool shows)
{
    const uint32_t chunk = shows ? ALLFOLD_NO_CHUNK : show(channels, end, piece, from, bytes);
    if (chunk == ALLFOLD_NO_CHUNK && !shows)
        return false;
    place->chunk = end->chunk_of[end->pieces % ALLFOLD_PLACES] = chunk;
    if (shows)
        place->offset = (uint64_t)(from - end->visible.memory);
    return true;
}

bool allfold_channel_write(struct allfold_channels *channels, struct allfold_end *end,
                           const void *data, size_t length, size_t done, uint32_t publication)
{
    if (end->pieces - end->known_taken == ALLFOLD_PLACES) {
        look(channels, end);
        if (end->pieces - end->known_taken == ALLFOLD_PLACES)
            return false;
    }
    const size_t bytes = allfold_piece_length(channels, length, done) * channels->element_bytes;
    struct allfold_place *place = &end->channel->places[end->pieces % ALLFOLD_PLACES];
    const uint64_t empty = data == NULL ? ALLFOLD_EMPTY : 0;
    if (data != NULL && length <= channels->inline_elements) {
        memcpy(place->bytes, data, bytes);
    } else if (data != NULL) {
        const struct allfold_piece piece = {.run = channels->run,
                                            .publication = publication,
                                            .index = (uint32_t)(done / channels->chunk_elements)};
        const char *from = (const char *)data + done * channels->element_bytes;
        if (!point(channels, end, place, &piece, from, bytes,
                   allfold_channel_shows(channels, end, data, length)))
            return false;
    }
    atomic_store_explicit(&place->number, ++end->pieces | empty, memory_order_release);
    return true;
}
