/* Starts of persistent collectives that the MPI library handles, for the report: each start counts
 * as a call. Without a report nothing is kept. */
#ifndef ALLFOLD_MPI_PLAN_NATIVE_STARTS_H
#define ALLFOLD_MPI_PLAN_NATIVE_STARTS_H

#include <mpi.h>
#include <stddef.h>

#include "algorithms/problem.h"

/* Registers a native persistent request, and why it is native; `reason` must be static. If out of
 * memory, its starts are not counted. */
void allfold_native_starts_add(MPI_Request request, enum allfold_collective collective, int p,
                               size_t bytes, const char *reason);

/* Call MPI_Start or MPI_Startall of the underlying library, and count the starts of registered
 * requests. */
int allfold_native_start_one(MPI_Request *request);
int allfold_native_start_all(int count, MPI_Request *requests);

/* Removes the request, if it is registered, because the program frees it. */
void allfold_native_starts_free(MPI_Request request);

/* Removes all requests. */
void allfold_native_starts_clear(void);

#endif
