/* Running plans (see plan.h): starting them, and coming for what they did. */
#include <stdio.h>

#include "mpi/call/entry.h"
#include "mpi/plan/plan.h"
#include "mpi/progress/progress.h"
#include "mpi/report/report.h"
#include "mpi/arrivals/roll_call.h"
#include "mpi/process/runtime.h"

MPI_Comm allfold_plan_comm(const struct allfold_plan *plan)
{
    return plan->state->is_orphan ? MPI_COMM_WORLD : plan->state->user;
}

/* When a call of the library began, where a report is wanted. */
static double begin_s(const struct allfold_plan *plan)
{
    return plan->entry != NULL && plan->state->settings->report != NULL ? allfold_now_s() : 0;
}

static void add_time(struct allfold_plan *plan, double from_s)
{
    if (from_s > 0)
        plan->entry->figures.seconds += allfold_now_s() - from_s;
}

/* The end of a run, as the program sees it. */
static int finish(struct allfold_plan *plan)
{
    int code = plan->code;
    if (code == MPI_SUCCESS && plan->entry != NULL)
        code = allfold_request_unpack(&plan->request);
    plan->status = plan->code == MPI_SUCCESS ? ALLFOLD_PLAN_IDLE : ALLFOLD_PLAN_BROKEN;
    const bool is_said = plan->entry == NULL; /* by the MPI library */
    return code == MPI_SUCCESS || is_said ? code : allfold_raise(allfold_plan_comm(plan), code);
}

int allfold_plan_start(struct allfold_plan *plan)
{
    const double from_s = begin_s(plan);
    if (plan->entry != NULL) {
        /* where that fails, the run goes without data, as others wait for it */
        plan->binding.lost = allfold_request_pack(&plan->request);
        plan->binding.in = plan->request.in;
        plan->binding.out = plan->request.out;
        plan->entry->figures.calls++;
    }
    allfold_progress_start(plan);
    add_time(plan, from_s);
    return plan->status == ALLFOLD_PLAN_ENDED && plan->code != MPI_SUCCESS ? finish(plan)
                                                                           : MPI_SUCCESS;
}

int allfold_plan_wait(struct allfold_plan *plan, int timeout_ms, bool *is_done)
{
    const double from_s = begin_s(plan);
    const double deadline_s = timeout_ms > 0 ? allfold_now_s() + 1e-3 * timeout_ms : timeout_ms;
    *is_done = allfold_progress_wait(plan, deadline_s);
    add_time(plan, from_s);
    return *is_done ? finish(plan) : MPI_SUCCESS;
}

const char *allfold_plan_fault(const struct allfold_plan *plan, enum allfold_plan_status wanted)
{
    static const char in_flight[] = "the plan is in flight: wait for it first (allfold_wait)";
    if (plan == NULL)
        return "the plan is NULL";
    switch (plan->status) {
    case ALLFOLD_PLAN_FREED:
        return "the plan is freed already";
    case ALLFOLD_PLAN_IDLE:
        if (wanted == ALLFOLD_PLAN_RUNNING)
            return "the plan is not in flight: start it first (allfold_start)";
        return wanted == ALLFOLD_PLAN_IDLE && plan->state->is_orphan
                   ? "the plan's communicator is freed: free the plan, too"
                   : NULL;
    case ALLFOLD_PLAN_BROKEN:
        return wanted != ALLFOLD_PLAN_FREED
                   ? "the plan failed in its last run: free it and make another one"
                   : NULL;
    default:
        return wanted != ALLFOLD_PLAN_RUNNING ? in_flight : NULL;
    }
}

int allfold_plan_expect(const struct allfold_plan *plan, enum allfold_plan_status status,
                        const char *function)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *wrong = allfold_plan_fault(plan, status);
    if (wrong == NULL)
        return MPI_SUCCESS;
    if (!allfold_mpi_is_up())
        return MPI_ERR_OTHER;
    const bool has_comm = plan != NULL && plan->status != ALLFOLD_PLAN_FREED;
    snprintf(message, sizeof message, "%s: %s", function, wrong);
    return allfold_raise_message(has_comm ? allfold_plan_comm(plan) : MPI_COMM_WORLD, message);
}

int allfold_plan_missing(struct allfold_plan *plan, int *ranks, int max, int *count)
{
    const MPI_Comm comm = allfold_plan_comm(plan);
    if (count == NULL || (ranks == NULL && max > 0))
        return allfold_raise_message(comm, "allfold_missing: there is no place for the answer");
    if (plan->entry == NULL)
        return allfold_raise_message(comm, "allfold_missing: the plan is the MPI library's, which "
                                           "does not say");
    const int error = allfold_roll_call(plan, ranks, max, count);
    return error == MPI_SUCCESS ? error : allfold_raise(comm, error);
}
