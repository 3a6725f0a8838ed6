/* Shared-memory buffers: the memory through which one rank passes long fragments to the others of
 * its node.
 *
 * The sender fills a buffer once for all readers that get the same data. The buffer does not change
 * until the last of them has released it. Buffers are counted by what readers retain, a shared one
 * once for each, so that one is always left for a reader that retains none. Readers therefore do
 * not wait for each other, as if each had buffers of its own. */
#ifndef ALLFOLD_TRANSPORT_BUFFERS_H
#define ALLFOLD_TRANSPORT_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLFOLD_NO_BUFFER UINT32_MAX

/* A fragment of a message of a run: which one, of which publication (see schedule.h). */
struct allfold_fragment {
    uint64_t run;
    uint32_t publication, index;
};

struct allfold_buffers;

/* How many buffers a rank has for that many readers. */
uint32_t allfold_buffers_for(int readers);

/* NULL without memory. */
struct allfold_buffers *allfold_buffers_create(int readers);
void allfold_buffers_free(struct allfold_buffers *buffers);

/* May a reader that retains so many get one more? Then a buffer is free. */
bool allfold_buffers_may_retain(const struct allfold_buffers *buffers, uint32_t retained);

/* The buffer that has the fragment already, or ALLFOLD_NO_BUFFER. */
uint32_t allfold_buffer_find(const struct allfold_buffers *buffers,
                             const struct allfold_fragment *fragment);

/* A buffer for the caller to fill with the fragment. A free one must be left. */
uint32_t allfold_buffer_fill(struct allfold_buffers *buffers,
                             const struct allfold_fragment *fragment);

/* One more reader retains the buffer, or no longer does. */
void allfold_buffer_retain(struct allfold_buffers *buffers, uint32_t buffer);
void allfold_buffer_release(struct allfold_buffers *buffers, uint32_t buffer);

/* How a buffer is filled: through this core's caches, or past them.
 *
 * A reader on a core that is near, under the same cache, gets a buffer fastest from this core's
 * caches. Between far cores each line that is to be written must first be taken away from the
 * reader's caches, one round trip each. It comes back the same way. Past the caches, a line costs
 * neither core more than memory does. What near and far are is not known from outside, less so on
 * virtual machines, whose cores wander. So both ways are timed now and then, twice in
 * ALLFOLD_FILLS_BETWEEN fills. A reader is far where a fill through the caches takes more than
 * twice as long as one past them. For 64 KiB it took 1.2 times as long between near cores, and 4
 * times between far ones.
 *
 * The first fills of a call find buffers that nobody has touched for a while, and take less than
 * those behind them. Calls of the same length have a number of fills that is often a power of two.
 * ALLFOLD_FILLS_BETWEEN is odd, and far from a multiple of each of them, so that the few last times
 * are from all parts of a call. */
enum { ALLFOLD_FILL_TIMES = 16, ALLFOLD_FILLS_BETWEEN = 53 };

/* Of one reader. Zeroed before its first fill. */
struct allfold_filler {
    bool goes_past; /* the caches */
    uint32_t fills;
    uint32_t count[2];
    float ns_per_byte[2][ALLFOLD_FILL_TIMES]; /* of the last ones; 1: past the caches */
};

/* Copies to a buffer, which begins at a cache line. What is written is to be seen by others after a
 * store-release as after any other. */
void allfold_fill(struct allfold_filler *filler, void *buffer, const void *data, size_t bytes);

/* Notes how long a fill took, and decides anew. */
void allfold_filler_note(struct allfold_filler *filler, bool past, float ns_per_byte);

#endif
