/* A tracer writes a trace while the program runs.
 *
 * Calls gather in memory and become a record when there are 256 of them and 32 times as many as
 * shapes, or when the caller says so. Invariant: the file never exceeds its bound. What would
 * exceed it is dropped and counted. One thread at a time. */
#ifndef ALLFOLD_EVENTS_TRACER_H
#define ALLFOLD_EVENTS_TRACER_H

#include <stdio.h>

#include "events/traced.h"

struct allfold_tracer;

/* Begins a trace of `most_bytes` at most, 4 KiB or more, at the time `begin_s` of the rank's clock.
 * The file becomes the tracer's. NULL without memory, with the file left to the caller. */
struct allfold_tracer *allfold_tracer_open(FILE *file, size_t most_bytes,
                                           const struct allfold_traced_head *head, double begin_s);

/* The number of the nodes' placement, for a shape; 0 where the layout says all. Also 0 where there
 * are ALLFOLD_TRACED_PLACEMENTS others, or where all of them would take more than a quarter of the
 * file. `nodes` may be NULL. */
uint32_t allfold_tracer_placement(struct allfold_tracer *tracer, const struct allfold_nodes *nodes);

/* The number of a shape; ALLFOLD_NO_SHAPE where there are too many. */
uint32_t allfold_tracer_shape(struct allfold_tracer *tracer,
                              const struct allfold_traced_shape *shape);

/* Adds a call. Calls that are added one after the other share a segment, unless `is_first`. */
void allfold_tracer_add(struct allfold_tracer *tracer, const struct allfold_traced_call *call,
                        bool is_first);

/* Writes what has gathered to the file. */
void allfold_tracer_flush(struct allfold_tracer *tracer);

/* Writes the end, with the run's seconds, and frees the tracer. False where not all could be
 * written. */
bool allfold_tracer_close(struct allfold_tracer *tracer, double run_s);

#endif
