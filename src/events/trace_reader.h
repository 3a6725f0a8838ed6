/* Reads a trace, also one whose program was killed, which ends anywhere. */
#ifndef ALLFOLD_EVENTS_TRACE_READER_H
#define ALLFOLD_EVENTS_TRACE_READER_H

#include <stddef.h>

#include "allfold_core.h"
#include "events/traced.h"

struct allfold_trace_file {
    struct allfold_traced_head head;
    struct allfold_traced_placement *placements; /* number 1 is the first */
    uint32_t placement_count;
    struct allfold_traced_shape *shapes;
    struct allfold_traced_sum *sums; /* of each shape */
    uint32_t count;                  /* of shapes */
    uint64_t calls, dropped;         /* dropped: calls of shapes that are too many */
    double run_s;                    /* from the begin to the end; 0 if it is incomplete */
    bool is_incomplete;              /* the end is missing */
};

/* Reads the file. ALLFOLD_NO_MEMORY, or ALLFOLD_BAD_INPUT if it is no trace, of another version or
 * damaged: the message begins with the path and says where. Freed with allfold_trace_free in any
 * case. */
enum allfold_error allfold_trace_read(const char *path, struct allfold_trace_file *trace,
                                      char *message, size_t message_bytes);

void allfold_trace_free(struct allfold_trace_file *trace);

/* The nodes of a placement, with their sockets and their order; NULL without memory. Freed with
 * allfold_nodes_free. */
const struct allfold_nodes *
allfold_placement_nodes(const struct allfold_traced_placement *placement);

#endif
