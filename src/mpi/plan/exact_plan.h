/* Exact sums as prepared calls (exact_sum.h). A run of such a call is a row of runs, each of a
 * prepared call over integers. In blocking calls these are prepared one after the other, each when
 * it is known (collective.c). Those of a plan are all prepared when the plan is made, so a start
 * allocates nothing: this file's. */
#ifndef ALLFOLD_MPI_PLAN_EXACT_PLAN_H
#define ALLFOLD_MPI_PLAN_EXACT_PLAN_H

#include "mpi/call/entry.h"
#include "mpi/call/exact_sum.h"

/* Makes the steps of a sum whose call is read and stays where it is, by rules (NULL: the
 * communicator's). The call's entry is then that of the integers. ALLFOLD_OK without an entry: it
 * is to be native. Local. */
enum allfold_error allfold_exact_make(struct allfold_prepared *prepared,
                                      const struct allfold_rules *rules, char *message,
                                      size_t message_bytes);

/* May the steps serve the call, which was read again? */
bool allfold_exact_serves(const struct allfold_exact *exact);

/* Of any prepared call with an entry, by its steps if it is an exact sum: start a run on the call's
 * lane, and go on with it as far as that goes without waiting, like allfold_executor_start and
 * allfold_executor_test; the executor that runs, or was last. Local. */
int allfold_run_start(struct allfold_prepared *prepared);
int allfold_run_test(struct allfold_prepared *prepared, bool *is_done);
const struct allfold_executor *allfold_run_executor(const struct allfold_prepared *prepared);

/* Drops entry and steps, if the call has any; they are its own. */
void allfold_run_drop(struct allfold_prepared *prepared);

/* Moves a call that no run is on. */
void allfold_run_move(struct allfold_prepared *to, const struct allfold_prepared *from);

#endif
