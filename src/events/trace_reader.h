/* Reads traces, including incomplete ones of programs that were killed. */
#ifndef ALLFOLD_EVENTS_TRACE_READER_H
#define ALLFOLD_EVENTS_TRACE_READER_H

#include <stddef.h>

#include "allfold_core.h"
#include "events/traced.h"

/* The content of a trace. */
struct allfold_trace_file {
    struct allfold_traced_head head;
    struct allfold_traced_placement *placements; /* placement number n is at [n - 1] */
    uint32_t placement_count;
    struct allfold_traced_shape *shapes;
    struct allfold_traced_sum *sums; /* by shape */
    uint32_t count;                  /* number of shapes */
    uint64_t calls, dropped;         /* dropped: calls of shapes beyond the maximum number */
    double run_s;                    /* from start to end; 0 if the trace is incomplete */
    bool is_incomplete;              /* the end of the file is missing */
};

/* Reads the file. Returns ALLFOLD_NO_MEMORY, or ALLFOLD_BAD_INPUT if it is not a trace, has another
 * version or is damaged; then the message starts with the path and says where. The caller frees
 * *trace with allfold_trace_free in any case. */
enum allfold_error allfold_trace_read(const char *path, struct allfold_trace_file *trace,
                                      char *message, size_t message_bytes);

void allfold_trace_free(struct allfold_trace_file *trace);

/* Returns the nodes of a placement, with their sockets and their order. NULL if out of memory. The
 * caller frees them with allfold_nodes_free. */
const struct allfold_nodes *
allfold_placement_nodes(const struct allfold_traced_placement *placement);

#endif
