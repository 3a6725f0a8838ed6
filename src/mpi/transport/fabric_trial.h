/* Tries whether the fabric or MPI carries messages faster. */
#ifndef ALLFOLD_MPI_TRANSPORT_FABRIC_TRIAL_H
#define ALLFOLD_MPI_TRANSPORT_FABRIC_TRIAL_H

#include "fabric/fabric.h"
#include "mpi/transport/point_to_point.h"

/* What this rank's messages of the trial are: to whom and from whom in the job; -1: it has none. */
struct allfold_fabric_ring {
    int next, last;
};

/* Times messages of 8 bytes to 256 KiB round rings, over both in turn; some 20 ms, on slow networks
 * 0.2 s. Is the fabric faster? The ranks come to the same. Nothing else uses the two transports.
 * Collective over the ranks of `comm`. */
bool allfold_fabric_try(MPI_Comm comm, struct allfold_fabric_stream *stream,
                        struct allfold_point_to_point *messages,
                        const struct allfold_fabric_ring *ring, struct allfold_fabric_gain *gain);

#endif
