/* Plans (see plan.h).
 *
 * Making one is collective: all ranks agree on a lane that is free on all of them, and whether each
 * of them has all that it needs, before any says that it has a plan. */
#include "mpi/plan/plan.h"

#include <pthread.h>
#include <stdio.h>

#include "mpi/call/check.h"
#include "mpi/call/entry.h"
#include "mpi/transport/lanes.h"
#include "mpi/plan/plan_parts.h"
#include "mpi/progress/progress.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

/* Released plans stay memory of ours, so that a program's use of one is told and not a crash. */
static struct allfold_plan *released;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct allfold_plan *allfold_plan_take_memory(void)
{
    pthread_mutex_lock(&mutex);
    struct allfold_plan *plan = released;
    if (plan != NULL)
        released = plan->next;
    pthread_mutex_unlock(&mutex);
    return plan != NULL ? plan : allfold_allocate(sizeof *plan);
}

void allfold_plan_give_memory(struct allfold_plan *plan)
{
    plan->status = ALLFOLD_PLAN_FREED;
    pthread_mutex_lock(&mutex);
    plan->next = released;
    released = plan;
    pthread_mutex_unlock(&mutex);
}

void allfold_plans_forget(void)
{
    for (struct allfold_plan *plan; (plan = released) != NULL;) {
        released = plan->next;
        allfold_free(plan);
    }
}

void allfold_plan_strip(struct allfold_plan *plan)
{
    if (plan->entry != NULL)
        allfold_entry_drop(plan->state, plan->entry);
    if (plan->lane != NULL && plan->is_persistent)
        plan->lane->is_taken = false;
    allfold_free(plan->operands.lowered);
    allfold_free(plan->scratch);
    allfold_free(plan->packed);
}

static void throw_away(struct allfold_plan *plan)
{
    struct allfold_communicator *state = plan->state;
    allfold_plan_strip(plan);
    allfold_plan_give_memory(plan);
    allfold_communicator_let_go(state);
}

void allfold_plan_release(struct allfold_plan *plan)
{
    if (plan->is_persistent || !allfold_plan_spare(plan))
        throw_away(plan);
}

void allfold_plan_set_up(struct allfold_plan *plan, const struct allfold_call *call,
                         const struct allfold_plan_options *options,
                         struct allfold_communicator *state)
{
    static const struct allfold_plan_options none = {.rules = NULL};
    *plan = (struct allfold_plan){.status = ALLFOLD_PLAN_IDLE,
                                  .native = MPI_REQUEST_NULL,
                                  .call = *call,
                                  .options = options == NULL ? none : *options,
                                  .state = state,
                                  .operands = {.comm = state->comm}};
    plan->request = (struct allfold_request){.call = &plan->call,
                                             .state = state,
                                             .operands = &plan->operands,
                                             .packed = &plan->packed,
                                             .packed_bytes = &plan->packed_bytes,
                                             .tokens = plan->tokens};
    allfold_communicator_hold(state);
}

/* Elements of the program's own, which its own function reduces. */
static void use_own_elements(struct allfold_plan *plan)
{
    const struct allfold_plan_options *options = &plan->options;
    struct allfold_operands *operands = &plan->operands;
    operands->element_bytes = options->element_bytes;
    operands->travels_as = options->travels_as;
    operands->exact = false;
    operands->may_be_sparse = false;
    operands->elements.extent_bytes = (ptrdiff_t)options->element_bytes;
    operands->elements.high_bytes = (ptrdiff_t)options->element_bytes;
    operands->elements.reduce = options->reduce;
}

bool allfold_plan_read(struct allfold_plan *plan)
{
    const char *why;
    if (!allfold_request_read(&plan->request, &why))
        return false;
    if (plan->options.reduce != NULL)
        use_own_elements(plan);
    return true;
}

/* First the communicator's, so that it takes no memory to come back to that. */
static bool use_sparse_mode(struct allfold_plan *plan)
{
    return allfold_plan_set_sparse(plan, allfold_communicator_sparse(plan->state)) &&
           (!plan->options.has_sparse || allfold_plan_set_sparse(plan, plan->options.sparse));
}

enum allfold_error allfold_plan_prepare(struct allfold_plan *plan, char *message,
                                        size_t message_bytes)
{
    struct allfold_communicator *state = plan->state;
    if (!allfold_plan_read(plan))
        return ALLFOLD_OK;
    const struct allfold_shape_key key = allfold_request_key(&plan->request);
    const struct allfold_rules *rules = plan->options.rules != NULL
                                            ? plan->options.rules
                                            : allfold_communicator_rules(state, key.collective);
    const enum allfold_error error =
        allfold_entry_make(state, &key, rules, true, &plan->entry, message, message_bytes);
    if (error != ALLFOLD_OK)
        return error;
    if (plan->entry->choice.algorithm == NULL) {
        allfold_entry_drop(state, plan->entry);
        plan->entry = NULL;
        return ALLFOLD_OK;
    }
    if (use_sparse_mode(plan))
        return ALLFOLD_OK;
    snprintf(message, message_bytes, "no memory");
    return ALLFOLD_NO_MEMORY;
}

bool allfold_plan_set_sparse(struct allfold_plan *plan, enum allfold_sparse_mode mode)
{
    plan->sparse = mode;
    if (plan->entry == NULL)
        return true;
    allfold_entry_set_sparse(plan->state, mode, plan->entry, &plan->operands);
    const size_t bytes = allfold_executor_place(plan->entry->executor, &plan->operands.elements);
    const bool has_room = allfold_reserve(&plan->scratch, &plan->scratch_bytes, bytes);
    plan->binding.scratch = plan->scratch;
    return has_room;
}

static bool shares_with_all(const struct allfold_communicator *state)
{
    for (int r = 0; r < state->size; r++)
        if (state->node.index_of[r] < 0)
            return false;
    return true;
}

void allfold_plan_set_lane(struct allfold_plan *plan, struct allfold_lane *lane)
{
    const bool goes_through_memory =
        lane->shared != NULL && allfold_operands_are_contiguous(&plan->operands);
    plan->lane = lane;
    plan->operands.self_tag = lane->transport.first_tag;
    plan->is_in_memory = goes_through_memory && shares_with_all(plan->state);
    plan->binding = (struct allfold_binding){
        .scratch = plan->scratch,
        .elements = &plan->operands.elements,
        .transport = goes_through_memory ? allfold_shared_transport(lane->shared)
                                         : &lane->transport.transport,
    };
}

/* What the ranks tell each other; of each the least counts. */
enum { IS_READY, IS_OURS, LANE, LANE_BELOW, SPARSE, SPARSE_BELOW, TOLD };

/* A hint on which the ranks do not agree. */
static void pass_over_sparse(struct allfold_plan *plan)
{
    if (plan->state->rank == 0)
        allfold_say("a plan's ALLFOLD_SPARSE is passed over: the ranks give different values");
    allfold_plan_set_sparse(plan, allfold_communicator_sparse(plan->state));
}

/* Finds the first lane that is free on all ranks, and has them agree that all are ready. Returns an
 * MPI error code. */
static int settle_lane(struct allfold_plan *plan, bool is_ready, bool *all_are_ready)
{
    struct allfold_communicator *state = plan->state;
    for (int number = ALLFOLD_FIRST_OWN_LANE;;) {
        number = allfold_progress_free_lane(state, number);
        struct allfold_lane *lane = is_ready ? allfold_progress_lane(state, number) : NULL;
        int64_t told[TOLD] = {lane != NULL, plan->entry != NULL, number,
                              -number,      plan->sparse,        -(int64_t)plan->sparse};
        const int error = allfold_find_least(state->comm, told, TOLD);
        *all_are_ready = told[IS_READY] != 0;
        if (error != MPI_SUCCESS || !told[IS_READY] || !told[IS_OURS]) {
            if (plan->entry != NULL)
                allfold_entry_drop(state, plan->entry);
            plan->entry = NULL;
            return error;
        }
        if (told[LANE] == -told[LANE_BELOW]) {
            lane->is_taken = true;
            allfold_plan_set_lane(plan, lane);
            if (told[SPARSE] != -told[SPARSE_BELOW])
                pass_over_sparse(plan);
            return MPI_SUCCESS;
        }
        number = (int)-told[LANE_BELOW];
    }
}

/* Makes a plan ready on all ranks, or none. `mine` is what this rank lacks already. */
static int make_ready(struct allfold_plan *plan, enum allfold_error mine)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    const MPI_Comm comm = plan->call.comm;
    bool all_are_ready = true;
    int error = MPI_SUCCESS;
    if (mine == ALLFOLD_OK && plan->state->comm != MPI_COMM_NULL)
        mine = allfold_plan_prepare(plan, message, sizeof message);
    if (plan->state->comm != MPI_COMM_NULL) {
        allfold_communicator_share(plan->state);
        error = settle_lane(plan, mine == ALLFOLD_OK, &all_are_ready);
    }
    if (error != MPI_SUCCESS)
        return allfold_raise(comm, error);
    if (mine == ALLFOLD_NO_MEMORY)
        return allfold_raise(comm, MPI_ERR_NO_MEM);
    if (mine != ALLFOLD_OK)
        return allfold_raise_message(comm, message);
    return all_are_ready
               ? MPI_SUCCESS
               : allfold_raise_message(comm, "no plan: a rank has no memory for it, or no "
                                             "more tags");
}

int allfold_plan_make(const struct allfold_call *call, const struct allfold_plan_options *options,
                      struct allfold_plan **made)
{
    if (made == NULL || !allfold_mpi_is_up())
        return MPI_ERR_ARG;
    *made = NULL;
    if (call->comm == MPI_COMM_NULL)
        return allfold_raise(MPI_COMM_WORLD, MPI_ERR_COMM);
    struct allfold_communicator *state = allfold_communicator_of(call->comm);
    if (state == NULL)
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    struct allfold_plan stand_in, *plan = allfold_plan_take_memory();
    const enum allfold_error mine = plan == NULL ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
    struct allfold_plan *to_make = plan == NULL ? &stand_in : plan;
    allfold_plan_set_up(to_make, call, options, state);
    const bool is_checked = state->comm != MPI_COMM_NULL && state->settings->common.check;
    int error = is_checked ? allfold_check_call(state, call, ALLFOLD_PERSISTENT) : MPI_SUCCESS;
    if (error == MPI_SUCCESS)
        error = make_ready(to_make, mine);
    if (plan == NULL) {
        allfold_plan_strip(&stand_in);
        allfold_communicator_let_go(state);
        return error;
    }
    plan->is_persistent = true;
    if (error == MPI_SUCCESS)
        *made = plan;
    else
        allfold_plan_release(plan);
    return error;
}
