/* The trial at MPI_Init that decides how the ranks of a node read each other's vectors in shared
 * memory: as copies, or in place from near or far cores. The cost model depends on the decision, so
 * the decision is the same on all ranks of the job. */
#ifndef ALLFOLD_MPI_JOB_READING_TRIAL_H
#define ALLFOLD_MPI_JOB_READING_TRIAL_H

#include <mpi.h>

#include "algorithms/problem.h"
#include "mpi/transport/node_memory.h"

/* Returns whether this process lets its node's ranks read its large vectors in place. Local. */
bool allfold_reading_trial_is_offered(void);

/* Measures how vectors should be read, by reductions of whole vectors and of halves; this takes
 * about a millisecond. The ranks of `comm` must be those of `node` in the order of its group, have
 * cores of their own, and offer their vectors. Returns copies if a rank has no memory for the
 * measurement, or if offered vectors cannot be read. Collective over `comm`. */
enum allfold_reading allfold_reading_trial_run(MPI_Comm comm, const struct allfold_node *node);

#endif
