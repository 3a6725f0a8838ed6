/* The transport through memory that the ranks of a node share. Without MPI: the memory comes from
 * the caller, and another transport carries the messages to ranks elsewhere.
 *
 * A message is cut into fragments, which go through the channel of the pair (see channels.h). The
 * receiver reduces from where a fragment lies (see allfold_deliver), so long messages go through
 * the caches and not through memory. Sends of the same publication fill one buffer for all
 * receivers. Data that the receiver sees (see visible.h) are published in place and not copied at
 * all. Such a send is done when the receiver has released them.
 *
 * Messages of a pair go in the order of their numbers. A message waits while the ring is full,
 * until the receiver releases what was sent before. Sends may be synchronous, and the verifier
 * proves schedules for synchronous sends. */
#ifndef ALLFOLD_TRANSPORT_SHARED_MEMORY_H
#define ALLFOLD_TRANSPORT_SHARED_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"
#include "transport/visible.h"

/* Memory of a node's ranks and this rank's view of it. */
struct allfold_shared_memory;

struct allfold_shared_options {
    void *memory;        /* the same for all of them, aligned to 64, zeroed before the first use */
    int size;            /* ranks that share it */
    int index;           /* of this one among them */
    const int *index_of; /* rank in the whole group -> index among them, -1 elsewhere; not owned */
    size_t buffer_bytes; /* see allfold_shared_bytes */
    bool must_yield;     /* waiting soon leaves the core to others */

    /* What memory of each of them the others see, by index, not owned, or NULL. And the bytes from
     * which on messages are published in place. */
    const struct allfold_visible *visible;
    struct allfold_access access;
    size_t publish_bytes;

    int poison_error; /* what a run fails with that received poison */

    /* Carries messages to other ranks, and poison; NULL where all ranks are here. */
    struct allfold_transport *beyond;

    /* Called now and then while waiting, so that others get on; may be NULL. */
    void (*idle)(void *context);
    void *idle_context;
};

/* How many bytes of memory that many ranks need, with buffers of that many bytes (a multiple of
 * 64). Memory that no message goes through is not touched, but for allfold_shared_populate. */
size_t allfold_shared_bytes(int size, size_t buffer_bytes);

/* A transport, or NULL without memory. `options` is copied. */
struct allfold_shared_memory *allfold_shared_create(const struct allfold_shared_options *options);
void allfold_shared_free(struct allfold_shared_memory *shared);

/* Maps what messages go through first (see allfold_channels_populate). */
void allfold_shared_populate(struct allfold_shared_memory *shared);

/* The transport, to bind executors to. */
struct allfold_transport *allfold_shared_transport(struct allfold_shared_memory *shared);

/* From now on: which ranks runs are of. A transport can so serve several groups in turn. Nothing is
 * in flight. `index_of` is as in the options, and not owned; `is_whole`: no rank is elsewhere. */
void allfold_shared_set_group(struct allfold_shared_memory *shared, const int *index_of,
                              bool is_whole);

/* Before each run: how many bytes an element has, contiguous and without gaps. */
void allfold_shared_begin(struct allfold_shared_memory *shared, size_t element_bytes);

/* An error left messages behind: the transport must not be used any more. */
bool allfold_shared_is_broken(const struct allfold_shared_memory *shared);

#endif
