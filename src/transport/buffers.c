/* Shared-memory buffers (see buffers.h).
 *
 * Invariant: count - retained >= the readers that retain none, so each of those always finds a free
 * buffer, as at least count - retained are free. */
#include "transport/buffers.h"

#include <assert.h>

#include "util/memory.h"

enum { SPARE = 7, LATEST = 16 };

struct buffer {
    struct allfold_fragment fragment;
    uint32_t readers; /* that retain it */
};

struct allfold_buffers {
    uint32_t count, readers;
    uint32_t retained; /* by all readers, shared ones more than once */
    uint32_t free_first, free_count;
    uint32_t latest[LATEST]; /* where a fragment was last, by publication and index */
    uint32_t *free;          /* a ring: the first one is taken next */
    struct buffer buffers[];
};

uint32_t allfold_buffers_for(int readers)
{
    return (uint32_t)readers + SPARE;
}

struct allfold_buffers *allfold_buffers_create(int readers)
{
    assert(readers >= 0);
    const uint32_t count = allfold_buffers_for(readers);
    struct allfold_buffers *buffers = allfold_allocate_zeroed(
        sizeof *buffers + count * (sizeof *buffers->buffers + sizeof *buffers->free));
    if (buffers == NULL)
        return NULL;
    buffers->count = buffers->free_count = count;
    buffers->readers = (uint32_t)readers;
    buffers->free = (uint32_t *)(void *)(buffers->buffers + count);
    for (uint32_t i = 0; i < count; i++)
        buffers->free[i] = i;
    return buffers;
}

void allfold_buffers_free(struct allfold_buffers *buffers)
{
    allfold_free(buffers);
}

bool allfold_buffers_may_retain(const struct allfold_buffers *buffers, uint32_t retained)
{
    return retained == 0 || buffers->count - buffers->retained > buffers->readers - 1;
}

static uint32_t latest_of(const struct allfold_fragment *fragment)
{
    return (fragment->publication * 5 + fragment->index) % LATEST;
}

uint32_t allfold_buffer_find(const struct allfold_buffers *buffers,
                             const struct allfold_fragment *fragment)
{
    const uint32_t at = buffers->latest[latest_of(fragment)];
    const struct buffer *buffer = &buffers->buffers[at];
    const bool is_found = buffer->readers > 0 && buffer->fragment.run == fragment->run &&
                          buffer->fragment.publication == fragment->publication &&
                          buffer->fragment.index == fragment->index;
    return is_found ? at : ALLFOLD_NO_BUFFER;
}

uint32_t allfold_buffer_fill(struct allfold_buffers *buffers,
                             const struct allfold_fragment *fragment)
{
    assert(buffers->free_count > 0);
    const uint32_t at = buffers->free[buffers->free_first];
    buffers->free_first = (buffers->free_first + 1) % buffers->count;
    buffers->free_count--;
    assert(buffers->buffers[at].readers == 0);
    buffers->buffers[at].fragment = *fragment;
    buffers->latest[latest_of(fragment)] = at;
    return at;
}

void allfold_buffer_retain(struct allfold_buffers *buffers, uint32_t buffer)
{
    assert(buffer < buffers->count);
    buffers->buffers[buffer].readers++;
    buffers->retained++;
    assert(buffers->free_count + buffers->retained >= buffers->count);
}

void allfold_buffer_release(struct allfold_buffers *buffers, uint32_t buffer)
{
    assert(buffer < buffers->count && buffers->buffers[buffer].readers > 0);
    buffers->retained--;
    if (--buffers->buffers[buffer].readers == 0)
        buffers->free[(buffers->free_first + buffers->free_count++) % buffers->count] = buffer;
}
