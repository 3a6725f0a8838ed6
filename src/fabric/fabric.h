/* The fabric: messages between processes as one-sided writes.
 *
 * A process has one fabric: an endpoint of a provider, and the peers that it exchanged messages
 * with. A peer's part, with slots for its short messages, is made at its first message. So memory
 * grows with the peers used, not with the job.
 *
 * A short message is one write into a slot of the receiver's, header and data together. A long one
 * is a write of the receiver, which says where the message may land, and then one write of the data
 * to that place. The immediate data say which slot, or which message, has arrived. Writes may
 * overtake each other.
 *
 * Streams are transports over a fabric. Messages of one stream match those of the stream with the
 * same key on the other ranks. Threads may use streams of one fabric at the same time. */
#ifndef ALLFOLD_FABRIC_FABRIC_H
#define ALLFOLD_FABRIC_FABRIC_H

#include "fabric/provider.h"
#include "transport/transport.h"

/* A slot holds messages of 16 KiB with their header. Twice a copy of that costs less than a message
 * more, and longer ones need one that says their place. */
enum { ALLFOLD_FABRIC_SLOTS = 8, ALLFOLD_FABRIC_SLOT_BYTES = (16 << 10) + 128 };

/* What a rank tells the others before any message. */
struct allfold_fabric_address {
    char provider[ALLFOLD_FABRIC_NAME_BYTES];
    unsigned char address[ALLFOLD_FABRIC_ADDRESS_BYTES];
    uint64_t board, key; /* where peers introduce themselves */
};

struct allfold_fabric_options {
    struct allfold_provider *provider; /* the fabric's from now on, also where it is not made */
    int size, rank;                    /* of the job */
    uint32_t window;                   /* of all streams */
    int error;                         /* what a message fails with */
    /* Called now and then while waiting, so that others get on; may be NULL. */
    void (*idle)(void *context);
    /* A write to that rank failed, so messages to and from it fail from now on. The rank itself
     * must learn of it otherwise (allfold_fabric_lose). May be NULL. */
    void (*lost)(void *context, int rank);
    /* Tells a rank how many writes to it have ended here (allfold_fabric_take_tally). False where
     * it could not. May be NULL. */
    bool (*tally)(void *context, int rank, uint64_t writes);
    /* A write that has ended at a peer, and is missing here while this rank polls and nothing comes
     * from the peer for so long, is lost. */
    double silence_s;
    void *context;
};

/* What went over the fabric so far. */
struct allfold_fabric_figures {
    uint64_t slot_writes;   /* short messages, and places that this rank said */
    uint64_t places;        /* said in these */
    uint64_t place_writes;  /* long messages, each into its final place */
    uint64_t credit_writes; /* slots given back by a write of their own */
    uint64_t copied_bytes;  /* into slots, and out of them for later */
    uint64_t registrations; /* of places of long messages */
};

struct allfold_fabric;
struct allfold_fabric_stream;

/* A fabric, or NULL without memory. Local. */
struct allfold_fabric *allfold_fabric_create(const struct allfold_fabric_options *options);
struct allfold_fabric_address allfold_fabric_address(const struct allfold_fabric *fabric);

/* The addresses of all ranks, from allfold_allocate, which become the fabric's. Before any stream.
 */
void allfold_fabric_meet(struct allfold_fabric *fabric, struct allfold_fabric_address *addresses);

/* Makes progress. False once none of this rank's writes is on its way. */
bool allfold_fabric_progress(struct allfold_fabric *fabric);

/* A rank cannot be reached any more, or says that it cannot reach this one. Messages to and from it
 * fail, those in flight and all later ones. */
void allfold_fabric_lose(struct allfold_fabric *fabric, int rank);

/* So many writes of that rank to this one have ended there. Some providers end writes that the
 * target refuses, as those with a wrong key, and tell neither rank. Such a write is missing here.
 */
void allfold_fabric_take_tally(struct allfold_fabric *fabric, int rank, uint64_t writes);

/* Tells peers such numbers, and loses those whose writes are missing for too long. Whoever waits
 * does this now and then; streams do it while they are tested. */
void allfold_fabric_find_missing(struct allfold_fabric *fabric);

/* No stream is left, and no rank writes to this one any more. NULL is allowed. */
void allfold_fabric_free(struct allfold_fabric *fabric);

/* How many times as fast as another carrier the fabric is: of the lengths that were measured, the
 * least and the geometric mean; 0 where nothing could be measured. */
struct allfold_fabric_gain {
    double least, mean;
};

/* Whether the fabric is to be taken, from the times of messages of `count` lengths: it wins in the
 * mean, and loses at none. */
bool allfold_fabric_is_faster(const double *other_s, const double *fabric_s, int count,
                              struct allfold_fabric_gain *gain);

/* The provider's name. */
const char *allfold_fabric_name(const struct allfold_fabric *fabric);

struct allfold_fabric_figures allfold_fabric_figures(const struct allfold_fabric *fabric);

/* Bytes of memory that the fabric has now, and how many peers it has. What a peer's early messages
 * take until they are received is not counted. */
size_t allfold_fabric_bytes(const struct allfold_fabric *fabric, int *peers);

/* A transport whose messages match those of streams with that key alone; NULL without memory. */
struct allfold_fabric_stream *allfold_fabric_stream_create(struct allfold_fabric *fabric,
                                                           uint64_t key);
/* Gives a stream another key, before its first run. */
void allfold_fabric_stream_name(struct allfold_fabric_stream *stream, uint64_t key);
void allfold_fabric_stream_free(struct allfold_fabric_stream *stream);

/* The transport, to bind executors to. */
struct allfold_transport *allfold_fabric_transport(struct allfold_fabric_stream *stream);

/* Before each run: how many bytes an element has, contiguous and without gaps, and of each rank of
 * the run's group its rank in the job (not owned; NULL: the same). Nothing is in flight. */
void allfold_fabric_begin(struct allfold_fabric_stream *stream, size_t element_bytes,
                          const int *rank_of);

/* After the begin of a run that nobody tests or waits for at once: peers get to know the places of
 * long messages, which they else learn at the next test. */
void allfold_fabric_has_begun(struct allfold_fabric_stream *stream);

#endif
