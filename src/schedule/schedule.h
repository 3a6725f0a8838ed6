/* Schedules: what one rank does in a collective, as a list of steps over named buffers.
 *
 * A builder (allfold_core.h) makes a schedule. Freezing makes it immutable. A schedule has no
 * pointers to user memory: an executor binds it to buffers at each start, so one schedule is used
 * for all calls of the same shape. All offsets and lengths are in elements.
 *
 * Invariant: running the steps one after the other, in their order, is correct. The edges say which
 * pairs of steps have to keep that order. An edge always leads to a later step. */
#ifndef ALLFOLD_SCHEDULE_SCHEDULE_H
#define ALLFOLD_SCHEDULE_SCHEDULE_H

#include "allfold_core.h"
#include "util/memory_pool.h"

/* Returns whether operand i of step a and operand j of step b are the same elements. */
static inline bool allfold_is_same_operand(const struct allfold_step *a, int i,
                                           const struct allfold_step *b, int j)
{
    return a->buffer[i] == b->buffer[j] && a->offset[i] == b->offset[j] && a->length == b->length;
}

/* Returns whether operand i of step a and operand j of step b have common elements. */
static inline bool allfold_operands_overlap(const struct allfold_step *a, int i,
                                            const struct allfold_step *b, int j)
{
    return a->buffer[i] == b->buffer[j] && a->offset[i] < b->offset[j] + b->length &&
           b->offset[j] < a->offset[i] + a->length;
}

/* Marks that there is no step, in arrays of steps. */
#define ALLFOLD_NO_STEP UINT32_MAX

/* A frozen schedule. The edges are in compressed sparse row format (CSR). */
struct allfold_schedule {
    uint32_t step_count;
    uint32_t message_count;
    uint32_t edge_count;
    uint32_t root_count;   /* steps that wait for no other step */
    uint32_t buffer_count; /* IN and OUT included */
    size_t bytes;          /* of memory, for the whole schedule */
    size_t *buffer_length;
    struct allfold_step *steps;
    uint32_t *waits_for;    /* step -> number of steps that it waits for */
    uint32_t *first_edge;   /* CSR offsets: step -> its first edge; [step_count] is edge_count */
    uint32_t *edges;        /* CSR: for each step, the steps that wait for it */
    uint32_t *message_step; /* message -> its step */
    uint32_t *fused;        /* receive or reduction -> the reduction to fuse it with; see fuse.h */
    uint32_t *publication;  /* send -> the first send of the same data; see fuse.h */
    uint32_t *roots;
};

/* Freezes as allfold_builder_freeze does, into memory of `pool`. The caller gives the schedule back
 * to the pool, schedule->bytes bytes. */
enum allfold_error allfold_builder_freeze_in(struct allfold_builder *s, struct allfold_pool *pool,
                                             struct allfold_schedule **schedule);

/* Records that an algorithm is out of memory. The verbs then do nothing, and freezing reports the
 * error. */
void allfold_builder_lacks_memory(struct allfold_builder *s);

/* Frees the memory that freed builders left for the next builder. */
void allfold_builder_drop_spare(void);

#endif
