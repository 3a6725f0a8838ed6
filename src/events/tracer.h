/* Writes a trace while the program runs (docs/trace.md): text, one line per call.
 *
 * Invariant: the lines of calls take at most the given number of bytes. Later calls are only
 * summed, by shape. One thread at a time. */
#ifndef ALLFOLD_EVENTS_TRACER_H
#define ALLFOLD_EVENTS_TRACER_H

#include <stdio.h>

#include "events/traced.h"

struct allfold_tracer;

/* Starts a trace with at most most_bytes bytes of lines for calls, at time begin_s of the rank's
 * clock. The tracer closes `file`. NULL if out of memory; then the caller closes it. */
struct allfold_tracer *allfold_tracer_open(FILE *file, size_t most_bytes,
                                           const struct allfold_traced_head *head, double begin_s);

/* Returns the number of the nodes' placement, for a shape. 0 if the layout is sufficient, if there
 * are already ALLFOLD_TRACED_PLACEMENTS placements, or if placements would take more than a quarter
 * of the maximum bytes. `nodes` may be NULL. */
uint32_t allfold_tracer_placement(struct allfold_tracer *tracer, const struct allfold_nodes *nodes);

/* Returns the number of a shape; ALLFOLD_NO_SHAPE if there are too many. A shape is written to the
 * file at its first call. */
uint32_t allfold_tracer_shape(struct allfold_tracer *tracer,
                              const struct allfold_traced_shape *shape);

/* Adds a call. A call with ALLFOLD_NO_SHAPE is only counted. */
void allfold_tracer_add(struct allfold_tracer *tracer, const struct allfold_traced_call *call);

/* Writes buffered lines to the file. */
void allfold_tracer_flush(struct allfold_tracer *tracer);

/* Writes the end, with the run's duration, and frees the tracer. False if the file could not be
 * written completely. */
bool allfold_tracer_close(struct allfold_tracer *tracer, double run_s);

#endif
