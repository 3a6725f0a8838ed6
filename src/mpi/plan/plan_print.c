/* Prints a plan (see plan.h): its algorithm, why it was chosen, what this rank does, and what it
 * costs. */
#include <math.h>
#include <stdio.h>

#include "mpi/call/block_counts.h"
#include "mpi/call/entry.h"
#include "mpi/handles/predefined.h"
#include "mpi/plan/plan.h"
#include "mpi/process/runtime.h"

static void print_type(MPI_Datatype datatype, FILE *stream)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length, bytes = 0;
    PMPI_Type_get_name(datatype, name, &length);
    PMPI_Type_size(datatype, &bytes);
    if (*name != '\0')
        fprintf(stream, "%s", name);
    else
        fprintf(stream, "a derived type of %d bytes", bytes);
}

static void print_operation(MPI_Op op, FILE *stream)
{
    const enum allfold_operation operation = allfold_known_operation(op);
    int commutes = 0;
    PMPI_Op_commutative(op, &commutes);
    if (operation < ALLFOLD_OPERATION_COUNT)
        fprintf(stream, ", %s", allfold_operation_name(operation));
    else
        fprintf(stream, ", an operation of the program's that %s",
                commutes ? "commutes" : "does not commute");
}

/* "allreduce of 5 x MPI_DOUBLE, sum, in place; 4 ranks, of which this is 0" */
static void print_call(const struct allfold_plan *plan, FILE *stream)
{
    const struct allfold_call *call = &plan->prepared.call;
    const struct allfold_traits *of = allfold_traits(call->collective);
    fprintf(stream, "%s", of->name);
    if (call->collective != ALLFOLD_BARRIER && call->count_is_valid) {
        fprintf(stream, " of %zu x ",
                call->counts == NULL ? call->count : allfold_counts_total(call));
        print_type(call->datatype, stream);
    }
    if (allfold_has_operation(call->collective))
        print_operation(call->op, stream);
    if (of->has_root)
        fprintf(stream, ", root %d", call->root);
    if (call->sendbuf == MPI_IN_PLACE)
        fprintf(stream, ", in place");
    fprintf(stream, "; %d ranks, of which this is %d\n", plan->prepared.state->size,
            plan->prepared.state->rank);
}

static void print_cost(const struct allfold_plan *plan, FILE *stream)
{
    const struct allfold_entry *entry = plan->prepared.entry;
    const struct allfold_problem problem = allfold_entry_problem(plan->prepared.state, &entry->key);
    const struct allfold_claim claim =
        entry->choice.algorithm->claim(&problem, &entry->choice.parameters);
    fprintf(stream,
            "cost: %zu rounds; the busiest rank sends %zu bytes, receives %zu, reduces %zu\n",
            claim.rounds, claim.sent * problem.element_bytes,
            allfold_claim_carried(&claim) * problem.element_bytes,
            claim.reduced * problem.element_bytes);
}

static void print_plan(const struct allfold_plan *plan, FILE *stream)
{
    const struct allfold_entry *entry = plan->prepared.entry;
    char name[ALLFOLD_NAME_BYTES];
    print_call(plan, stream);
    if (entry == NULL) {
        fprintf(stream, "algorithm: native, whose steps and cost are not known\n");
        return;
    }
    allfold_algorithm_write(entry->choice.algorithm, &entry->choice.parameters, name, sizeof name);
    fprintf(stream, "algorithm: %s (%s)\n", name, allfold_choice_reason(&entry->choice));
    print_cost(plan, stream);
    fprintf(stream, "steps of this rank: %u, elements of %zu bytes, %zu elements of scratch\n",
            entry->schedule->step_count, entry->key.element_bytes,
            allfold_schedule_scratch(entry->schedule));
    allfold_schedule_print(entry->schedule, stream);
}

int allfold_plan_write(const struct allfold_plan *plan, FILE *stream)
{
    if (plan == NULL || plan->status == ALLFOLD_PLAN_FREED)
        return allfold_plan_expect(plan, ALLFOLD_PLAN_FREED, "allfold_plan_print");
    if (stream == NULL)
        return allfold_raise_message(allfold_plan_comm(plan),
                                     "allfold_plan_print: the stream is NULL");
    print_plan(plan, stream);
    return MPI_SUCCESS;
}
