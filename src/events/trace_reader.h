/* Reads a trace, also one whose program was killed, which ends anywhere. */
#ifndef ALLFOLD_EVENTS_TRACE_READER_H
#define ALLFOLD_EVENTS_TRACE_READER_H

#include <stddef.h>

#include "allfold_core.h"
#include "events/placement.h"
#include "events/traced.h"

struct allfold_trace_file {
    bool has_placements; /* false: of version 1, which says nothing of sockets and orders */
    struct allfold_traced_head head;
    struct allfold_traced_placement *placements; /* number 1 is the first */
    uint32_t placement_count;
    struct allfold_traced_shape *shapes;
    struct allfold_traced_sum *sums; /* of each shape */
    uint32_t count;                  /* of shapes */
    uint64_t calls, dropped;         /* dropped 0: none, or not known how many */
    double run_s;                    /* from the begin to the end; 0 where it is incomplete */
    bool is_incomplete;              /* the end is missing */
    bool is_full;                    /* it reached its bound, so calls were dropped */
};

/* Calls in the order in which they are in the file: shape, and seconds since the trace began. */
typedef void allfold_trace_take(void *context, uint32_t shape, double begin_s);

/* Reads the file; each call goes to `take`, which may be NULL. ALLFOLD_NO_MEMORY, or
 * ALLFOLD_BAD_INPUT where it is no trace, of another version or damaged: the message begins with
 * the path and says where. Freed with allfold_trace_free in any case. */
enum allfold_error allfold_trace_read(const char *path, struct allfold_trace_file *trace,
                                      allfold_trace_take *take, void *context, char *message,
                                      size_t message_bytes);

void allfold_trace_free(struct allfold_trace_file *trace);

#endif
