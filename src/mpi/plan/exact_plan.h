/* Exact sums in plans (exact_sum.h). A run of an exact sum consists of several steps, each a run of
 * a prepared call over integers. A blocking call prepares each step when it comes to it
 * (collective.c). A plan prepares all steps when it is made, so that a start allocates nothing;
 * this file does that. */
#ifndef ALLFOLD_MPI_PLAN_EXACT_PLAN_H
#define ALLFOLD_MPI_PLAN_EXACT_PLAN_H

#include "mpi/call/entry.h"
#include "mpi/call/exact_sum.h"

/* Makes the steps of a sum by `rules` (NULL: those of the communicator). The sum's call must have
 * been read, and `prepared` must not move. Afterwards the call's entry is the one of the step over
 * integers. If it returns ALLFOLD_OK without an entry, the call must be native. Local. */
enum allfold_error allfold_exact_make(struct allfold_prepared *prepared,
                                      const struct allfold_rules *rules, char *message,
                                      size_t message_bytes);

/* Returns whether the steps can run the call after it was read again with other buffers. */
bool allfold_exact_serves(const struct allfold_exact *exact);

/* Run a prepared call with an entry; an exact sum runs by its steps. allfold_run_start starts a run
 * on the call's lane, like allfold_executor_start. allfold_run_test advances it as far as possible
 * without waiting, like allfold_executor_test. allfold_run_executor returns the executor that is
 * running or ran last. Local. */
int allfold_run_start(struct allfold_prepared *prepared);
int allfold_run_test(struct allfold_prepared *prepared, bool *is_done);
const struct allfold_executor *allfold_run_executor(const struct allfold_prepared *prepared);

/* Frees the call's own entry and steps, if it has any. */
void allfold_run_drop(struct allfold_prepared *prepared);

/* Moves a call that has no run in flight. */
void allfold_run_move(struct allfold_prepared *to, const struct allfold_prepared *from);

#endif
