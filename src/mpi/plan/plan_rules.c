/* What a program sets for one plan (see plan.h). */
#include <stdio.h>

#include "mpi/communicator/comm_rules.h"
#include "mpi/plan/plan.h"
#include "mpi/process/runtime.h"

/* What a plan can take of its own, once it is made. Its algorithm is built, so only the way of its
 * messages can change. */
static int take_change(struct allfold_rule_change *change, struct allfold_plan *plan)
{
    const struct allfold_communicator *state = plan->state;
    const enum allfold_sparse_mode before = plan->sparse,
                                   wanted = (enum allfold_sparse_mode)change->mode;
    if (!state->is_private)
        return MPI_SUCCESS;
    const bool is_changed = change->message[0] == '\0';
    if (is_changed && !allfold_plan_set_sparse(plan, wanted != ALLFOLD_SPARSE_UNSET
                                                         ? wanted
                                                         : allfold_communicator_sparse(state)))
        snprintf(change->message, sizeof change->message, "no memory");
    const int error = allfold_rule_change_agree(change, state);
    if (is_changed && (error != MPI_SUCCESS || change->message[0] != '\0'))
        allfold_plan_set_sparse(plan, before);
    return error;
}

int allfold_plan_rules_set(struct allfold_plan *plan, const char *name, const char *value)
{
    static const char function[] = "allfold_plan_set";
    struct allfold_rule_change change = {.name = name, .value = value};
    if (!allfold_mpi_is_up() || plan == NULL || plan->status == ALLFOLD_PLAN_FREED)
        return allfold_plan_expect(plan, ALLFOLD_PLAN_IDLE, function);
    const char *fault = allfold_plan_fault(plan, ALLFOLD_PLAN_IDLE);
    if (fault != NULL)
        snprintf(change.message, sizeof change.message, "%s", fault);
    else
        allfold_rule_change_read_sparse(&change, "a plan");
    return allfold_rule_change_end(allfold_plan_comm(plan), function, take_change(&change, plan),
                                   &change);
}
