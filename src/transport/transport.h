/* The interface of transports, which carry the messages of an executor.
 *
 * A transport is a const table of operations and the state of the current run. Messages in flight
 * are in slots 0 .. window - 1, which the executor assigns. One thread at a time. Operations return
 * 0 or the transport's own error code (an MPI error code for MPI), which the executor returns
 * unchanged. */
#ifndef ALLFOLD_TRANSPORT_TRANSPORT_H
#define ALLFOLD_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The default and the maximum number of messages in flight. Windows are powers of two. */
enum { ALLFOLD_WINDOW = 16, ALLFOLD_MAX_WINDOW = 256 };

/* A message to send or to receive. */
struct allfold_message {
    void *data; /* until the message is done, the data of a send do not change, and the memory of a
                   receive belongs to the transport; may be NULL, which is MPI_BOTTOM */
    size_t length;        /* elements */
    int peer;             /* rank in the whole group */
    uint32_t number;      /* sends and receives of a pair match by it */
    uint32_t publication; /* sends of one run with the same publication have the same data */
    uint32_t slot;
    bool has_no_data; /* send: the data are lost, send poison instead; receive: there is no memory
                         for the data, discard what arrives */
};

/* Receives elements [first, first + count) of the message in a slot, at `data`, contiguous and
 * without gaps. The transport delivers each element of a message once, in any order. Returns 0 or
 * an error. */
typedef int allfold_deliver(void *context, uint32_t slot, size_t first, size_t count,
                            const void *data);

/* A whole message in memory of its sender, contiguous and without gaps, which the receiver can read
 * in place. */
struct allfold_published {
    const void *data;
    size_t first; /* the element to read first, so that not all ranks read the same cache lines at a
                     time */
    int peer;     /* the sender, rank in the whole group */
    uint64_t fragment; /* the transport's number of the message */
};

/* Offers the executor the message in a slot, to be read in place. True: the receive is done, and
 * the data are valid until `release_published`. False: the transport delivers the message. */
typedef bool allfold_offer(void *context, uint32_t slot, const struct allfold_published *published);

struct allfold_transport;

/* The operations of a kind of transport. */
struct allfold_transport_operations {
    int (*send)(struct allfold_transport *transport, const struct allfold_message *message);
    int (*receive)(struct allfold_transport *transport, const struct allfold_message *message);

    /* Makes progress without waiting. Writes the slots of the messages that are done to `slots`,
     * which has memory for a whole window, and their number to *count; also if it returns an error.
     */
    int (*test)(struct allfold_transport *transport, uint32_t *slots, uint32_t *count);

    /* As `test`, but waits until at least one message is done. The message in slot `oldest` ends
     * whatever happens to the others, so a transport may wait for it alone. While the executor
     * retains published messages, other ranks may wait for their release: then the transport must
     * return after a while, even if no message is done. */
    int (*wait)(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                uint32_t *count);

    /* Gives up all messages in flight; all slots are free afterwards. Called after an error if the
     * transport does not send poison, possibly when no message is in flight any more. */
    void (*abandon)(struct allfold_transport *transport);

    /* Ends the use of a published message that the executor accepted. NULL if the transport offers
     * none. */
    void (*release_published)(struct allfold_transport *transport,
                              const struct allfold_published *published);

    /* Whether the transport sends poison: an empty message that replaces lost data, so that the
     * receiver fails instead of waiting forever. Poison counts as a message that is done. */
    bool sends_poison;

    /* Returns whether messages to a peer may be compressed: the transport must report the length of
     * received messages, and must not go through shared memory, for which compression saves no
     * time. NULL: messages to no peer may be compressed. */
    bool (*may_compress)(const struct allfold_transport *transport, int peer);

    /* The fast path of transports through shared memory, on which short messages need no slot. NULL
     * if put_limit is always 0. Messages of a pair keep their order.
     *
     * - `try_put` copies the next message into the peer's ring (poison if `data` is NULL), and
     *   returns false if the ring is full. At least 8 messages of one run always fit once the peer
     *   has released the messages of earlier runs.
     * - `peek` returns the address of the next message from a peer, or NULL if it has not arrived.
     *   The message is valid until `release`.
     * - `await` waits for a short time: for the next message from a peer, or with peer -1 for any
     *   message. `times` is the number of calls in a row. */
    bool (*try_put)(struct allfold_transport *transport, int peer, const void *data, size_t length);
    const void *(*peek)(struct allfold_transport *transport, int peer, size_t length);
    void (*release)(struct allfold_transport *transport, int peer);
    void (*await)(struct allfold_transport *transport, int peer, size_t length, unsigned times);
};

/* A transport: its operations and the state of the current run. */
struct allfold_transport {
    const struct allfold_transport_operations *operations;

    /* The transport sets got_poison if it receives poison. The executor then clears it, and the run
     * of this rank, which has now lost its data, too, fails with poison_error. The owner of the
     * transport sets poison_error. */
    bool got_poison;
    int poison_error;

    /* Set before a run: the maximum length, in elements, of messages for try_put. If it is not 0,
     * all ranks of the run must be reached by try_put, and all messages of the run must fit it. */
    size_t put_limit;

    /* Set by the executor for each run: receives data that the transport does not write to their
     * final place itself. */
    allfold_deliver *deliver;
    allfold_offer *offer;  /* for transports that publish in place */
    void *deliver_context; /* of both callbacks */

    /* Set by the executor for each run: slot -> the number of elements received, if that may be
     * less than expected; SIZE_MAX if it is not a whole number of elements. NULL if no message may
     * be compressed. */
    size_t *received;
};

#endif
