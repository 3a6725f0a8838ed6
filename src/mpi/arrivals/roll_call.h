/* Roll-call: which ranks have not come yet to a plan's run.
 *
 * Ranks that share memory write there which run of each lane they have begun. Others are known to
 * have come when one of their messages has, and are asked by a message else; they answer when they
 * wait for a plan themselves. */
#ifndef ALLFOLD_MPI_ROLL_CALL_H
#define ALLFOLD_MPI_ROLL_CALL_H

#include "mpi/plan/plan.h"

/* How long to wait for answers. */
enum { ALLFOLD_ROLL_CALL_MS = 100 };

/* The ranks that have not come to the run of a plan that is in flight, as far as this rank can know
 * within ALLFOLD_ROLL_CALL_MS: the first `max` of them, ascending, and how many they are. Local.
 * Returns an MPI error code, without the error handler. */
int allfold_roll_call(struct allfold_plan *plan, int *ranks, int max, int *count);

/* What is known of a rank. */
enum allfold_presence {
    ALLFOLD_SILENT, /* nothing, though it was asked */
    ALLFOLD_ABSENT, /* it has not come */
    ALLFOLD_HERE,
    ALLFOLD_GONE, /* it has come, and is past it */
};

/* The same of the blocking call that this rank is in: known[rank] is set for all ranks. `executor`
 * is that of its run, or NULL where there is none yet. */
int allfold_roll_call_blocking(struct allfold_communicator *state,
                               const struct allfold_executor *executor, unsigned char *known);

/* Says for all to know where this rank is in the order of blocking calls on the communicator: 2n -
 * 1 in the n-th one, 2n after it. */
void allfold_roll_call_arrive(struct allfold_communicator *state, uint64_t at);

/* Answers whoever asks on the communicator. Where there are threads, under the lock of progress. */
void allfold_roll_call_answer(struct allfold_communicator *state);

#endif
