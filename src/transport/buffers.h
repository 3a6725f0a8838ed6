/* Shared-memory buffers: the memory through which a rank sends long fragments to the other ranks of
 * its node.
 *
 * The sender fills a buffer once for all readers that get the same data. The buffer does not change
 * until all of them have released it. Each buffer counts once for each reader that retains it, and
 * the total is limited so that a reader that retains no buffer always finds a free one. So readers
 * do not wait for each other, as if each had its own buffers. One thread at a time. */
#ifndef ALLFOLD_TRANSPORT_BUFFERS_H
#define ALLFOLD_TRANSPORT_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLFOLD_NO_BUFFER UINT32_MAX

/* Identifies a fragment: its run, its publication (see schedule.h) and its index in the message. */
struct allfold_fragment {
    uint64_t run;
    uint32_t publication, index;
};

struct allfold_buffers;

/* Returns the number of buffers that a rank needs for `readers` readers. */
uint32_t allfold_buffers_for(int readers);

/* Creates the buffers of one rank for `readers` readers, all of them free. NULL if out of memory.
 * The caller frees them with allfold_buffers_free. */
struct allfold_buffers *allfold_buffers_create(int readers);
void allfold_buffers_free(struct allfold_buffers *buffers);

/* Returns whether a reader that already retains `retained` buffers may retain one more. If so,
 * there is a free buffer. */
bool allfold_buffers_may_retain(const struct allfold_buffers *buffers, uint32_t retained);

/* Returns the buffer that already holds the fragment, or ALLFOLD_NO_BUFFER. */
uint32_t allfold_buffer_find(const struct allfold_buffers *buffers,
                             const struct allfold_fragment *fragment);

/* Returns a free buffer, which the caller fills with the fragment. There must be a free buffer
 * (allfold_buffers_may_retain). */
uint32_t allfold_buffer_fill(struct allfold_buffers *buffers,
                             const struct allfold_fragment *fragment);

/* Counts one more reader that retains the buffer. */
void allfold_buffer_retain(struct allfold_buffers *buffers, uint32_t buffer);

/* Counts one reader less that retains the buffer. */
void allfold_buffer_release(struct allfold_buffers *buffers, uint32_t buffer);

/* How a buffer is filled: with ordinary stores or with non-temporal ones (util/copy.h).
 *
 * If the reader's core shares a cache with this core, ordinary stores are faster. Otherwise each
 * cache line has to be taken away from the reader's cache before it is written, with one round trip
 * per line, and it moves back in the same way. Non-temporal stores cost both cores only an access
 * to memory. Where the cores are is unknown, in particular on virtual machines, which migrate their
 * cores. So fills are timed with both kinds of stores now and then, twice in ALLFOLD_FILLS_BETWEEN
 * fills. Non-temporal stores are used if ordinary ones take more than twice the time. For 64 KiB,
 * ordinary stores took 1.2 times as long between cores that share a cache, and 4 times as long
 * between others.
 *
 * The first fills of a call write buffers that have not been used for a while, and are faster than
 * the later ones. Calls of one length have a number of fills that is often a power of two.
 * ALLFOLD_FILLS_BETWEEN is odd and not near a multiple of a power of two, so that the timed fills
 * are from all parts of a call. */
enum { ALLFOLD_FILL_TIMES = 16, ALLFOLD_FILLS_BETWEEN = 53 };

/* The timings of one reader. Zeroed before its first fill. */
struct allfold_filler {
    bool goes_past; /* whether fills use non-temporal stores */
    uint32_t fills;
    uint32_t count[2];
    float ns_per_byte[2][ALLFOLD_FILL_TIMES]; /* the last timings; [1]: with non-temporal stores */
};

/* Copies `bytes` bytes to a buffer, which must be aligned to a cache line. A store-release after it
 * makes the data visible to other processes, as after ordinary stores. */
void allfold_fill(struct allfold_filler *filler, void *buffer, const void *data, size_t bytes);

/* Records the time of a fill (`past`: with non-temporal stores), and decides which stores to use.
 */
void allfold_filler_note(struct allfold_filler *filler, bool past, float ns_per_byte);

#endif
