/* The trial that decides whether the fabric or MPI transports Allfold's messages. */
#ifndef ALLFOLD_MPI_TRANSPORT_FABRIC_TRIAL_H
#define ALLFOLD_MPI_TRANSPORT_FABRIC_TRIAL_H

#include "fabric/fabric.h"
#include "mpi/transport/point_to_point.h"

/* The neighbors of this rank on its ring; both -1 if it takes no part in the trial. */
struct allfold_fabric_ring {
    int next;     /* the rank that it sends to */
    int previous; /* the rank that it receives from */
};

/* Measures messages of 8 bytes to 256 KiB on rings of ranks, alternately over both transports. This
 * takes about 20 ms, on slow networks 0.2 s. Returns whether the fabric is faster, and sets *gain
 * to its speedup, or to 0 if nothing could be measured; both are the same on all ranks. Nothing
 * else may use the two transports during the trial. Collective over `comm`. */
bool allfold_fabric_try(MPI_Comm comm, struct allfold_fabric_stream *stream,
                        struct allfold_point_to_point *messages,
                        const struct allfold_fabric_ring *ring, struct allfold_fabric_gain *gain);

#endif
