/* The path of all blocking collectives, from a call to its result. */
#ifndef ALLFOLD_MPI_CALL_COLLECTIVE_H
#define ALLFOLD_MPI_CALL_COLLECTIVE_H

#include "mpi/call/call.h"

/* Handles a call by Allfold or by the underlying MPI library. Returns an MPI error code, after the
 * error handler. Collective, as the call is. */
int allfold_serve(const struct allfold_call *call);

#endif
