/* How the ranks of the job read each other's vectors: copies, or in place from near or far cores.
 * The model's choices depend on it, so all ranks know it alike. */
#ifndef ALLFOLD_MPI_JOB_VECTOR_ACCESS_H
#define ALLFOLD_MPI_JOB_VECTOR_ACCESS_H

#include <mpi.h>

#include "algorithms/problem.h"
#include "mpi/transport/node_memory.h"

/* Does this process offer its own large vectors to its node, to be read where they lie? Local. */
bool allfold_vector_access_is_offered(void);

/* How vectors are to be read: times reductions of whole vectors and of halves, in about a
 * millisecond. All ranks of `comm` must be those of `node` in the order of its group, have cores of
 * their own, and offer their vectors. Copies, where a rank has no memory to find out, or what it
 * offers is not read. Collective. */
enum allfold_reading allfold_vector_access_find(MPI_Comm comm, const struct allfold_node *node);

#endif
