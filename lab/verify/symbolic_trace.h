/* Traces: what the schedules of all ranks do with symbolic values, step by step, also where they
 * are wrong: then as far as they get. Pictures and blames are made of it. */
#ifndef ALLFOLD_LAB_VERIFY_SYMBOLIC_TRACE_H
#define ALLFOLD_LAB_VERIFY_SYMBOLIC_TRACE_H

#include "cost/walk.h"
#include "lab/verify/case.h"
#include "lab/verify/values.h"

enum allfold_trace_kind {
    ALLFOLD_TRACE_LOCAL,   /* a reduction or copy has ended */
    ALLFOLD_TRACE_MESSAGE, /* a message has arrived from `rank` to `peer` */
    ALLFOLD_TRACE_LOST,    /* `rank` has sent a message to `peer` that nobody receives */
    ALLFOLD_TRACE_WAITS,   /* `step` of `rank` waits forever for its peer */
};

struct allfold_trace_event {
    enum allfold_trace_kind kind;
    int rank, peer;
    const struct allfold_step *step;      /* of `rank` */
    const struct allfold_step *peer_step; /* of a message: of `peer`; NULL where there is none */
    size_t round;                         /* in which it ends, or would have */
    bool has_met;                         /* it waits only for an older message of its rank */
    const uint32_t *values; /* what was sent or yielded, `length` of them; NULL while it waits to be
                               received */
    size_t length;

    /* The first operand that has no value, or another element's, and where; NULL: none. */
    const char *fault;
    int fault_operand;
    size_t fault_at; /* element of the step */
};

struct allfold_trace {
    const struct allfold_case *of;
    const struct allfold_schedule *const *schedules;
    struct allfold_walk_rules rules;
    bool (*on_event)(void *context, const struct allfold_trace_event *event); /* false: no memory */
    void *context;

    /* Filled by the run. */
    struct allfold_values *values;
    struct allfold_cost cost;
    uint32_t **base; /* of all buffers of all ranks, one after the other */
    size_t *first;   /* rank -> its first one in `base` */
    uint32_t *memory;
    bool out_of_memory;
};

/* Runs it. Elements outside of a buffer are not touched. ALLFOLD_OK, ALLFOLD_NO_PROGRESS where
 * something waits forever, or ALLFOLD_NO_MEMORY. Freed with allfold_trace_end in any case. */
enum allfold_error allfold_trace_run(struct allfold_trace *trace);
void allfold_trace_end(struct allfold_trace *trace);

/* The values of a rank's buffer, as they are now. */
static inline uint32_t *allfold_trace_buffer(const struct allfold_trace *trace, int rank,
                                             int buffer)
{
    return trace->base[trace->first[rank] + (size_t)buffer];
}

#endif
