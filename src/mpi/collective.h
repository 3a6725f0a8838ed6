/* One path for all collectives: from a call to its result. */
#ifndef ALLFOLD_MPI_COLLECTIVE_H
#define ALLFOLD_MPI_COLLECTIVE_H

#include <mpi.h>

#include "algorithms/problem.h"

/* A call as the program made it. In a broadcast recvbuf is the buffer, and op is not looked at. */
struct allfold_call {
    enum allfold_collective collective;
    const void *sendbuf;
    void *recvbuf;
    size_t count;
    bool count_is_valid; /* false where the program gave a negative count */
    MPI_Datatype datatype;
    MPI_Op op;
    int root; /* 0 where the collective has none */
    MPI_Comm comm;
};

/* Serves a call, or passes it on to the next library. Returns an MPI error code, after the error
 * handler. Collective, as the call is. */
int allfold_serve(const struct allfold_call *call);

#endif
