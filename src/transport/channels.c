/* Writing and reading fragments (see channels.h).
 *
 * Invariant: `number` of a slot is the sequence number of the last fragment written into it,
 * counted from 1 over all runs. With s slots, fragment k is in slot (k - 1) mod s. The sender
 * writes fragment k only if `released` shows that the receiver has released fragment k - s. Each
 * cache line has one writer. */
#include "transport/channels.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/memory.h"

static size_t pool_bytes(int size, size_t buffer_bytes)
{
    return (size_t)allfold_buffers_for(size - 1) * buffer_bytes;
}

size_t allfold_channels_bytes(int size, size_t buffer_bytes)
{
    return allfold_rings_bytes(size) + (size_t)size * pool_bytes(size, buffer_bytes);
}

static size_t ring_bytes(int size)
{
    return allfold_rings_bytes(size) / ((size_t)size * (size_t)size);
}

static void open_end(const struct allfold_channels *channels, struct allfold_end *end, void *memory,
                     int from, int to)
{
    const size_t size = (size_t)channels->size, rings = allfold_rings_bytes(channels->size);
    unsigned char *ring =
        (unsigned char *)memory + ring_bytes(channels->size) * ((size_t)from * size + (size_t)to);
    end->channel = (struct allfold_channel *)(void *)ring;
    end->mask = allfold_ring_slots(channels->size) - 1;
    end->buffers = (unsigned char *)memory + rings +
                   (size_t)from * pool_bytes(channels->size, channels->buffer_bytes);
    for (int i = 0; i < ALLFOLD_MOST_SLOTS; i++)
        end->buffer_of[i] = ALLFOLD_NO_BUFFER;
}

bool allfold_channels_open(struct allfold_channels *channels, void *memory, int size, int index,
                           size_t buffer_bytes)
{
    assert((uintptr_t)memory % ALLFOLD_LINE_BYTES == 0);
    assert(index >= 0 && index < size);
    assert(buffer_bytes > 0 && buffer_bytes % ALLFOLD_LINE_BYTES == 0);
    *channels = (struct allfold_channels){
        .size = size, .index = index, .buffer_bytes = buffer_bytes, .publish_bytes = SIZE_MAX};
    channels->buffers = allfold_buffers_create(size - 1);
    channels->ends = allfold_allocate_zeroed(2 * (size_t)size * sizeof *channels->ends);
    if (channels->buffers == NULL || channels->ends == NULL) {
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

#ifdef MADV_POPULATE_WRITE
static void populate(const void *memory, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = (uintptr_t)memory & ~(page - 1);
    madvise((void *)begin, (uintptr_t)memory + bytes - begin, MADV_POPULATE_WRITE);
}
#else
static void populate(const void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}
#endif

void allfold_channels_populate(struct allfold_channels *channels)
{
    for (int i = 0; i < 2 * channels->size; i++)
        if (i % channels->size != channels->index)
            populate(channels->ends[i].channel, ring_bytes(channels->size));
    channels->populates_buffers = true;
}

/* Buffers are taken into use in their order. */
static void populate_new(struct allfold_channels *channels, uint32_t buffer, const void *memory)
{
    enum { MOST_BYTES = 32 << 10 }; /* of a buffer: longer fragments take longer than their pages */
    const size_t bytes = channels->buffer_bytes < MOST_BYTES ? channels->buffer_bytes : MOST_BYTES;
    if (buffer != channels->populated || !channels->populates_buffers)
        return;
    populate(memory, bytes);
    channels->populated++;
}

void allfold_channels_see(struct allfold_channels *channels, const struct allfold_visible *visible,
                          const struct allfold_access *access, size_t publish_bytes)
{
    for (int i = 0; i < channels->size; i++) {
        channels->ends[i].visible = visible[channels->index];
        channels->ends[channels->size + i].visible = visible[i];
    }
    channels->access = *access;
    channels->publish_bytes = publish_bytes;
}

const void *allfold_channel_attach(const struct allfold_channels *channels, struct allfold_end *end,
                                   size_t bytes)
{
    const struct allfold_ring_slot *slot = allfold_next_slot(end);
    assert(allfold_channel_has_fragment(end) && slot->buffer >= ALLFOLD_ATTACHED);
    if (slot->buffer == ALLFOLD_ATTACHED)
        return channels->access.attach(end->visible.process, (uintptr_t)slot->offset, bytes);
    if (slot->offset + bytes > end->visible.bytes)
        channels->access.reveal(&end->visible, slot->offset + bytes);
    return end->visible.memory + slot->offset;
}

void allfold_channels_close(struct allfold_channels *channels)
{
    allfold_buffers_free(channels->buffers);
    allfold_free(channels->ends);
}

void allfold_channels_begin(struct allfold_channels *channels, size_t element_bytes)
{
    assert(element_bytes > 0 && element_bytes <= ALLFOLD_INLINE_BYTES);
    assert(element_bytes <= channels->buffer_bytes);
    channels->run++;
    if (channels->element_bytes == element_bytes)
        return;
    channels->element_bytes = element_bytes;
    channels->inline_elements = ALLFOLD_INLINE_BYTES / element_bytes;
    channels->buffer_elements = channels->buffer_bytes / element_bytes;
}

/* Releases the buffers of fragments that the receiver has released since. */
static void collect(struct allfold_channels *channels, struct allfold_end *end)
{
    const uint64_t released = atomic_load_explicit(&end->channel->released, memory_order_acquire);
    assert(end->known_released <= released && released <= end->fragments);
    for (; end->known_released < released; end->known_released++) {
        uint32_t *buffer = &end->buffer_of[end->known_released & end->mask];
        if (*buffer == ALLFOLD_NO_BUFFER)
            continue;
        allfold_buffer_release(channels->buffers, *buffer);
        end->retained--;
        *buffer = ALLFOLD_NO_BUFFER;
    }
}

static bool may_retain(struct allfold_channels *channels, const struct allfold_end *end)
{
    if (allfold_buffers_may_retain(channels->buffers, end->retained))
        return true;
    for (int i = 0; i < channels->size; i++)
        if (channels->ends[i].retained > 0)
            collect(channels, &channels->ends[i]);
    return allfold_buffers_may_retain(channels->buffers, end->retained);
}

/* Returns the buffer with a fragment, which is filled if no buffer has it yet; ALLFOLD_NO_BUFFER if
 * the receiver has to release other buffers first. */
static uint32_t retain_buffer(struct allfold_channels *channels, struct allfold_end *end,
                              const struct allfold_fragment *fragment, const void *data,
                              size_t bytes)
{
    if (!may_retain(channels, end))
        return ALLFOLD_NO_BUFFER;
    uint32_t buffer = allfold_buffer_find(channels->buffers, fragment);
    if (buffer == ALLFOLD_NO_BUFFER) {
        buffer = allfold_buffer_fill(channels->buffers, fragment);
        void *memory = end->buffers + buffer * channels->buffer_bytes;
        populate_new(channels, buffer, memory);
        allfold_fill(&end->filler, memory, data, bytes);
    }
    allfold_buffer_retain(channels->buffers, buffer);
    end->retained++;
    return buffer;
}

bool allfold_channel_has_released(struct allfold_channels *channels, struct allfold_end *end,
                                  uint64_t fragments)
{
    collect(channels, end);
    return end->known_released >= fragments;
}

_Static_assert(ALLFOLD_MOST_SLOTS <= 64, "retained_slots has a bit for each slot");

static uint64_t bit_of(const struct allfold_end *end, uint64_t fragment)
{
    return UINT64_C(1) << (fragment & end->mask);
}

uint64_t allfold_channel_retain(struct allfold_end *end)
{
    assert(allfold_channel_has_fragment(end));
    assert((end->retained_slots & bit_of(end, end->fragments)) == 0);
    assert(end->retained_slots != 0 || end->known_released == end->fragments);
    end->retained_slots |= bit_of(end, end->fragments);
    return end->fragments++;
}

void allfold_channel_release_retained(struct allfold_end *end, uint64_t fragment)
{
    assert(fragment >= end->known_released && fragment < end->fragments);
    assert((end->retained_slots & bit_of(end, fragment)) != 0);
    end->retained_slots &= ~bit_of(end, fragment);
    uint64_t *released = &end->known_released;
    while (*released < end->fragments && (end->retained_slots & bit_of(end, *released)) == 0)
        ++*released;
    atomic_store_explicit(&end->channel->released, *released, memory_order_release);
}

/* What lies in the visible memory needs not be attached. */
static void publish(const struct allfold_end *end, struct allfold_ring_slot *slot, const void *data,
                    size_t bytes)
{
    const bool is_visible = allfold_is_visible(&end->visible, data, bytes);
    slot->buffer = is_visible ? ALLFOLD_NO_BUFFER : ALLFOLD_ATTACHED;
    slot->offset = (uintptr_t)data - (is_visible ? (uintptr_t)end->visible.memory : 0);
}

size_t allfold_channel_write(struct allfold_channels *channels, struct allfold_end *end,
                             const void *data, size_t length, size_t done, uint32_t publication)
{
    assert(done < length);
    assert(end->fragments - end->known_released <= (uint64_t)end->mask + 1);
    if (end->fragments - end->known_released == (uint64_t)end->mask + 1) {
        collect(channels, end);
        if (end->fragments - end->known_released == (uint64_t)end->mask + 1)
            return 0;
    }
    struct allfold_ring_slot *slot = allfold_next_slot(end);
    const uint64_t poison = data == NULL ? ALLFOLD_POISON : 0;
    size_t count = allfold_fragment_length(channels, length, done);
    if (data != NULL && length <= channels->inline_elements) {
        memcpy(slot->bytes, data, count * channels->element_bytes);
    } else if (data != NULL && allfold_channel_publishes(channels, end, data, length)) {
        assert(done == 0);
        count = length;
        publish(end, slot, data, length * channels->element_bytes);
    } else if (data != NULL) {
        const struct allfold_fragment fragment = {.run = channels->run,
                                                  .publication = publication,
                                                  .index =
                                                      (uint32_t)(done / channels->buffer_elements)};
        const char *from = (const char *)data + done * channels->element_bytes;
        const uint32_t buffer =
            retain_buffer(channels, end, &fragment, from, count * channels->element_bytes);
        if (buffer == ALLFOLD_NO_BUFFER)
            return 0;
        slot->buffer = end->buffer_of[end->fragments & end->mask] = buffer;
    }
    atomic_store_explicit(&slot->number, ++end->fragments | poison, memory_order_release);
    return count;
}
