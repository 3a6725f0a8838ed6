/* Where a communicator's ranks live: from the names of their processors, or from ALLFOLD_NODES. */
#ifndef ALLFOLD_MPI_PLACES_H
#define ALLFOLD_MPI_PLACES_H

#include <stdint.h>

#include "mpi/communicator/communicator.h"

/* What ranks of one node have in common, as far as MPI tells. */
int64_t allfold_node_key(void);

/* Sets the state's `nodes` from the ranks' keys, of which this one's is `key`; `one_node`: all have
 * the same. Returns an MPI error code. Collective. */
int allfold_find_nodes(struct allfold_communicator *state, int64_t key, bool one_node);

#endif
