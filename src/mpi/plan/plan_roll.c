/* Finds the ranks that have not arrived at a plan's run (see plan.h). */
#include <string.h>

#include "mpi/arrivals/missing_ranks.h"
#include "mpi/plan/exact_plan.h"
#include "mpi/plan/plan.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

/* The ranks that have not arrived at the plan's run, of which the first `max`, ascending. */
static int call_roll(struct allfold_plan *plan, unsigned char *known, int *ranks, int max,
                     int *count)
{
    const int p = plan->prepared.state->size;
    const struct allfold_roll *roll = &plan->prepared.lane->roll;
    allfold_progress();
    allfold_progress_lock();
    const struct allfold_roll_call call = {plan->prepared.state, roll, plan->run, known};
    if (plan->status == ALLFOLD_PLAN_RUNNING)
        allfold_roll_call_look(&call, allfold_run_executor(&plan->prepared));
    else
        memset(known, ALLFOLD_HERE, (size_t)p);
    allfold_progress_unlock();
    const int error = allfold_roll_call_ask(&call);
    for (int r = 0; r < p && error == MPI_SUCCESS; r++) {
        if (known[r] >= ALLFOLD_HERE)
            continue;
        if (*count < max)
            ranks[*count] = r;
        ++*count;
    }
    return error;
}

int allfold_plan_missing(struct allfold_plan *plan, int *ranks, int max, int *count)
{
    const MPI_Comm comm = allfold_plan_comm(plan);
    if (count == NULL || (ranks == NULL && max > 0))
        return allfold_raise_message(comm, "allfold_missing: there is no place for the answer");
    if (plan->prepared.entry == NULL)
        return allfold_raise_message(comm, "allfold_missing: the plan is the MPI library's, which "
                                           "does not say");
    *count = 0;
    unsigned char *known = allfold_allocate_zeroed((size_t)plan->prepared.state->size);
    const int error = known == NULL ? MPI_ERR_NO_MEM : call_roll(plan, known, ranks, max, count);
    allfold_free(known);
    return allfold_raise(comm, error);
}
