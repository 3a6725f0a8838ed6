/* The guard (ALLFOLD_GUARD, docs/guard.md): now and then a running job looks whether a shape's
 * choice is slower than native or the runner-up of its row. If so, it replaces or reports the
 * choice.
 *
 * All ranks must act alike. Each of them counts the calls of a shape, whatever their buffers, in a
 * slot that is found by the shape alone. At the same call all of them agree on how long the job has
 * run and what looking has cost. From that they conclude the same. So unless the ranks have agreed
 * on it, nothing here may depend on a rank's clock, its memory, or what its cache has dropped.
 */
#ifndef ALLFOLD_MPI_GUARD_H
#define ALLFOLD_MPI_GUARD_H

#include "mpi/call/caller.h"
#include "mpi/call/prepared.h"

/* Serves a call as one of the program's, prepared there. */
typedef int allfold_guard_serve(struct allfold_prepared *prepared, const struct allfold_call *call);

/* Counts a call of a shape. NULL where the shape is not guarded. Calls that follow and are like it
 * need not be counted here: each takes one from **left, and the one that comes to 0 puts it back
 * and is counted here. Some ranks may do so while others count each call. Local. */
struct allfold_guarded *allfold_guard_count(const struct allfold_prepared *prepared,
                                            const struct allfold_shape_key *key, uint64_t **left);

/* Is this call of the shape one at which the ranks agree? */
static inline bool allfold_guard_is_due(const struct allfold_guarded *guarded)
{
    return guarded != NULL && guarded->left == 0;
}

/* Tells the guard what serves the shape, once it is known. Local. */
void allfold_guard_open(struct allfold_guarded *guarded, const struct allfold_entry *entry);

/* Lets the ranks agree, and perhaps look, at a call that is due, was read and is not yet served.
 * `serve` serves by the caller's `trial`. Afterwards another algorithm may serve the shape; then
 * the collective's entries are dropped. The call is then as it was read. Collective. */
void allfold_guard_meet(struct allfold_prepared *prepared, struct allfold_guarded *guarded,
                        allfold_guard_serve *serve);

/* Forgets the shapes of a collective, or of all (ALLFOLD_COLLECTIVE_COUNT), and what they were
 * switched to. All ranks do the same. */
void allfold_guard_forget(struct allfold_communicator *state, enum allfold_collective collective);

/* Gives the report the guard's findings, and keeps them where ALLFOLD_GUARD=learn says. In
 * MPI_Finalize, after all communicators are gone. */
void allfold_guard_finish(void);

#endif
