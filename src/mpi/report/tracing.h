/* Tracing: rank 0 keeps its blocking calls in the file of ALLFOLD_TRACE (docs/trace.md).
 *
 * Calls come from the log, when it is known who came last. What has gathered goes to the file now
 * and then, so a program that is killed leaves it. All functions are thread-safe. On other ranks,
 * and without a trace, they do nothing. */
#ifndef ALLFOLD_MPI_REPORT_TRACING_H
#define ALLFOLD_MPI_REPORT_TRACING_H

#include "events/traced.h"
#include "mpi/communicator/communicator.h"

/* Is this rank's program traced? Then it stays so, but for an end. */
extern bool allfold_tracing_is_on;

/* Opens the file, and says at once where it cannot be written. After the job has begun. */
void allfold_tracing_begin(void);

/* The number of a shape; ALLFOLD_NO_SHAPE where it is not traced. The function fills the
 * layout and the placement. */
uint32_t allfold_tracing_shape(const struct allfold_communicator *state,
                               struct allfold_traced_shape *shape);

/* The number of calls that are passed through for this reason. */
uint32_t allfold_tracing_native(const struct allfold_communicator *state,
                                enum allfold_collective collective, int root, size_t bytes,
                                const char *why);

/* Writes what has gathered to the file, if that is due. */
void allfold_tracing_flush(void);

/* Writes the end. After the last call. */
void allfold_tracing_end(void);

#endif
