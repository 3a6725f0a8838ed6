/* Exact sums as prepared calls (exact_sum.h). A run of such a call is a row of runs, each of a
 * prepared call over integers. In blocking calls these are prepared one after the other, each when
 * it is known (collective.c). Those of a plan are all prepared when the plan is made, so a start
 * allocates nothing: this file's. */
#ifndef ALLFOLD_MPI_EXACT_H
#define ALLFOLD_MPI_EXACT_H

#include "mpi/call/exact_sum.h"

/* Makes the steps of a sum whose call is read and stays where it is, by rules (NULL: the
 * communicator's). The call's entry is then that of the integers. ALLFOLD_OK without an entry: it
 * is to be native. Local. */
enum allfold_error allfold_exact_make(struct allfold_prepared *prepared,
                                      const struct allfold_rules *rules, char *message,
                                      size_t message_bytes);

/* The call was moved there. */
void allfold_exact_move(struct allfold_exact *exact, const struct allfold_prepared *prepared);

/* May the steps serve the call, which was read again? */
bool allfold_exact_serves(const struct allfold_exact *exact);

/* Starts a run on the call's lane; goes on with it as far as that goes without waiting. Like
 * allfold_executor_start and allfold_executor_test. Local. */
int allfold_exact_start(struct allfold_exact *exact);
int allfold_exact_test(struct allfold_exact *exact, bool *is_done);

/* The executor that runs, or was last. */
const struct allfold_executor *allfold_exact_executor(const struct allfold_exact *exact);

/* Frees the steps, but not the call's entry. NULL is allowed. */
void allfold_exact_free(struct allfold_exact *exact);

#endif
