/* The guard (ALLFOLD_GUARD, docs/guard.md): from time to time it measures, in the running job,
 * whether the choice for a shape is slower than native or than the runner-up of its row in the
 * table. If so, it replaces or reports the choice.
 *
 * All ranks must decide the same. Each of them counts the calls of a shape, whatever their buffers,
 * in a slot that depends on the shape alone. At the same call they all agree on how long the job
 * has run and what measuring has cost, and decide from these numbers. So nothing here may depend on
 * a rank's clock, its memory, or the entries in its cache, unless the ranks have agreed on it. */
#ifndef ALLFOLD_MPI_CALL_GUARD_H
#define ALLFOLD_MPI_CALL_GUARD_H

#include "mpi/call/caller.h"

/* Counts the calls of the caller's `key`, finds its `slot`, and has the ranks agree, and perhaps
 * measure, if that is due. Afterwards another algorithm may be chosen for the shape; then the
 * collective's entries are dropped, and the call is as it was read.
 *
 * Calls that repeat the last one need not be counted here. Each decrements *repeat.left; the call
 * that brings it to 0 increments it again and is counted here. Some ranks may do so while others
 * count each call. */
extern const struct allfold_observer allfold_guard_observer;

/* Deletes the shapes of a collective, or of all (ALLFOLD_COLLECTIVE_COUNT), and their switches.
 * Must be called on all ranks. */
void allfold_guard_forget(struct allfold_communicator *state, enum allfold_collective collective);

/* Gives the guard's findings to the report, and saves them if ALLFOLD_GUARD=learn. Must be called
 * in MPI_Finalize, after all communicators are freed. */
void allfold_guard_finish(void);

#endif
