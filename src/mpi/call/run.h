/* Runs of prepared calls: room for them, their start, and blocking ones from start to end. */
#ifndef ALLFOLD_MPI_CALL_RUN_H
#define ALLFOLD_MPI_CALL_RUN_H

#include "mpi/call/prepared.h"

/* Makes room for the runs of its entry, if it has one, which are sparse or not from now on. False
 * without memory. Local. */
bool allfold_prepared_place(struct allfold_prepared *prepared, enum allfold_sparse_mode mode);

/* Starts a run of its entry, on its lane. Like allfold_executor_start. */
int allfold_prepared_start(struct allfold_prepared *prepared);

/* Runs a call by its entry from start to end: one that was read, or one with its buffers in the
 * binding, which repeats the last one. Errors are not raised. */
int allfold_run(struct allfold_prepared *prepared);
int allfold_run_again(struct allfold_prepared *prepared);

/* Has the MPI library serve a call, which raises its own errors. */
int allfold_run_natively(const struct allfold_prepared *prepared, const struct allfold_call *call);

/* Moves a call's data, by one of these. */
static inline int allfold_move_data(struct allfold_prepared *prepared,
                                    const struct allfold_call *call, bool is_again)
{
    if (prepared->why_native != NULL)
        return allfold_run_natively(prepared, call);
    return is_again ? allfold_run_again(prepared) : allfold_run(prepared);
}

#endif
