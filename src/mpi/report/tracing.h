/* Tracing: rank 0 writes its blocking calls to the file of ALLFOLD_TRACE (docs/trace.md).
 *
 * Calls come from the log, once the exchange of notes has found which rank came last. Gathered
 * calls are written to the file from time to time, so a program that is killed leaves most of its
 * trace. All functions are thread-safe. On other ranks, and without a trace, they do nothing. */
#ifndef ALLFOLD_MPI_REPORT_TRACING_H
#define ALLFOLD_MPI_REPORT_TRACING_H

#include "events/traced.h"
#include "mpi/communicator/communicator.h"

/* Whether this rank's program is traced. It changes only at the begin and the end of the trace. */
extern bool allfold_tracing_is_on;

/* Opens the file, and prints a message at once if it cannot be written. Must be called after the
 * job has begun. */
void allfold_tracing_begin(void);

/* Returns the number of a shape, or ALLFOLD_NO_SHAPE if it is not traced. Fills in the layout and
 * the placement of `shape`. */
uint32_t allfold_tracing_shape(const struct allfold_communicator *state,
                               struct allfold_traced_shape *shape);

/* Returns the number of calls that are passed through for the reason `why`, or ALLFOLD_NO_SHAPE if
 * they are not traced. */
uint32_t allfold_tracing_native(const struct allfold_communicator *state,
                                enum allfold_collective collective, int root, size_t bytes,
                                const char *why);

/* Writes the gathered calls to the file, if that is due. */
void allfold_tracing_flush(void);

/* Writes the end of the trace. Must be called after the last call. */
void allfold_tracing_end(void);

#endif
