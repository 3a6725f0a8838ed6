/* The guard (ALLFOLD_GUARD, docs/guard.md): now and then a running job looks whether a shape's
 * choice is slower than native or the runner-up of its row. If so, it replaces or reports the
 * choice.
 *
 * All ranks must act alike. Each of them counts the calls of a shape, whatever their buffers, in a
 * slot that is found by the shape alone. At the same call all of them agree on how long the job has
 * run and what looking has cost. From that they conclude the same. So unless the ranks have agreed
 * on it, nothing here may depend on a rank's clock, its memory, or what its cache has dropped.
 */
#ifndef ALLFOLD_MPI_CALL_GUARD_H
#define ALLFOLD_MPI_CALL_GUARD_H

#include "mpi/call/caller.h"

/* Counts the calls of the caller's `key`, finds its `slot`, and lets the ranks agree, and perhaps
 * look, where that is due. Afterwards another algorithm may serve the shape; then the collective's
 * entries are dropped. The call is then as it was read.
 *
 * Calls that repeat the last one need not be counted here: each takes one from *repeat.left, and
 * the one that comes to 0 puts it back and is counted here. Some ranks may do so while others count
 * each call. */
extern const struct allfold_observer allfold_guard_observer;

/* Forgets the shapes of a collective, or of all (ALLFOLD_COLLECTIVE_COUNT), and what they were
 * switched to. All ranks do the same. */
void allfold_guard_forget(struct allfold_communicator *state, enum allfold_collective collective);

/* Gives the report the guard's findings, and keeps them where ALLFOLD_GUARD=learn says. In
 * MPI_Finalize, after all communicators are gone. */
void allfold_guard_finish(void);

#endif
