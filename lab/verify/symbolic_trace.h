/* Symbolic traces: the execution of the schedules of all ranks on symbolic values, reported event
 * by event. Wrong schedules are executed as far as possible. Pictures and blames are made from
 * traces. */
#ifndef ALLFOLD_LAB_VERIFY_SYMBOLIC_TRACE_H
#define ALLFOLD_LAB_VERIFY_SYMBOLIC_TRACE_H

#include "cost/walk.h"
#include "lab/verify/case.h"
#include "lab/verify/values.h"

/* What happened in an event. */
enum allfold_trace_kind {
    ALLFOLD_TRACE_LOCAL,   /* a reduction or copy ended */
    ALLFOLD_TRACE_MESSAGE, /* a message from `rank` arrived at `peer` */
    ALLFOLD_TRACE_LOST,    /* `rank` sent a message to `peer` that is never received */
    ALLFOLD_TRACE_WAITS,   /* `step` of `rank` waits forever for its peer */
};

struct allfold_trace_event {
    enum allfold_trace_kind kind;
    int rank, peer;
    const struct allfold_step *step;      /* the step of `rank` */
    const struct allfold_step *peer_step; /* of a message: the step of `peer`, or NULL */
    size_t round;                         /* the round in which it ends, or would end */
    bool has_met;           /* both sides have reached it; it waits only for an older message of its
                              rank */
    const uint32_t *values; /* the `length` values that were sent or computed; NULL while the
                               message is not received */
    size_t length;

    /* The first operand with a wrong value: no value, or the value of another element. */
    const char *fault; /* the error, or NULL */
    int fault_operand;
    size_t fault_at; /* index of the element within the step */
};

/* A trace. The caller sets the members before `values`. */
struct allfold_trace {
    const struct allfold_case *of;
    const struct allfold_schedule *const *schedules;
    struct allfold_walk_rules rules;
    bool (*on_event)(void *context,
                     const struct allfold_trace_event *event); /* false: out of memory */
    void *context;

    /* Set by allfold_trace_run. */
    struct allfold_values *values;
    struct allfold_cost cost;
    uint32_t **base; /* the buffers of all ranks */
    size_t *first;   /* rank -> index of its first buffer in `base` */
    uint32_t *memory;
    bool out_of_memory;
};

/* Runs the schedules. Does not access elements outside of a buffer. Returns ALLFOLD_OK,
 * ALLFOLD_NO_PROGRESS if a step waits forever, or ALLFOLD_NO_MEMORY. The caller frees the trace
 * with allfold_trace_end in any case. */
enum allfold_error allfold_trace_run(struct allfold_trace *trace);
void allfold_trace_end(struct allfold_trace *trace);

/* Returns the current values of a rank's buffer. */
static inline uint32_t *allfold_trace_buffer(const struct allfold_trace *trace, int rank,
                                             int buffer)
{
    return trace->base[trace->first[rank] + (size_t)buffer];
}

#endif
