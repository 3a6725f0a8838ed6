/* One path for all collectives: from a call to its result. */
#ifndef ALLFOLD_MPI_COLLECTIVE_H
#define ALLFOLD_MPI_COLLECTIVE_H

#include <mpi.h>

#include "algorithms/problem.h"

/* A call as the program made it; what a collective has not is not looked at. Where there is but one
 * buffer (a broadcast), it is recvbuf. A barrier is one byte of nobody's. */
struct allfold_call {
    enum allfold_collective collective;
    const void *sendbuf;
    void *recvbuf;
    size_t count;        /* of recvbuf; where buffers are blocks, of one of them */
    bool count_is_valid; /* false where the program gave a negative count */
    MPI_Datatype datatype;
    size_t send_count; /* of sendbuf, where the collective does not reduce; like send_datatype */
    MPI_Datatype send_datatype;
    MPI_Op op;
    int root; /* 0 where the collective has none */
    MPI_Comm comm;
};

/* Serves a call, or passes it on to the next library. Returns an MPI error code, after the error
 * handler. Collective, as the call is. */
int allfold_serve(const struct allfold_call *call);

#endif
