/* The trial that decides whether the fabric or MPI carries messages. */
#ifndef ALLFOLD_MPI_TRANSPORT_FABRIC_TRIAL_H
#define ALLFOLD_MPI_TRANSPORT_FABRIC_TRIAL_H

#include "fabric/fabric.h"
#include "mpi/transport/point_to_point.h"

/* The ranks in the job that this rank sends to and receives from in the trial; -1: none. */
struct allfold_fabric_ring {
    int next, last;
};

/* Measures messages of 8 bytes to 256 KiB on rings of ranks, alternately over both transports. This
 * takes about 20 ms, on slow networks 0.2 s. Returns whether the fabric is faster, the same on all
 * ranks. Nothing else may use the two transports meanwhile. Collective over `comm`. */
bool allfold_fabric_try(MPI_Comm comm, struct allfold_fabric_stream *stream,
                        struct allfold_point_to_point *messages,
                        const struct allfold_fabric_ring *ring, struct allfold_fabric_gain *gain);

#endif
