/* What the library keeps of each communicator, as an attribute of it.
 *
 * Made at the first reduction or broadcast that is ours to serve, with a private communicator for
 * the messages, so that no receive of the program can catch them; freed with the communicator. */
#ifndef ALLFOLD_MPI_COMMUNICATOR_H
#define ALLFOLD_MPI_COMMUNICATOR_H

#include <mpi.h>

#include "mpi/cache.h"
#include "mpi/nodes.h"
#include "mpi/operands.h"
#include "mpi/point_to_point.h"
#include "select/settings.h"

struct allfold_communicator {
    MPI_Comm user;
    MPI_Comm comm;             /* the private one; MPI_COMM_NULL where native serves all */
    const char *native_reason; /* why native serves all, or NULL */
    int size, rank;
    struct allfold_nodes *nodes;             /* where the ranks live; NULL without memory for it */
    const struct allfold_settings *settings; /* agreed on by all ranks */
    struct allfold_settings *own_settings;   /* where this rank's own differ from them; else NULL */
    struct allfold_point_to_point transport;
    uint64_t served; /* calls, counted until the node's memory was tried for */
    struct allfold_node node;
    struct allfold_operands operands; /* of the last call */
    struct allfold_cache cache;
    void *scratch; /* of whatever run is on */
    size_t scratch_bytes;
    void *packed; /* a broadcast's bytes, where they are no plain ones; or a sample's result */
    size_t packed_bytes;
    struct allfold_communicator *next, **link; /* all there are, the newest first */
};

/* The state of a communicator (not MPI_COMM_NULL), or NULL where there can be none: out of memory.
 * Collective over it at the first call. Thread-safe for different communicators. */
struct allfold_communicator *allfold_communicator_of(MPI_Comm comm);

/* Frees the states of all communicators, oldest first. Collective over all of them. */
void allfold_communicators_free(void);

/* Grows *memory to at least `bytes`; false without memory (then *memory is as before). */
bool allfold_reserve(void **memory, size_t *have_bytes, size_t bytes);

#endif
