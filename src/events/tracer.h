/* A tracer writes a trace while the program runs (docs/trace.md): text, a line for each call.
 *
 * Invariant: lines of calls take no more than the bound. The calls that follow are only summed, by
 * shape. One thread at a time. */
#ifndef ALLFOLD_EVENTS_TRACER_H
#define ALLFOLD_EVENTS_TRACER_H

#include <stdio.h>

#include "events/traced.h"

struct allfold_tracer;

/* Begins a trace with `most_bytes` of calls at most, at the time `begin_s` of the rank's clock. The
 * file becomes the tracer's. NULL without memory, with the file left to the caller. */
struct allfold_tracer *allfold_tracer_open(FILE *file, size_t most_bytes,
                                           const struct allfold_traced_head *head, double begin_s);

/* The number of the nodes' placement, for a shape; 0 if the layout says all. Also 0 if there are
 * ALLFOLD_TRACED_PLACEMENTS others, or if all of them would take more than a quarter of the bound.
 * `nodes` may be NULL. */
uint32_t allfold_tracer_placement(struct allfold_tracer *tracer, const struct allfold_nodes *nodes);

/* The number of a shape; ALLFOLD_NO_SHAPE if there are too many. The file has the shapes that were
 * called. */
uint32_t allfold_tracer_shape(struct allfold_tracer *tracer,
                              const struct allfold_traced_shape *shape);

/* Adds a call; one of no shape is counted. */
void allfold_tracer_add(struct allfold_tracer *tracer, const struct allfold_traced_call *call);

/* Writes what has gathered to the file. */
void allfold_tracer_flush(struct allfold_tracer *tracer);

/* Writes the end, with the run's seconds, and frees the tracer. False if not all could be
 * written. */
bool allfold_tracer_close(struct allfold_tracer *tracer, double run_s);

#endif
