/* ALLFOLD_REPRODUCIBLE=exact: blocking sums of floating point, correctly rounded whatever the order
 * and the number of ranks (docs/reproducible.md). */
#ifndef ALLFOLD_MPI_EXACT_H
#define ALLFOLD_MPI_EXACT_H

#include "mpi/call/caller.h"
#include "mpi/call/call.h"

/* Serves a call on a communicator: here one of integers. Raises what is wrong. */
typedef int allfold_serve_call(struct allfold_communicator *state, const struct allfold_call *call);

/* Is it a sum on a communicator whose sums are exact? If so, serves it as calls over integers, and
 * *error is what came out. False also where the arguments are not clearly right. All ranks answer
 * alike. */
bool allfold_exact_serve(const struct allfold_call *call, struct allfold_communicator *state,
                         allfold_serve_call *serve, int *error);

/* Gives back the memory. */
void allfold_exact_free(struct allfold_exact *exact);

#endif
