/* Outlines: the schedules of very many ranks in little memory.
 *
 * Of a schedule they keep what its time depends on: kinds and lengths of the steps, what waits for
 * what, and peers. In most algorithms all of that but the peers is alike on many ranks. So equal
 * ones are stored once, and a rank has its peers alone. */
#ifndef ALLFOLD_LAB_SIMULATE_OUTLINES_H
#define ALLFOLD_LAB_SIMULATE_OUTLINES_H

#include <stdint.h>

#include "lab/simulate/budget.h"
#include "schedule/schedule.h"

/* What a schedule is without its peers; immutable. */
struct allfold_outline {
    size_t bytes; /* of memory */
    uint32_t step_count, message_count, edge_count;
    bool is_indexed;      /* has so many peers that a message is better found through an index */
    uint64_t *length;     /* step -> elements */
    uint32_t *waits_for;  /* step -> steps */
    uint32_t *first_edge; /* step -> its first edge; [step_count] is edge_count */
    uint32_t *edges;      /* the steps that wait for a step */
    uint32_t *message;    /* step -> message; not looked at for local steps */
    uint32_t *step_of;    /* message -> step */
    uint32_t *number;     /* message -> its number with that peer in that direction */
    uint8_t *is_again;    /* message -> it is sent, and so were its data before, to another peer */
    uint8_t *kind;        /* step -> enum allfold_step_kind */
};

struct allfold_outlines {
    struct allfold_budget *budget;
    uint32_t count, capacity; /* a power of two */
    struct allfold_outline **table;
    void *draft; /* memory of the last one that was looked for */
    size_t draft_bytes;
};

/* The outline of a schedule, in *outline: one that is there already, or a new one. It lives as long
 * as the outlines. */
enum allfold_error allfold_outlines_add(struct allfold_outlines *outlines,
                                        const struct allfold_schedule *schedule,
                                        const struct allfold_outline **outline);

void allfold_outlines_free(struct allfold_outlines *outlines);

/* For a rank with such an outline and peers by message: fills `index`, of message_count, for
 * allfold_outlines_find. */
void allfold_outlines_index(const struct allfold_outline *outline, const int32_t *peers,
                            uint32_t *index);

/* The message of that direction, peer and number, not before message `from`; message_count where
 * there is none. `index` is for outlines that are indexed. */
uint32_t allfold_outlines_find(const struct allfold_outline *outline, const int32_t *peers,
                               const uint32_t *index, uint32_t from, enum allfold_step_kind kind,
                               int32_t peer, uint32_t number);

#endif
