/* Rules and modes that a program sets for one plan (see plan.h). */
#include <stdio.h>

#include "mpi/plan/exact_plan.h"
#include "mpi/call/native.h"
#include "mpi/call/run.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/plan/plan.h"
#include "mpi/process/runtime.h"

/* Whether its messages are sparse; its algorithm stays. */
static int take_sparse(struct allfold_rule_change *change, struct allfold_plan *plan)
{
    const struct allfold_communicator *state = plan->prepared.state;
    const enum allfold_sparse_mode before = plan->prepared.sparse,
                                   wanted = (enum allfold_sparse_mode)change->mode;
    const bool is_changed = change->message[0] == '\0';
    if (is_changed &&
        !allfold_prepared_place(&plan->prepared, wanted != ALLFOLD_SPARSE_UNSET
                                                     ? wanted
                                                     : allfold_communicator_sparse(state)))
        snprintf(change->message, sizeof change->message, "no memory");
    const int error = allfold_rule_change_agree(change, state);
    if (is_changed && (error != MPI_SUCCESS || change->message[0] != '\0'))
        allfold_prepared_place(&plan->prepared, before);
    return error;
}

/* Returns why the mode cannot be used for the plan's sums, the same on all ranks; or NULL. */
static const char *fault_of_bits(const struct allfold_plan *plan, enum allfold_reproducible mode)
{
    const bool must_be_ours =
        mode != ALLFOLD_REPRODUCIBLE_OFF && mode != ALLFOLD_REPRODUCIBLE_UNSET;
    if (must_be_ours && plan->prepared.entry == NULL &&
        !allfold_call_is_exact(&plan->prepared.call))
        return "the plan is native, whose order nobody knows";
    if (mode == ALLFOLD_REPRODUCIBLE_EXACT &&
        allfold_has_operation(plan->prepared.call.collective) &&
        !allfold_exact_is_wanted(&plan->prepared.call, plan->prepared.state, mode) &&
        !allfold_sum_rounds_once(&plan->prepared.call, plan->prepared.state, mode) &&
        allfold_rounds(&plan->prepared.call))
        return "only sums of float, double and complex can be exact";
    return NULL;
}

/* How its sums are bracketed, or exact: the plan is made anew. */
static int take_bits(struct allfold_rule_change *change, struct allfold_plan *plan)
{
    const struct allfold_communicator *state = plan->prepared.state;
    const enum allfold_reproducible mode = (enum allfold_reproducible)change->mode;
    struct allfold_prepared made;
    const char *fault = change->message[0] == '\0' ? fault_of_bits(plan, mode) : NULL;
    if (fault != NULL)
        snprintf(change->message, sizeof change->message, "%s", fault);
    if (change->message[0] != '\0' || plan->prepared.entry == NULL)
        return allfold_rule_change_agree(change, state);
    allfold_plan_remake(plan, mode, &made, change->message, sizeof change->message);
    const int error = allfold_rule_change_agree(change, state);
    allfold_plan_remade(plan, &made, error == MPI_SUCCESS && change->message[0] == '\0');
    return error;
}

/* Local if Allfold handles no call on the communicator: nothing has an effect then. */
static int take_change(struct allfold_rule_change *change, struct allfold_plan *plan)
{
    if (!plan->prepared.state->is_private)
        return MPI_SUCCESS;
    return (allfold_rule_change_is_of_bits(change) ? take_bits : take_sparse)(change, plan);
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
        allfold_rule_change_read_mode(&change, "a plan");
    return allfold_rule_change_end(allfold_plan_comm(plan), function, take_change(&change, plan),
                                   &change);
}
