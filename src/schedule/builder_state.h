/* What a builder holds; for the files of the builder alone. */
#ifndef ALLFOLD_SCHEDULE_BUILDER_STATE_H
#define ALLFOLD_SCHEDULE_BUILDER_STATE_H

#include "schedule/builder.h"
#include "schedule/hazards.h"

/* Rank -> how many messages were sent to it and received from it: a hash table, so that its size
 * follows the number of peers and not p. */
struct allfold_peer_entry {
    int rank;            /* plus one; 0 is a free entry */
    uint32_t numbers[2]; /* ALLFOLD_STEP_SEND, ALLFOLD_STEP_RECEIVE */
};

struct allfold_peers {
    struct allfold_peer_entry *entries;
    uint32_t capacity; /* a power of two */
    uint32_t count;
};

struct allfold_builder {
    enum allfold_error error;
    char message[160];
    int rank; /* this rank in the whole group */
    struct allfold_frame frame;
    size_t buffer_length[ALLFOLD_MAX_BUFFERS];
    uint32_t buffer_count;
    uint32_t step_count, step_capacity;
    uint32_t message_count;
    struct allfold_step *steps;
    uint32_t *edge_end; /* step -> end of what it waits for in hazards.edges */
    struct allfold_peers peers;
    struct allfold_hazards hazards;
};

/* The message counts of a rank, made 0 when it is new; NULL without memory. Valid until the next
 * call. */
uint32_t *allfold_peer_numbers(struct allfold_peers *peers, int rank);

#endif
