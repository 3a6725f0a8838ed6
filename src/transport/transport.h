/* Transports: how messages travel. The executor knows no more of them than this.
 *
 * A transport holds what is in flight in slots 0 .. window - 1, which the executor hands out. All
 * calls of one transport come from one thread at a time. Functions return 0 or the transport's own
 * error code (for MPI an MPI error code), which the executor passes on. */
#ifndef ALLFOLD_EXECUTE_TRANSPORT_H
#define ALLFOLD_EXECUTE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allfold_message {
    void *data;    /* stays as it is and readable (send) or is the transport's (receive) until done;
                    * may be NULL, which is MPI_BOTTOM */
    size_t length; /* elements */
    int peer;      /* rank in the whole group */
    uint32_t number;      /* messages of one pair and direction match by it */
    uint32_t publication; /* sends of one run with the same carry the same data */
    uint32_t slot;
    bool is_empty; /* a send: empty in place of what was lost; a receive: there is no room for what
                    * comes, which is thrown away */
};

/* Takes elements first .. first + count - 1 of the message in a slot from where they lie as they
 * travel: contiguous, without gaps. Elements of a message come in order. Returns 0 or an error. */
typedef int allfold_take(void *context, uint32_t slot, size_t first, size_t count,
                         const void *data);

struct allfold_transport {
    int (*send)(struct allfold_transport *transport, const struct allfold_message *message);
    int (*receive)(struct allfold_transport *transport, const struct allfold_message *message);

    /* Whether empty messages are sent in place of those whose data were lost, so that no rank waits
     * for what will not come. Where an empty one was received, `got_empty` is set, until the
     * executor takes that away, and the message counts as done; a rank that was told so has lost
     * its data, too, and fails with `empty_error`, which the owner of a transport that can do this
     * sets. */
    bool tells_empty;
    bool got_empty;
    int empty_error;

    /* Moves messages on and writes the slots of those that are done to `slots` (room for a whole
     * window), their number to *count. Does not wait. With an error, too, these are done. */
    int (*test)(struct allfold_transport *transport, uint32_t *slots, uint32_t *count);

    /* The same, but returns only when one at least is done. The message in slot `oldest` ends
     * whatever becomes of the others, so to wait for it alone is safe. */
    int (*wait)(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                uint32_t *count);

    /* Gives up whatever is in flight, where an error cannot be told by empty messages; afterwards
     * all slots are free. Also called where all that was in flight has just ended. */
    void (*abandon)(struct allfold_transport *transport);

    /* Whether messages to a peer may be shorter than it expects, as it can tell how much came, and
     * the way there is not through memory, where that would win nothing. NULL: none may. */
    bool (*may_be_short)(const struct allfold_transport *transport, int peer);

    /* For transports with memory of both ends, where short messages need no slot: those of up to
     * most_shown elements, which is set before a run, 0 where there are none such; then all ranks
     * can be reached so, in this run by nothing else, and the messages of a pair go in their order.
     * `show` writes the next message to a peer (an empty one where data is NULL) where that has
     * room, and says whether it had, as it will once the peer has taken what earlier runs sent, for
     * 8 messages of a run at least. `look` says where the next one from a peer lies, or NULL while
     * it has not come; it stays there until `let_go`. `await` waits a little: for the next one from
     * a peer, or with -1 for anything; it is told how many times in a row it was called so. */
    size_t most_shown;
    bool (*show)(struct allfold_transport *transport, int peer, const void *data, size_t length);
    const void *(*look)(struct allfold_transport *transport, int peer, size_t length);
    void (*let_go)(struct allfold_transport *transport, int peer);
    void (*await)(struct allfold_transport *transport, int peer, size_t length, unsigned times);

    /* Set by the executor for each run: what a transport calls that does not write received data to
     * its place itself. */
    allfold_take *take;
    void *take_context;

    /* Likewise: where to write how many elements a receive got, by slot, where that may be fewer
     * than it expects, or is no whole number (SIZE_MAX). NULL where nobody wants to know. */
    size_t *came;
};

#endif
