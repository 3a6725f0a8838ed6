/* Shared by the files of this room only: peers, streams, and their messages in flight (items). */
#ifndef ALLFOLD_FABRIC_FABRIC_INNER_H
#define ALLFOLD_FABRIC_FABRIC_INNER_H

#include <pthread.h>

#include "fabric/fabric.h"

/* The meaning of the immediate data of a write: the notice is in the upper two bits, its argument
 * in the bits below. */
enum allfold_notice {
    ALLFOLD_NOTICE_SLOT,   /* the number of the slot, among all slots of the target */
    ALLFOLD_NOTICE_PLACE,  /* the number of the receive */
    ALLFOLD_NOTICE_CREDIT, /* how many slots are free again, and the rank that freed them */
    ALLFOLD_NOTICE_HELLO   /* the rank that wrote its entry of the board */
};
enum {
    ALLFOLD_NOTICE_SHIFT = 30,
    ALLFOLD_NOTICE_RANK_BITS = 24,
    ALLFOLD_MOST_RANKS = 1 << ALLFOLD_NOTICE_RANK_BITS
};

/* What a slot contains. */
enum allfold_slot_kind {
    ALLFOLD_SLOT_DATA,     /* a short message */
    ALLFOLD_SLOT_POISON,   /* instead of a short message */
    ALLFOLD_SLOT_PLACE,    /* the address for the data of a long message; other places may follow */
    ALLFOLD_SLOT_FRAGMENT, /* a part of a long message that cannot be written to its place */
    ALLFOLD_SLOT_REFUSAL,  /* instead of a long message: poison */
    /* Nothing but `received` in its header; or a place that has been handled. */
    ALLFOLD_SLOT_RECEIVED
};

/* The header of a slot. */
struct allfold_slot_header {
    uint64_t stream; /* the key of the stream */
    /* Number of the run, among the runs of the pair on this stream in this direction. */
    uint32_t turn;
    uint32_t number; /* number of the message in the run */
    uint16_t kind;
    uint16_t released; /* number of the receiver's slots that are free again */
    uint32_t receive;  /* for a long message: the number of the receive */
    uint32_t bytes;    /* of data in this slot */
    uint32_t received; /* number of short messages of the stream that have matched their receives so
                          far */
    uint64_t offset;   /* for a fragment */
    uint64_t address, key; /* of a place; both ~0: there is no place, send fragments */
};

/* The maximum length of a short message. */
enum { ALLFOLD_SHORT_BYTES = ALLFOLD_FABRIC_SLOT_BYTES - sizeof(struct allfold_slot_header) };

struct allfold_fabric_peer;

/* The state of a message in flight. */
enum allfold_item_state {
    ALLFOLD_ITEM_FREE,
    ALLFOLD_ITEM_QUEUED,  /* waits for a slot of the peer */
    ALLFOLD_ITEM_WRITTEN, /* its write has been posted */
    ALLFOLD_ITEM_WAITS,   /* a receive waits for its data, a long send for its place */
    ALLFOLD_ITEM_ARRIVED, /* the data of a receive are in `held`; it is in the stream's list */
    ALLFOLD_ITEM_DONE     /* it is in the stream's list, or about to be added */
};

/* An early message: it arrived before its receive started, or must be delivered by another thread.
 */
struct allfold_held {
    struct allfold_held *next;
    struct allfold_slot_header header;
    char data[];
};

/* The write of an item. It is allocated on its own, because a write to a lost peer may never end:
 * the provider keeps it then. */
struct allfold_item_write {
    struct allfold_write write; /* must be first: completions return its address */
    struct allfold_fabric_peer *peer;
    struct allfold_item *item; /* NULL: the item was given up */
    struct allfold_item_write *next;
};

/* A message in flight. */
struct allfold_item {
    struct allfold_item_write *out; /* NULL: not allocated yet */
    struct allfold_fabric_stream *stream;
    struct allfold_fabric_peer *peer;
    enum allfold_item_state state;
    bool is_send, has_no_data, is_long, failed, got_poison;
    bool is_writing; /* `out` is posted, or waits for space in the provider's queue */
    int copy;        /* the slot copy that it writes from, or -1 */
    uint32_t slot;   /* the transport's slot */
    uint32_t turn, number;
    uint32_t receive; /* number of a long receive, here or at the peer */
    uint16_t kind;    /* the slot kind, if it waits for a slot */
    char *data;
    size_t bytes, moved; /* `moved`: number of bytes sent or received as fragments */
    struct allfold_registration place;
    struct allfold_held *held;
    struct allfold_item *next; /* in the peer's queue, or in the stream's list of done items */
};

/* The runs and the short messages of a stream with one peer. */
struct allfold_pair {
    uint64_t run_sent, run_received; /* the stream's last run that had messages in that direction */
    uint32_t sent, received;         /* number of runs that had messages in that direction */
    /* Counts of short messages, modulo 2^32: sent, and matched by receives at the peer. At most
     * `window` of them are in flight or wait for their receives, so the memory for early messages
     * is bounded. The message that the peer needs first can always be sent, because no message is
     * sent a window ahead of it. */
    uint32_t put, received_there;
    uint32_t taken, told; /* matched by receives here; the last number sent to the peer */
    bool is_due;          /* `taken` must be sent to the peer */
};

/* A stream: a transport over the fabric. */
struct allfold_fabric_stream {
    struct allfold_transport transport; /* must be first: its operations receive its address */
    struct allfold_fabric *fabric;
    uint64_t key, run;
    const int *rank_of;
    size_t element_bytes;
    struct allfold_pair *pairs; /* by index of the peer */
    uint32_t pair_capacity;
    unsigned empty_tests;
    struct allfold_item *done, **last_done;
    struct allfold_fabric_stream *next;
    struct allfold_item items[]; /* by the transport's slot */
};

/* A rank with which this rank has exchanged messages. */
struct allfold_fabric_peer {
    int rank;
    uint32_t index; /* in by_index */
    uint64_t address;
    bool is_met;  /* its introduction has arrived: `credits` to `key_there` are valid */
    bool is_lost; /* no message is sent to it or received from it any more */
    uint32_t credits, next_slot, first_there;
    uint64_t there, key_there;
    bool is_writing[ALLFOLD_FABRIC_SLOTS]; /* slot -> whether a write from its copy here has not
                                              ended */
    unsigned taken, stuck; /* bit i: the message in slot i here has been handled; could not be
                              handled, out of memory */
    uint32_t next_taken;   /* the next slot to become free; they become free in order */
    uint32_t untold;       /* number of free slots of which the peer has not been notified */
    struct allfold_item *queue, **queue_end;
    struct allfold_held *early, **early_end;
    struct allfold_write hello, credit, report;
    bool is_greeting, is_crediting, is_reporting;
    int report_slot;
    uint32_t due_count; /* number of pairs with is_due */
    /* Numbers of writes, each of which brings one notice. Writes to the peer that have ended, and
     * the last number of them sent to it; writes of the peer that have arrived here, and the number
     * of them that it reported as ended. */
    uint64_t ended, ended_told, arrived, ended_there;
    double missing_since_s; /* on the monotonic clock; 0: no write is missing */
    struct allfold_registration registration;
    struct allfold_peer_memory *memory;
};

/* The introduction of a peer. */
struct allfold_board_entry {
    uint64_t address, key; /* of its slots for the reader of the entry */
    uint64_t first;        /* the number of the first slot */
    uint64_t unused;       /* target of credit writes, of which only the immediate data matter */
};

/* The memory of a peer that its writes access. */
struct allfold_peer_memory {
    char slots[ALLFOLD_FABRIC_SLOTS][ALLFOLD_FABRIC_SLOT_BYTES]; /* written by the peer */
    char copies[ALLFOLD_FABRIC_SLOTS]
               [ALLFOLD_FABRIC_SLOT_BYTES]; /* sent from here to the peer's slots */
    struct allfold_board_entry introduction;
};

/* Flags of a rank, whether it is a peer or not. */
enum {
    ALLFOLD_RANK_UNANSWERED =
        1, /* its introduction arrived, but there was no memory to answer it */
    ALLFOLD_RANK_LOST = 2
};

/* A long receive, found by its number. */
struct allfold_receive_row {
    struct allfold_item *item; /* NULL: free */
    uint32_t generation, next_free;
};

/* The functions that fabric_peers.c calls when a message arrives or a write ends; fabric_stream.c
 * implements them. */
struct allfold_fabric_receiver {
    /* Handles the content of a slot. False if out of memory: then it is tried again later. */
    bool (*take_slot)(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                      const struct allfold_slot_header *header, const char *data);

    /* Handles the arrival of the data of a long receive. */
    void (*take_place)(struct allfold_fabric *fabric, uint32_t receive);

    /* Handles the end of an item's write. */
    void (*item_written)(struct allfold_fabric *fabric, struct allfold_item *item, bool failed);

    /* Ends all items of a lost peer. */
    void (*lose_peer)(struct allfold_fabric *fabric, const struct allfold_fabric_peer *peer);
};

/* The fabric. `mutex` protects all of it. */
struct allfold_fabric {
    struct allfold_fabric_options options;
    const struct allfold_fabric_receiver *receiver;
    struct allfold_provider *provider;
    pthread_mutex_t mutex;
    struct allfold_board_entry *board; /* by rank */
    struct allfold_registration board_registration;
    struct allfold_fabric_address *addresses;
    struct allfold_fabric_peer **peers, **by_index; /* by rank; in the order of first use */
    uint32_t peer_count, by_index_capacity;
    unsigned char *flags; /* by rank */
    int unanswered_count;
    uint32_t stuck_count;
    bool has_places; /* queues have places that have not been written yet */
    struct allfold_receive_row *receives;
    uint32_t receive_capacity, receive_free;
    struct allfold_write *later, **later_end; /* writes for which the provider's queue was full */
    uint32_t writing;                         /* number of writes that have not ended */
    struct allfold_fabric_stream *streams, *testing;
    struct allfold_item_write *given_up; /* writes to lost peers */
    bool is_broken;            /* the provider lost completions, and is not polled any more */
    double compared_s, told_s; /* when tallies were compared and sent last */
    struct allfold_fabric_figures figures;
};

/* --- fabric_loss.c, under the mutex --- */

/* Marks a rank as lost: no message is sent to it or received from it any more. If `tells`, calls
 * the options' `lost`. */
void allfold_peer_lose(struct allfold_fabric *fabric, int rank, bool tells);

/* Marks all other ranks as lost and calls `lost` for each, for instance after a run some of whose
 * messages were not started. The ranks count the runs of a pair, so later messages would match
 * wrong ones. */
void allfold_peers_lose_all(struct allfold_fabric *fabric);

/* Counts a write of the peer that has arrived. */
void allfold_peer_arrive(struct allfold_fabric_peer *peer);

/* Does what allfold_fabric_find_missing does, without locking. */
void allfold_peers_find_missing(struct allfold_fabric *fabric);

/* --- fabric_peers.c, under the mutex --- */

/* Returns the peer with that rank, created and sent an introduction if it is new. NULL if out of
 * memory. */
struct allfold_fabric_peer *allfold_fabric_peer(struct allfold_fabric *fabric, int rank);

/* Frees a peer and the early messages that it holds. */
void allfold_peer_free(struct allfold_fabric_peer *peer);

/* Queues the item as a slot of kind `kind`, to be written once the peer has a free slot. An
 * ALLFOLD_SLOT_PLACE waits for the next poll or call of allfold_peers_tell_places, and is written
 * together with all other places for that peer. */
void allfold_peer_queue(struct allfold_fabric *fabric, struct allfold_item *item, uint16_t kind);

/* Writes the queued places of all peers. */
void allfold_peers_tell_places(struct allfold_fabric *fabric);

/* Counts a short message that matched its receive, and reports the count to the sender in time. */
void allfold_pair_take(struct allfold_fabric *fabric, struct allfold_fabric_stream *stream,
                       struct allfold_fabric_peer *peer);

/* Takes an item out of its peer's queue, if it is in there. */
void allfold_peer_unqueue(struct allfold_item *item);

/* Posts a write for an item. */
void allfold_item_write(struct allfold_fabric *fabric, struct allfold_item *item,
                        const struct allfold_write *write);

/* Polls the provider once and handles the completions that it returns. */
void allfold_fabric_poll(struct allfold_fabric *fabric);

/* Takes the early message of an item out of the peer's list. NULL if there is none. */
struct allfold_held *allfold_peer_take_early(const struct allfold_item *item);

/* Returns the stream with that key, or NULL if there is none. */
struct allfold_fabric_stream *allfold_stream_find(const struct allfold_fabric *fabric,
                                                  uint64_t key);

/* --- fabric_create.c --- */

/* Creates a fabric without streams, whose messages go to `receiver`. NULL if out of memory. */
struct allfold_fabric *allfold_peers_create(const struct allfold_fabric_options *options,
                                            const struct allfold_fabric_receiver *receiver);

#endif
