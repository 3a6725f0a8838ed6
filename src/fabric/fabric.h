/* The fabric: messages between processes as one-sided writes (RDMA), through libfabric.
 *
 * A process has one fabric: an endpoint of a provider, and the peers with which it has exchanged
 * messages. A peer's slots for short messages are allocated at its first message, so memory grows
 * with the number of peers used, not with the size of the job.
 *
 * A short message is one write into a slot of the receiver, header and data together. For a long
 * message, the receiver writes the address of its memory (its place) into a slot of the sender,
 * which then writes the data there. The immediate data say which slot or which message has arrived.
 * Writes may overtake each other.
 *
 * Streams are transports over a fabric. Messages of a stream match those of the stream with the
 * same key on the other ranks. Thread-safe, but one thread at a time for each stream. */
#ifndef ALLFOLD_FABRIC_FABRIC_H
#define ALLFOLD_FABRIC_FABRIC_H

#include "fabric/provider.h"
#include "transport/transport.h"

/* A slot holds a message of 16 KiB with its header. Up to this length, copying a message twice
 * takes less time than sending its place first. */
enum { ALLFOLD_FABRIC_SLOTS = 8, ALLFOLD_FABRIC_SLOT_BYTES = (16 << 10) + 128 };

/* The address of a rank, which all ranks must have before the first message. */
struct allfold_fabric_address {
    char provider[ALLFOLD_FABRIC_NAME_BYTES];
    unsigned char address[ALLFOLD_FABRIC_ADDRESS_BYTES];
    uint64_t board, key; /* where peers write their introductions */
};

/* What a fabric is created from. */
struct allfold_fabric_options {
    /* Belongs to the fabric from now on, even if it cannot be created. */
    struct allfold_provider *provider;
    int size, rank;  /* in the job */
    uint32_t window; /* messages in flight on each stream */
    int error;       /* the error of a message that fails */
    /* Called now and then while waiting, so that other activities make progress; may be NULL. */
    void (*idle)(void *context);
    /* Called when a write to a rank failed, so that messages to and from it fail from now on. The
     * caller must notify that rank by other means (allfold_fabric_lose). May be NULL. */
    void (*lost)(void *context, int rank);
    /* Sends a rank the number of writes to it that have ended here, for allfold_fabric_take_tally.
     * False if it could not. May be NULL. */
    bool (*tally)(void *context, int rank, uint64_t writes);
    /* How long this rank may poll without receiving anything from a peer before a write that has
     * ended at the peer, but has not arrived here, counts as lost. */
    double silence_s;
    void *context;
};

/* Statistics of a fabric. */
struct allfold_fabric_figures {
    uint64_t slot_writes;   /* short messages, and places sent by this rank */
    uint64_t places;        /* places in these writes */
    uint64_t place_writes;  /* long messages, each written to its final place */
    uint64_t credit_writes; /* writes that only return free slots */
    uint64_t copied_bytes;  /* into slots, and out of them for later use */
    uint64_t registrations; /* of places of long messages */
};

struct allfold_fabric;
struct allfold_fabric_stream;

/* Creates a fabric. NULL if out of memory. The caller frees it with allfold_fabric_free. Local. */
struct allfold_fabric *allfold_fabric_create(const struct allfold_fabric_options *options);

/* Returns the address of this rank, to be sent to all others. */
struct allfold_fabric_address allfold_fabric_address(const struct allfold_fabric *fabric);

/* Sets the addresses of all ranks. The array, from allfold_allocate, belongs to the fabric from now
 * on. Must be called before the first stream is created. */
void allfold_fabric_meet(struct allfold_fabric *fabric, struct allfold_fabric_address *addresses);

/* Makes progress. Returns whether writes of this rank have not ended yet. */
bool allfold_fabric_progress(struct allfold_fabric *fabric);

/* Marks a rank as lost: it cannot be reached any more, or has reported that it cannot reach this
 * rank. All its messages fail, those in flight and later ones. */
void allfold_fabric_lose(struct allfold_fabric *fabric, int rank);

/* Records that `writes` writes of that rank to this one have ended there. Some providers end a
 * write that the target refuses, for example for a wrong key, without an error on either rank; such
 * a write never arrives here. */
void allfold_fabric_take_tally(struct allfold_fabric *fabric, int rank, uint64_t writes);

/* Sends the number of ended writes to peers, and marks peers as lost whose writes have been missing
 * for too long. Must be called now and then by code that waits; streams call it when they are
 * tested. */
void allfold_fabric_find_missing(struct allfold_fabric *fabric);

/* Frees the fabric. No stream must be left, and no rank may write to this one any more. NULL is
 * allowed. */
void allfold_fabric_free(struct allfold_fabric *fabric);

/* The speedup of the fabric over another transport: the minimum and the geometric mean over the
 * measured lengths; 0 if nothing could be measured. */
struct allfold_fabric_gain {
    double least, mean;
};

/* Returns whether the fabric is faster in the mean, and slower at none of `count` lengths, from the
 * times of messages of these lengths. */
bool allfold_fabric_is_faster(const double *other_s, const double *fabric_s, int count,
                              struct allfold_fabric_gain *gain);

/* Returns the provider's name. */
const char *allfold_fabric_name(const struct allfold_fabric *fabric);

/* Returns the statistics so far. */
struct allfold_fabric_figures allfold_fabric_figures(const struct allfold_fabric *fabric);

/* Returns the memory of the fabric in bytes, and sets *peers to its number of peers. Memory for
 * early messages is not included. */
size_t allfold_fabric_bytes(const struct allfold_fabric *fabric, int *peers);

/* Creates a stream: a transport whose messages match only those of streams with the same key. NULL
 * if out of memory. The caller frees it with allfold_fabric_stream_free. */
struct allfold_fabric_stream *allfold_fabric_stream_create(struct allfold_fabric *fabric,
                                                           uint64_t key);
/* Changes the key of a stream. Must be called before its first run. */
void allfold_fabric_stream_name(struct allfold_fabric_stream *stream, uint64_t key);
void allfold_fabric_stream_free(struct allfold_fabric_stream *stream);

/* Returns the transport for executors. Valid until the stream is freed. */
struct allfold_transport *allfold_fabric_transport(struct allfold_fabric_stream *stream);

/* Sets the length of an element, contiguous and without gaps, and for each rank of the run's group
 * its rank in the job (not owned; NULL: the same rank). Must be called before each run, with no
 * message in flight. */
void allfold_fabric_begin(struct allfold_fabric_stream *stream, size_t element_bytes,
                          const int *rank_of);

/* Sends the places of long messages now instead of at the next test. Called after the start of a
 * run that is not tested or waited for at once. */
void allfold_fabric_has_begun(struct allfold_fabric_stream *stream);

#endif
