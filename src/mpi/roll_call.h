/* Roll-call: which ranks have not come yet to a plan's run.
 *
 * Ranks that share memory write there which run of each lane they have begun. Others are known to
 * have come when one of their messages has, and are asked by a message else; they answer when they
 * wait for a plan themselves. */
#ifndef ALLFOLD_MPI_ROLL_CALL_H
#define ALLFOLD_MPI_ROLL_CALL_H

#include "mpi/plan.h"

/* How long to wait for answers. */
enum { ALLFOLD_ROLL_CALL_MS = 100 };

/* The ranks that have not come to the run of a plan that is in flight, as far as this rank can know
 * within ALLFOLD_ROLL_CALL_MS: the first `max` of them, ascending, and how many they are. Local.
 * Returns an MPI error code, without the error handler. */
int allfold_roll_call(struct allfold_plan *plan, int *ranks, int max, int *count);

/* Answers whoever asks on the communicator. */
void allfold_roll_call_answer(struct allfold_communicator *state);

#endif
