/* Runs of prepared calls: room for them, their start, and blocking ones from start to end. */
#ifndef ALLFOLD_MPI_RUN_H
#define ALLFOLD_MPI_RUN_H

#include "mpi/call/prepared.h"

/* Makes room for the runs of its entry, if it has one, which are sparse or not from now on. False
 * without memory. Local. */
bool allfold_prepared_place(struct allfold_prepared *prepared, enum allfold_sparse_mode mode);

/* Starts a run of its entry, on its lane. Like allfold_executor_start. */
int allfold_prepared_start(struct allfold_prepared *prepared);

/* Moves a call's data, by its entry or by the MPI library, which raises its own errors; those of
 * ours are not raised. With is_again, the call repeats the last one, and is known to last. */
int allfold_move_data(struct allfold_prepared *prepared, const struct allfold_call *call,
                      bool is_again);

#endif
