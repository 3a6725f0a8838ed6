/* Outlines: a compressed form of schedules, which lets the simulator hold up to 2^20 ranks.
 *
 * An outline has only those parts of a schedule that determine its time: the kinds and lengths of
 * the steps and their dependencies. In most algorithms many ranks have the same outline and differ
 * only in their peers. Equal outlines are therefore stored once, and each rank stores its peers. */
#ifndef ALLFOLD_LAB_SIMULATE_OUTLINES_H
#define ALLFOLD_LAB_SIMULATE_OUTLINES_H

#include <stdint.h>

#include "lab/simulate/budget.h"
#include "schedule/schedule.h"

/* A schedule without its peers; immutable. */
struct allfold_outline {
    size_t bytes; /* of its memory block, the struct included */
    uint32_t step_count, message_count, edge_count;
    bool is_indexed;      /* messages are found through an index, because there are many peers */
    uint64_t *length;     /* step -> number of elements */
    uint32_t *waits_for;  /* step -> number of steps that it waits for */
    uint32_t *first_edge; /* step -> its first edge; [step_count] is edge_count */
    uint32_t *edges;      /* the steps that wait for a step */
    uint32_t *message;    /* step -> message; unused for local steps */
    uint32_t *step_of;    /* message -> step */
    uint32_t *number;     /* message -> its number among those with the same peer and direction */
    uint8_t *is_again;    /* message -> a send whose data was already sent to another peer */
    uint8_t *kind;        /* step -> enum allfold_step_kind */
};

/* A hash table of all outlines. */
struct allfold_outlines {
    struct allfold_budget *budget;
    uint32_t count, capacity; /* capacity: a power of two */
    struct allfold_outline **table;
    void *draft; /* scratch memory for the outline that is looked up */
    size_t draft_bytes;
};

/* Stores in *outline the outline of a schedule: an equal one that exists, or a new one. It is valid
 * until allfold_outlines_free. Returns ALLFOLD_OK or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_outlines_add(struct allfold_outlines *outlines,
                                        const struct allfold_schedule *schedule,
                                        const struct allfold_outline **outline);

/* Frees all outlines. */
void allfold_outlines_free(struct allfold_outlines *outlines);

/* Fills `index`, an array of message_count entries, for allfold_outlines_find. `peers` has the peer
 * of each message of one rank. */
void allfold_outlines_index(const struct allfold_outline *outline, const int32_t *peers,
                            uint32_t *index);

/* Returns the first message from message `from` on that has this kind (send or receive), peer and
 * number; message_count if there is none. `index` is used only if outline->is_indexed. */
uint32_t allfold_outlines_find(const struct allfold_outline *outline, const int32_t *peers,
                               const uint32_t *index, uint32_t from, enum allfold_step_kind kind,
                               int32_t peer, uint32_t number);

#endif
