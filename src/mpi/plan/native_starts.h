/* Persistent collectives that the MPI library serves, for the report: each start of one is a call.
 * Without a report there are none. */
#ifndef ALLFOLD_MPI_PLAN_NATIVE_STARTS_H
#define ALLFOLD_MPI_PLAN_NATIVE_STARTS_H

#include <mpi.h>
#include <stddef.h>

#include "algorithms/problem.h"

/* The request is one of them, for this reason; `reason` is static. Without memory its starts are
 * not counted. */
void allfold_native_starts_add(MPI_Request request, enum allfold_collective collective, int p,
                               size_t bytes, const char *reason);

/* MPI_Start and MPI_Startall of the next library, which also count the starts of such requests. */
int allfold_native_start_one(MPI_Request *request);
int allfold_native_start_all(int count, MPI_Request *requests);

/* The program frees the request, which may be one of them. */
void allfold_native_starts_free(MPI_Request request);

/* Forgets all of them. */
void allfold_native_starts_clear(void);

#endif
