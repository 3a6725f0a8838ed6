/* Sketches: the messages of many ranks' programs, without the schedules.
 *
 * A builder that is given a sketch (allfold_builder_sketch) notes each message's peer, length and
 * the message whose data it sends. It makes no step: no hazards, no frozen schedule. Costing an
 * algorithm needs no more, at a tenth of the time of building it.
 *
 * What a send waits for is found among the last spans that were written. Behind these it is taken
 * to wait for the last message of which nothing is known any more. */
#ifndef ALLFOLD_SCHEDULE_SKETCH_H
#define ALLFOLD_SCHEDULE_SKETCH_H

#include "schedule/schedule.h"

/* A message as one of its sides sees it. */
struct allfold_sketched {
    int32_t peer;
    uint32_t after; /* send: the message of this rank whose data it sends; ALLFOLD_NO_STEP: none */
    size_t length;
    size_t reduced; /* elements that are reduced once it is there */
    uint8_t kind;   /* ALLFOLD_STEP_SEND or ALLFOLD_STEP_RECEIVE */
};

enum { ALLFOLD_SKETCHED_WRITES = 64 };

struct allfold_sketch {
    struct allfold_sketched *messages; /* of all ranks so far, each rank's in program order */
    uint32_t count, capacity;
    uint32_t most;     /* the program's first messages that are noted; 0: all of them */
    uint32_t own;      /* messages of the present rank that were noted */
    uint32_t left_out; /* and those that were not */

    /* What the present rank wrote last, and the message that it came by. */
    uint32_t writes;
    struct allfold_sketched_write {
        struct allfold_span span;
        uint32_t after;
    } write[ALLFOLD_SKETCHED_WRITES];
    uint32_t forgotten; /* the latest message of a write that is not kept any more */
};

/* Begins the program of another rank, in the same builder and its sketch. The builder makes no
 * schedule any more, and may be freed after all ranks. */
void allfold_builder_sketch(struct allfold_builder *s, struct allfold_sketch *sketch,
                            const struct allfold_shape *shape);

/* The verbs, with spans of real buffers. False without memory. Once messages are left out, nothing
 * more is noted: the builder counts the others. */
bool allfold_sketch_message(struct allfold_sketch *sketch, enum allfold_step_kind kind, int peer,
                            struct allfold_span span);
void allfold_sketch_reduce(struct allfold_sketch *sketch, struct allfold_span to,
                           struct allfold_span left, struct allfold_span right);
void allfold_sketch_copy(struct allfold_sketch *sketch, struct allfold_span to,
                         struct allfold_span from);

void allfold_sketch_free(struct allfold_sketch *sketch);

#endif
