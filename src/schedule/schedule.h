/* Schedules: what one rank does in a collective, as a list of steps over named buffers.
 *
 * A schedule is made by a builder (allfold_core.h), frozen once and immutable from then on. It
 * holds no pointers into user memory. It is bound to buffers when an executor starts it, so one
 * schedule serves all calls of its shape. All offsets and lengths are in elements.
 *
 * Invariant: the steps are in an order in which running them one after the other is right. The
 * edges say which of them have to keep that order. An edge always leads to a later step. */
#ifndef ALLFOLD_SCHEDULE_SCHEDULE_H
#define ALLFOLD_SCHEDULE_SCHEDULE_H

#include "allfold_core.h"
#include "util/memory_pool.h"

/* Are operand i of one step and operand j of another the same elements? */
static inline bool allfold_is_same_operand(const struct allfold_step *a, int i,
                                           const struct allfold_step *b, int j)
{
    return a->buffer[i] == b->buffer[j] && a->offset[i] == b->offset[j] && a->length == b->length;
}

/* Have they elements in common? */
static inline bool allfold_operands_overlap(const struct allfold_step *a, int i,
                                            const struct allfold_step *b, int j)
{
    return a->buffer[i] == b->buffer[j] && a->offset[i] < b->offset[j] + b->length &&
           b->offset[j] < a->offset[i] + a->length;
}

/* No step, where there might be one. */
#define ALLFOLD_NO_STEP UINT32_MAX

struct allfold_schedule {
    uint32_t step_count;
    uint32_t message_count;
    uint32_t edge_count;
    uint32_t root_count;   /* steps that wait for nothing */
    uint32_t buffer_count; /* with IN and OUT */
    size_t bytes;          /* memory that the schedule takes */
    size_t *buffer_length;
    struct allfold_step *steps;
    uint32_t *waits_for;    /* step -> number of steps it waits for */
    uint32_t *first_edge;   /* step -> its first edge; [step_count] is edge_count */
    uint32_t *edges;        /* the steps that wait for a step */
    uint32_t *message_step; /* message -> its step */
    uint32_t *fused;        /* step -> the reduction that alone uses its data; see fuse.h */
    uint32_t *publication;  /* send -> the first one with the same data; see fuse.h */
    uint32_t *roots;
};

/* As allfold_builder_freeze, into a piece of a pool, to which schedule->bytes are given back. */
enum allfold_error allfold_builder_freeze_in(struct allfold_builder *s, struct allfold_pool *pool,
                                             struct allfold_schedule **schedule);

/* Notes that an algorithm has no memory for what it works out; the verbs then do nothing. */
void allfold_builder_lacks_memory(struct allfold_builder *s);

/* Builders that are freed leave their memory to the next one; this frees what is left. */
void allfold_builder_drop_spare(void);

#endif
