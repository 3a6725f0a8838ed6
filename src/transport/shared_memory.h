/* The transport through memory that the ranks of a node share. It does not use MPI: the caller
 * provides the memory, and another transport carries messages to ranks on other nodes.
 *
 * A message is cut into fragments, which go through the channel of the two ranks (channels.h). The
 * receiver reduces directly from the fragment (allfold_deliver), so long messages stay in the
 * caches. Sends of the same publication fill one buffer for all receivers. Data that the receiver
 * can access (visible.h) are published in place and not copied. Such a send is done when the
 * receiver has released the data.
 *
 * Messages between two ranks are sent in the order of their numbers. If the ring is full, a message
 * waits until the receiver releases earlier ones. So sends may be synchronous; the verifier proves
 * schedules for synchronous sends. One thread at a time. */
#ifndef ALLFOLD_TRANSPORT_SHARED_MEMORY_H
#define ALLFOLD_TRANSPORT_SHARED_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"
#include "transport/visible.h"

/* The transport: shared memory of a node's ranks, as one rank uses it. */
struct allfold_shared_memory;

/* What a transport is created from. */
struct allfold_shared_options {
    void *memory; /* at the same shared pages in all processes; aligned to 64, zeroed before the
                     first use */
    int size;     /* number of ranks that share the memory */
    int index;    /* of this rank among them */
    const int *index_of; /* rank in the whole group -> index among the sharing ranks, -1 if not one
                            of them; not owned */
    size_t buffer_bytes; /* see allfold_shared_bytes */
    bool must_yield;     /* whether a waiting rank soon yields its core */

    /* By index: the memory of each rank that the other ranks can access; not owned, may be NULL.
     * And the minimum length in bytes of messages that are published in place. */
    const struct allfold_visible *visible;
    struct allfold_access access;
    size_t publish_bytes;

    int poison_error; /* the error of a run that received poison */

    /* Carries messages to ranks on other nodes, and their poison; NULL if all ranks share the
     * memory. */
    struct allfold_transport *beyond;

    /* Called now and then while waiting, so that other activities make progress; may be NULL. */
    void (*idle)(void *context);
    void *idle_context;
};

/* Returns the bytes of shared memory that `size` ranks need, with buffers of buffer_bytes bytes (a
 * multiple of 64). Memory that no message uses is not touched, except by allfold_shared_populate.
 */
size_t allfold_shared_bytes(int size, size_t buffer_bytes);

/* Creates a transport; copies `options`. NULL if out of memory. The caller frees it with
 * allfold_shared_free. */
struct allfold_shared_memory *allfold_shared_create(const struct allfold_shared_options *options);
void allfold_shared_free(struct allfold_shared_memory *shared);

/* Maps the memory that messages use first (see allfold_channels_populate). */
void allfold_shared_populate(struct allfold_shared_memory *shared);

/* Returns the transport for executors. Valid until `shared` is freed. */
struct allfold_transport *allfold_shared_transport(struct allfold_shared_memory *shared);

/* Sets the group of ranks for the next runs, so that one transport can be used for several groups
 * in turn. No message may be in flight. `index_of` is as in the options, and not owned. `is_whole`:
 * all ranks of the group share the memory. */
void allfold_shared_set_group(struct allfold_shared_memory *shared, const int *index_of,
                              bool is_whole);

/* Sets the length of an element, contiguous and without gaps. Must be called before each run. */
void allfold_shared_begin(struct allfold_shared_memory *shared, size_t element_bytes);

/* Returns whether an error left messages behind. If so, the transport must not be used any more. */
bool allfold_shared_is_broken(const struct allfold_shared_memory *shared);

#endif
