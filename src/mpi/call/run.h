/* Runs of prepared calls: memory for them, their start, and blocking runs from start to end. */
#ifndef ALLFOLD_MPI_CALL_RUN_H
#define ALLFOLD_MPI_CALL_RUN_H

#include "mpi/call/prepared.h"

/* Makes memory for runs of the call's entry, if it has one; `mode` says whether the runs are
 * sparse. Returns false if out of memory. Local. */
bool allfold_prepared_place(struct allfold_prepared *prepared, enum allfold_sparse_mode mode);

/* Starts a run of the call's entry on its lane. Otherwise like allfold_executor_start. */
int allfold_prepared_start(struct allfold_prepared *prepared);

/* Run a call by its entry, from start to end. allfold_run runs a call that was read;
 * allfold_run_again runs one whose buffers are in the binding, which repeats the last call. Return
 * an MPI error code, without the error handler. Collective, as the call is. */
int allfold_run(struct allfold_prepared *prepared);
int allfold_run_again(struct allfold_prepared *prepared);

/* Has the MPI library handle a call; it raises its own errors. Collective, as the call is. */
int allfold_run_natively(const struct allfold_prepared *prepared, const struct allfold_call *call);

/* Moves a call's data by one of the three functions above. */
static inline int allfold_move_data(struct allfold_prepared *prepared,
                                    const struct allfold_call *call, bool is_again)
{
    if (prepared->why_native != NULL)
        return allfold_run_natively(prepared, call);
    return is_again ? allfold_run_again(prepared) : allfold_run(prepared);
}

#endif
