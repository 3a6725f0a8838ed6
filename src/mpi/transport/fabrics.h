/* Opens and closes the fabric of a job: the ranks exchange the addresses of their endpoints over
 * MPI.
 *
 * MPI also carries news of failures: that a rank's writes fail, or how many have completed. Both
 * ranks then know that messages between them fail, so that neither waits for a message that does
 * not come. */
#ifndef ALLFOLD_MPI_TRANSPORT_FABRICS_H
#define ALLFOLD_MPI_TRANSPORT_FABRICS_H

#include <mpi.h>
#include <stdint.h>

#include "fabric/fabric.h"

/* Opens the fabric of the ranks of `comm` with libfabric's provider `provider` (NULL: the first
 * that can do it). Returns NULL on all ranks if a rank cannot open it; `why` then says this rank's
 * reason, or that another rank has one. Collective over `comm`. */
struct allfold_fabric *allfold_fabric_open(MPI_Comm comm, const char *provider, uint32_t window,
                                           char *why, size_t why_bytes);

/* Receives the news of ranks that cannot reach this rank. Waiting ranks call this from time to
 * time. */
void allfold_fabric_hear(struct allfold_fabric *fabric);

/* Completes this rank's writes, waits for the other ranks, and closes the endpoint. NULL is
 * allowed. Collective over the ranks of the fabric. */
void allfold_fabric_close(struct allfold_fabric *fabric);

#endif
