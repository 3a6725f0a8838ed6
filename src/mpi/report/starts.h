/* When ranks started calls that do not block, and who started last.
 *
 * The runs of a lane are started in the same order on all ranks (plan/lanes.h). After some of them
 * the ranks exchange when they started each: up a binomial tree and down again, by messages that
 * nobody waits for. With the last start each rank splits the time that a run was in flight, once
 * the program has seen its end. What is overwritten before that is not split.
 *
 * Functions are called under the mutex of progress, but for those that say otherwise. */
#ifndef ALLFOLD_MPI_STARTS_H
#define ALLFOLD_MPI_STARTS_H

#include <stdint.h>

#include "events/log.h"
#include "mpi/communicator/communicator.h"

/* The runs of a lane. */
struct allfold_starts;

/* A run of them. */
struct allfold_started {
    struct allfold_starts *starts; /* NULL: it is not noted */
    uint64_t number;
};

/* NULL without memory, or where there is no tag for it. Not under the mutex. */
struct allfold_starts *allfold_starts_make(struct allfold_communicator *state, int lane);

/* A run is started now. */
struct allfold_started allfold_starts_add(struct allfold_starts *starts,
                                          enum allfold_collective collective, int root,
                                          double begin_s);

/* The program has seen its end: its record, in nanoseconds of this rank's clock. */
void allfold_starts_see(const struct allfold_started *started, const struct allfold_event *event);

/* Exchanges what is left; no run is in flight, and all ranks do so. */
void allfold_starts_flush(struct allfold_starts *starts);

/* Waits for the exchanges of all lanes, for a while. Not under the mutex. */
void allfold_starts_wait(void);

/* Gives up an exchange that is on. NULL is allowed. Not under the mutex. */
void allfold_starts_free(struct allfold_starts *starts);

#endif
