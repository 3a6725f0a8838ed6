/* Transports: how messages travel. The executor knows no more of them than this.
 *
 * A transport is a const table of operations and the state of the run in hand. It keeps messages in
 * flight in slots 0 .. window - 1, which the executor hands out. One thread at a time calls a
 * transport. Operations return 0 or the transport's own error code (for MPI an MPI error code),
 * which the executor passes on. */
#ifndef ALLFOLD_TRANSPORT_TRANSPORT_H
#define ALLFOLD_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The default bound on messages in flight, and the largest. Windows are powers of two. */
enum { ALLFOLD_WINDOW = 16, ALLFOLD_MAX_WINDOW = 256 };

struct allfold_message {
    void *data;    /* until the message is done, a send's data do not change, and a receive's belong
                    * to the transport; may be NULL, which is MPI_BOTTOM */
    size_t length; /* elements */
    int peer;      /* rank in the whole group */
    uint32_t number;      /* messages of one pair and direction match by it */
    uint32_t publication; /* sends of one run with the same publication carry the same data */
    uint32_t slot;
    bool has_no_data; /* a send: poison goes in place of the lost data; a receive: there is no room,
                       * so the transport discards what arrives */
};

/* Takes elements first .. first + count - 1 of the message in a slot from where they arrived:
 * contiguous, without gaps. Each element of a message is delivered once, in any order. Returns 0 or
 * an error. */
typedef int allfold_deliver(void *context, uint32_t slot, size_t first, size_t count,
                            const void *data);

/* A whole message in memory of its sender, contiguous and without gaps. */
struct allfold_published {
    const void *data;
    size_t first;      /* the element to read first, so that not all ranks read the same lines */
    int peer;          /* the sender, rank in the whole group */
    uint64_t fragment; /* the transport's number for it */
};

/* Offers the executor to retain the message in a slot where it lies. True: the receive is done, and
 * the data stay until `release_published`. False: the transport delivers the message. */
typedef bool allfold_offer(void *context, uint32_t slot, const struct allfold_published *published);

struct allfold_transport;

struct allfold_transport_operations {
    int (*send)(struct allfold_transport *transport, const struct allfold_message *message);
    int (*receive)(struct allfold_transport *transport, const struct allfold_message *message);

    /* Makes progress and writes the slots of messages that are done to `slots` (room for a whole
     * window), their number to *count. Does not wait. The slots count with an error, too. */
    int (*test)(struct allfold_transport *transport, uint32_t *slots, uint32_t *count);

    /* As `test`, but waits until one message at least is done. The message in slot `oldest` ends
     * whatever becomes of the others, so a transport may wait for that message alone. While the
     * executor retains published messages, their senders may be what everybody waits for. So the
     * transport then returns after a while in any case, maybe with none done. */
    int (*wait)(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                uint32_t *count);

    /* Gives up whatever is in flight, where poison cannot report an error; afterwards all slots are
     * free. Also called where all that was in flight has just ended. */
    void (*abandon)(struct allfold_transport *transport);

    /* Ends what the executor retains of a message that it was offered. NULL where none is. */
    void (*release_published)(struct allfold_transport *transport,
                              const struct allfold_published *published);

    /* Whether this transport sends poison: an empty message that replaces lost data, so that the
     * receiver fails instead of hanging. Poison counts as a message that is done. */
    bool sends_poison;

    /* Whether messages to a peer may be compressed: the transport can say how much arrived, and
     * does not go through memory. There compression would win nothing. NULL: no peer's. */
    bool (*may_compress)(const struct allfold_transport *transport, int peer);

    /* The fast path of transports through memory, where short messages need no slot; NULL where
     * put_limit stays 0. Messages of a pair keep their order.
     *
     * - `try_put` copies the next message into the peer's ring (poison where data is NULL) and
     *   returns false if the ring is full. At least 8 messages of one run always fit once the peer
     *   has released the messages of earlier runs.
     * - `peek` says where the next message from a peer lies, or NULL while it has not arrived. The
     *   message stays there until `release`.
     * - `await` waits a little: for the next message from a peer, or with -1 for anything. The
     *   executor called it `times` times in a row. */
    bool (*try_put)(struct allfold_transport *transport, int peer, const void *data, size_t length);
    const void *(*peek)(struct allfold_transport *transport, int peer, size_t length);
    void (*release)(struct allfold_transport *transport, int peer);
    void (*await)(struct allfold_transport *transport, int peer, size_t length, unsigned times);
};

struct allfold_transport {
    const struct allfold_transport_operations *operations;

    /* Receiving poison sets got_poison; the executor clears it, and the rank, which has now lost
     * its data, too, fails with poison_error. The owner of the transport sets poison_error. */
    bool got_poison;
    int poison_error;

    /* Set before a run: messages of up to so many elements fit try_put, and all ranks are reached
     * so, in this run by nothing else. 0: none is. */
    size_t put_limit;

    /* Set by the executor for each run: a transport that does not write received data to their
     * place itself delivers the data. */
    allfold_deliver *deliver;
    allfold_offer *offer;  /* for transports that publish in place */
    void *deliver_context; /* of both */

    /* Set by the executor for each run: slot -> how many elements its receive got, where that may
     * be fewer than it expects, or is no whole number (SIZE_MAX). NULL where no message may be
     * compressed. */
    size_t *received;
};

#endif
