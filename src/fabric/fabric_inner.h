/* What the files of this room share: peers, and the items of streams that they carry. */
#ifndef ALLFOLD_FABRIC_FABRIC_INNER_H
#define ALLFOLD_FABRIC_FABRIC_INNER_H

#include <pthread.h>

#include "fabric/fabric.h"

/* The immediate data: what has arrived, in the upper two bits, and below these ... */
enum allfold_notice {
    ALLFOLD_NOTICE_SLOT,   /* the number of the slot, among all of the target's */
    ALLFOLD_NOTICE_PLACE,  /* the number of the receive */
    ALLFOLD_NOTICE_CREDIT, /* how many slots are free again, and the rank that says so */
    ALLFOLD_NOTICE_HELLO   /* the rank, which wrote its entry of the board */
};
enum {
    ALLFOLD_NOTICE_SHIFT = 30,
    ALLFOLD_NOTICE_RANK_BITS = 24,
    ALLFOLD_MOST_RANKS = 1 << ALLFOLD_NOTICE_RANK_BITS
};

enum allfold_slot_kind {
    ALLFOLD_SLOT_DATA,     /* a short message */
    ALLFOLD_SLOT_POISON,   /* in place of a short message */
    ALLFOLD_SLOT_PLACE,    /* where the sender of a long message may write; more may follow */
    ALLFOLD_SLOT_FRAGMENT, /* of a long message that cannot be written there */
    ALLFOLD_SLOT_REFUSAL,  /* in place of a long message: poison */
    ALLFOLD_SLOT_RECEIVED  /* only says what its header says of short messages; or a place taken */
};

/* What a slot begins with. */
struct allfold_slot_header {
    uint64_t stream; /* its key */
    uint32_t turn;   /* of the runs of the pair on this stream, in this direction */
    uint32_t number; /* of the message in the run */
    uint16_t kind;
    uint16_t released;     /* slots of the target's peer that are free again */
    uint32_t receive;      /* of a long message: the number of the receive */
    uint32_t bytes;        /* of data in this slot */
    uint32_t received;     /* short messages of the stream that met their receives, so far */
    uint64_t offset;       /* of a fragment */
    uint64_t address, key; /* of a place; key and address of ~0: none, send fragments */
};

enum { ALLFOLD_SHORT_BYTES = ALLFOLD_FABRIC_SLOT_BYTES - sizeof(struct allfold_slot_header) };

struct allfold_fabric_peer;

enum allfold_item_state {
    ALLFOLD_ITEM_FREE,
    ALLFOLD_ITEM_QUEUED,  /* waits for a slot of the peer */
    ALLFOLD_ITEM_WRITTEN, /* its write is on its way */
    ALLFOLD_ITEM_WAITS,   /* for the peer: a receive for its data, a long send for its place */
    ALLFOLD_ITEM_ARRIVED, /* a receive's data are in `held`; in the stream's list */
    ALLFOLD_ITEM_DONE     /* in the stream's list, or about to come there */
};

/* What arrived before it was received, or is to be delivered by another thread. */
struct allfold_held {
    struct allfold_held *next;
    struct allfold_slot_header header;
    char data[];
};

/* The write of an item, apart from it: one to a peer that is lost may never end, and the provider
 * keeps it then. */
struct allfold_item_write {
    struct allfold_write write; /* first: it comes back with it */
    struct allfold_fabric_peer *peer;
    struct allfold_item *item; /* NULL: given up */
    struct allfold_item_write *next;
};

/* A message in flight. */
struct allfold_item {
    struct allfold_item_write *out; /* NULL: to be made */
    struct allfold_fabric_stream *stream;
    struct allfold_fabric_peer *peer;
    enum allfold_item_state state;
    bool is_send, has_no_data, is_long, failed, got_poison;
    bool is_writing; /* `out` is the provider's, or waits for room there */
    int copy;        /* the slot's copy that it writes from, or -1 */
    uint32_t slot;   /* of the transport */
    uint32_t turn, number;
    uint32_t receive; /* the number of a long receive, here or there */
    uint16_t kind;    /* of what waits for a slot */
    char *data;
    size_t bytes, moved; /* of fragments: so many have gone or come */
    struct allfold_registration place;
    struct allfold_held *held;
    struct allfold_item *next; /* of the peer's queue, or of the stream's list of those done */
};

struct allfold_pair {
    uint64_t run_sent, run_received; /* the stream's last run that had such messages */
    uint32_t sent, received;         /* how many runs had */
    /* Short messages, modulo 2^32. At most a window of them is on its way or waits for receives.
     * So the memory of early messages is bounded. The message that the peer needs first always has
     * room, because no other one is sent a window ahead of it. */
    uint32_t put, received_there;
    uint32_t taken, told; /* which met their receives here; of these the peer knows */
    bool is_due;          /* the peer is to know more */
};

struct allfold_fabric_stream {
    struct allfold_transport transport; /* first: its callbacks come back with it */
    struct allfold_fabric *fabric;
    uint64_t key, run;
    const int *rank_of;
    size_t element_bytes;
    struct allfold_pair *pairs; /* by the index of the peer */
    uint32_t pair_capacity;
    unsigned empty_tests;
    struct allfold_item *done, **last_done;
    struct allfold_fabric_stream *next;
    struct allfold_item items[]; /* by the transport's slot */
};

struct allfold_fabric_peer {
    int rank;
    uint32_t index; /* among the peers */
    uint64_t address;
    bool is_met;  /* its introduction has arrived: `credits` and what follows are known */
    bool is_lost; /* nothing goes to it or comes from it any more */
    uint32_t credits, next_slot, first_there;
    uint64_t there, key_there;
    bool is_writing[ALLFOLD_FABRIC_SLOTS]; /* from the copy of that slot here */
    unsigned taken, stuck; /* bit i: the message in slot i here is taken, or waits for memory */
    uint32_t next_taken;   /* slots become free in their order */
    uint32_t untold;       /* slots that are free, which the peer does not know */
    struct allfold_item *queue, **queue_end;
    struct allfold_held *early, **early_end;
    struct allfold_write hello, credit, report;
    bool is_greeting, is_crediting, is_reporting;
    int report_slot;
    uint32_t due_count; /* pairs with it that are due */
    /* Writes to it that have ended, and of these it was told; writes of its own that have arrived
     * here, and of which it said that they ended. Each write brings one notice. */
    uint64_t ended, ended_told, arrived, ended_there;
    double missing_since_s; /* of the monotonic clock; 0: nothing is missing */
    struct allfold_registration registration;
    struct allfold_peer_memory *memory;
};

/* How a peer introduces itself. */
struct allfold_board_entry {
    uint64_t address, key; /* of its slots for the reader */
    uint64_t first;        /* the number of the first one */
    uint64_t unused;       /* where credits write, which only their immediate data matter of */
};

struct allfold_peer_memory {
    char slots[ALLFOLD_FABRIC_SLOTS][ALLFOLD_FABRIC_SLOT_BYTES];  /* the peer writes them */
    char copies[ALLFOLD_FABRIC_SLOTS][ALLFOLD_FABRIC_SLOT_BYTES]; /* written from to the peer's */
    struct allfold_board_entry introduction;
};

/* Of a rank, whether it is a peer or not. */
enum {
    ALLFOLD_RANK_UNANSWERED = 1, /* it introduced itself while there was no memory */
    ALLFOLD_RANK_LOST = 2
};

struct allfold_receive_row {
    struct allfold_item *item; /* NULL: free */
    uint32_t generation, next_free;
};

/* What fabric_peers.c calls when something arrives or ends; fabric_stream.c implements it. */
struct allfold_fabric_receiver {
    /* A slot of the peer has arrived. False without memory for what is received later. */
    bool (*take_slot)(struct allfold_fabric *fabric, struct allfold_fabric_peer *peer,
                      const struct allfold_slot_header *header, const char *data);

    /* The data of a long receive are in place. */
    void (*take_place)(struct allfold_fabric *fabric, uint32_t receive);

    /* The item's write has ended. */
    void (*item_written)(struct allfold_fabric *fabric, struct allfold_item *item, bool failed);

    /* All items of a lost peer end. */
    void (*lose_peer)(struct allfold_fabric *fabric, const struct allfold_fabric_peer *peer);
};

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
    bool has_places; /* queues have places that nobody wrote yet */
    struct allfold_receive_row *receives;
    uint32_t receive_capacity, receive_free;
    struct allfold_write *later, **later_end; /* which the provider had no room for */
    uint32_t writing;                         /* writes that have not ended */
    struct allfold_fabric_stream *streams, *testing;
    struct allfold_item_write *given_up; /* to peers that are lost */
    bool is_broken;                      /* the provider lost completions; it is not polled */
    double compared_s, told_s;           /* when tallies were looked at, and told */
    struct allfold_fabric_figures figures;
};

/* --- fabric_loss.c, under the mutex --- */

/* Marks a rank as lost: no message goes to it or comes from it any more. If `tells`, calls `lost`
 * of the options. */
void allfold_peer_lose(struct allfold_fabric *fabric, int rank, bool tells);

/* Loses all other ranks and calls `lost` for each, for instance after a run of which some messages
 * were not started. The ranks count the runs of a pair, so later messages would match wrong ones.
 */
void allfold_peers_lose_all(struct allfold_fabric *fabric);

/* Counts a write of the peer that has arrived. */
void allfold_peer_arrive(struct allfold_fabric_peer *peer);

/* Does what allfold_fabric_find_missing does. */
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
