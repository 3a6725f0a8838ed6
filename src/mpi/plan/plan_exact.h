/* Exact sums in plans (mpi/call/exact_sum.h). A run of such a plan is a row of runs on its lane:
 * what the numbers need, and then their integers. All schedules are built when the plan is made, so
 * a start allocates nothing. */
#ifndef ALLFOLD_MPI_PLAN_EXACT_H
#define ALLFOLD_MPI_PLAN_EXACT_H

#include "mpi/call/entry.h"
#include "mpi/call/request.h"
#include "mpi/plan/lanes.h"

struct allfold_plan_exact;

/* Makes what an exact sum needs, whose request is read and stays. `rules` are NULL for those of the
 * communicator. *entry is that of the integers, the caller's to drop; NULL with ALLFOLD_OK: it is
 * to be native. *made is to be freed in any case. Local. */
enum allfold_error allfold_plan_exact_make(const struct allfold_request *request,
                                           const struct allfold_rules *rules,
                                           struct allfold_plan_exact **made,
                                           struct allfold_entry **entry, char *message,
                                           size_t message_bytes);

/* May it serve its request, which was read again? */
bool allfold_plan_exact_serves(const struct allfold_plan_exact *exact);

/* Starts a run on a lane; goes on with it as far as that goes without waiting. Of the binding the
 * transport and what was lost count. Like allfold_executor_start and allfold_executor_test. Local.
 */
int allfold_plan_exact_begin(struct allfold_plan_exact *exact, struct allfold_lane *lane,
                             const struct allfold_binding *binding);
int allfold_plan_exact_test(struct allfold_plan_exact *exact, bool *is_done);

/* The executor that runs, or was last. */
const struct allfold_executor *allfold_plan_exact_executor(const struct allfold_plan_exact *exact);

/* NULL is allowed. */
void allfold_plan_exact_free(struct allfold_plan_exact *exact);

#endif
