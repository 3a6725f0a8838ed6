/* How the ranks of the job read each other's vectors: copies, or in place from near or far cores.
 * The model's choices depend on it, so all ranks know it alike. */
#ifndef ALLFOLD_MPI_READING_H
#define ALLFOLD_MPI_READING_H

#include <mpi.h>

#include "algorithms/problem.h"
#include "transport/shared_memory.h"

/* Do this process's own large vectors lie where its node can read them? Local. */
bool allfold_reading_is_offered(void);

/* How vectors are to be read: times reductions of whole vectors and of halves, in about a
 * millisecond. All ranks of `comm` must be those of `shared` in the order of its group, have cores
 * of their own, and offer their vectors. Copies, where a rank has no memory to find out.
 * Collective. */
enum allfold_reading allfold_reading_find(MPI_Comm comm, struct allfold_shared_memory *shared);

#endif
