/* The fabric of a job: its ranks' endpoints, made known to each other over MPI.
 *
 * MPI also carries the news that a rank's writes fail, or how many have ended. Both ranks then know
 * that messages between them fail, so that none waits for what does not come. */
#ifndef ALLFOLD_MPI_TRANSPORT_FABRICS_H
#define ALLFOLD_MPI_TRANSPORT_FABRICS_H

#include <mpi.h>
#include <stdint.h>

#include "fabric/fabric.h"

/* Opens the fabric of the ranks of `comm`, with libfabric's provider of that name (NULL: the first
 * that can do it). NULL where a rank has none, on all ranks; `why` then says this rank's reason, or
 * that another one has none. Collective. */
struct allfold_fabric *allfold_fabric_open(MPI_Comm comm, const char *provider, uint32_t window,
                                           char *why, size_t why_bytes);

/* Takes news of ranks that cannot reach this one. Whoever waits does this now and then. */
void allfold_fabric_hear(struct allfold_fabric *fabric);

/* Ends this rank's writes, waits for the others, and closes the endpoint. NULL is allowed.
 * Collective. */
void allfold_fabric_close(struct allfold_fabric *fabric);

#endif
