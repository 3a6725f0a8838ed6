/* Shared-memory buffers: which of them are free, and how they are filled (see buffers.h).
 *
 * Invariant: count - retained is not less than the number of readers that retain no buffer. At
 * least count - retained buffers are free, so each of these readers finds a free buffer. */
#include "transport/buffers.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "util/copy.h"
#include "util/memory.h"

/* So many that a buffer has left the second-level caches of both cores before it comes back. Its
 * lines are then in the cache that they share, and are not taken from the other core. */
enum { SPARE = 15, LATEST = 16 };

struct buffer {
    struct allfold_fragment fragment;
    uint32_t readers; /* that retain it */
};

struct allfold_buffers {
    uint32_t count, readers;
    uint32_t retained; /* by all readers, shared ones more than once */
    uint32_t free_first, free_count;
    uint32_t latest[LATEST]; /* last buffer of a fragment, by publication and index */
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

enum { LEAST_BYTES = 8 << 10 };
_Static_assert(ALLFOLD_FILLS_BETWEEN % 2 == 1, "else some parts of a call are never timed");

static void copy(void *to, const void *from, size_t bytes, bool past)
{
    if (past)
        allfold_copy_past_caches(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* The mean of the last times without the longest one: whoever was interrupted took longer. The
 * least one would be that of a call's first fills, which most fills are not. */
static float typical(const struct allfold_filler *filler, bool past)
{
    const uint32_t times =
        filler->count[past] < ALLFOLD_FILL_TIMES ? filler->count[past] : ALLFOLD_FILL_TIMES;
    float sum = 0, longest = 0;
    for (uint32_t i = 0; i < times; i++) {
        const float time = filler->ns_per_byte[past][i];
        sum += time;
        longest = time > longest ? time : longest;
    }
    return times > 1 ? (sum - longest) / (float)(times - 1) : sum;
}

void allfold_filler_note(struct allfold_filler *filler, bool past, float ns_per_byte)
{
    filler->ns_per_byte[past][filler->count[past]++ % ALLFOLD_FILL_TIMES] = ns_per_byte;
    filler->goes_past = filler->count[0] > 0 && filler->count[1] > 0 &&
                        typical(filler, false) > 2 * typical(filler, true);
}

void allfold_fill(struct allfold_filler *filler, void *buffer, const void *data, size_t bytes)
{
    if (bytes < LEAST_BYTES || !allfold_has_way_past_caches()) {
        memcpy(buffer, data, bytes);
        return;
    }
    const uint32_t number = filler->fills++ % ALLFOLD_FILLS_BETWEEN;
    if (number > 1) {
        copy(buffer, data, bytes, filler->goes_past);
        return;
    }
    const bool past = number == 1;
    const double begin_ns = now_ns();
    copy(buffer, data, bytes, past);
    allfold_filler_note(filler, past, (float)((now_ns() - begin_ns) / (double)bytes));
}
