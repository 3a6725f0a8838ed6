/* Plans of exact sums (see plan_exact.h).
 *
 * Invariant: the steps of a run go one after the other on one lane, in the same order on all ranks,
 * because the agreed needs alone say how many there are. */
#include "mpi/plan/plan_exact.h"

#include "mpi/call/counts.h"
#include "mpi/call/exact_sum.h"
#include "util/memory.h"

/* A call over integers. */
struct step {
    struct allfold_call call;
    struct allfold_request request;
    struct allfold_operands operands;
    struct allfold_entry *entry; /* of the integers: the plan's, which owns it */
    void *scratch, *begins;
    size_t scratch_bytes, begins_bytes;
};

struct allfold_plan_exact {
    struct allfold_exact_sum sum;
    struct allfold_exact_memory memory;
    struct step steps[ALLFOLD_EXACT_END];
    bool in_place;             /* as the sum was described */
    struct allfold_lane *lane; /* of the run in hand */
    struct allfold_transport *transport;
};

/* --- making --- */

/* Chooses for a step's call and builds it. */
static enum allfold_error make_step(struct allfold_communicator *state,
                                    const struct allfold_rules *rules, struct step *step,
                                    struct allfold_call call, char *message, size_t message_bytes)
{
    const char *why;
    step->call = call;
    if (!allfold_begins_reserve(&step->call, state->size, &step->begins, &step->begins_bytes))
        return ALLFOLD_NO_MEMORY;
    step->request = (struct allfold_request){
        .call = &step->call, .state = state, .operands = &step->operands, .blocks = step->begins};
    if (!allfold_request_read(&step->request, &why))
        return ALLFOLD_BAD_INPUT; /* never, as all is right */
    const struct allfold_shape_key key = allfold_request_key(&step->request);
    const enum allfold_error error = allfold_entry_make(
        state, NULL, &key,
        rules != NULL ? rules : allfold_communicator_rules(state, key.collective), true,
        &step->entry, message, message_bytes);
    if (error != ALLFOLD_OK || step->entry->choice.algorithm == NULL)
        return error;
    const size_t bytes = allfold_executor_place(step->entry->executor, &step->operands.elements);
    return allfold_reserve(&step->scratch, &step->scratch_bytes, bytes) ? ALLFOLD_OK
                                                                        : ALLFOLD_NO_MEMORY;
}

static enum allfold_error make_steps(struct allfold_plan_exact *exact,
                                     const struct allfold_rules *rules, char *message,
                                     size_t message_bytes)
{
    struct allfold_communicator *state = exact->sum.request->state;
    struct step *steps = exact->steps;
    if (!allfold_exact_reserve(&exact->sum))
        return ALLFOLD_NO_MEMORY;
    enum allfold_error error = ALLFOLD_OK;
    for (int i = 0; i < ALLFOLD_EXACT_END && error == ALLFOLD_OK; i++)
        error = make_step(state, rules, &steps[i],
                          allfold_exact_call(&exact->sum, (enum allfold_exact_step)i), message,
                          message_bytes);
    return error;
}

static bool are_ours(const struct allfold_plan_exact *exact)
{
    for (int i = 0; i < ALLFOLD_EXACT_END; i++)
        if (exact->steps[i].entry->choice.algorithm == NULL)
            return false;
    return true;
}

enum allfold_error allfold_plan_exact_make(const struct allfold_request *request,
                                           const struct allfold_rules *rules,
                                           struct allfold_plan_exact **made,
                                           struct allfold_entry **entry, char *message,
                                           size_t message_bytes)
{
    struct allfold_plan_exact *exact = *made = allfold_allocate_zeroed(sizeof *exact);
    *entry = NULL;
    if (exact == NULL)
        return ALLFOLD_NO_MEMORY;
    exact->sum.request = request;
    if (!allfold_exact_describe(&exact->sum, request, &exact->memory))
        return ALLFOLD_OK; /* so native, which says what is wrong */
    exact->sum.is_fixed = true;
    exact->in_place = request->in_place;
    const enum allfold_error error = make_steps(exact, rules, message, message_bytes);
    struct allfold_entry *planes = exact->steps[ALLFOLD_EXACT_PLANES].entry;
    if (error == ALLFOLD_OK && are_ours(exact))
        *entry = planes;
    else if (planes != NULL)
        allfold_entry_drop(request->state, planes);
    return error;
}

bool allfold_plan_exact_serves(const struct allfold_plan_exact *exact)
{
    const struct allfold_request *request = exact->sum.request;
    return exact->in_place == request->in_place &&
           allfold_exact_is_wanted(request->call, request->state, request->reproducible);
}

void allfold_plan_exact_free(struct allfold_plan_exact *exact)
{
    if (exact == NULL)
        return;
    for (int i = 0; i < ALLFOLD_EXACT_END; i++) {
        if (i != ALLFOLD_EXACT_PLANES && exact->steps[i].entry != NULL)
            allfold_entry_drop(exact->sum.request->state, exact->steps[i].entry);
        allfold_free(exact->steps[i].operands.lowered);
        allfold_free(exact->steps[i].scratch);
        allfold_free(exact->steps[i].begins);
    }
    allfold_exact_memory_free(&exact->memory);
    allfold_free(exact);
}

/* --- running --- */

static struct allfold_executor *executor_of(const struct allfold_plan_exact *exact)
{
    const enum allfold_exact_step step = exact->sum.step;
    return exact->steps[step < ALLFOLD_EXACT_END ? step : ALLFOLD_EXACT_PLANES].entry->executor;
}

/* Starts the step in hand, if there is one. What the step loses it says when it ends. */
static int begin_step(struct allfold_plan_exact *exact)
{
    struct allfold_exact_sum *sum = &exact->sum;
    if (sum->step == ALLFOLD_EXACT_END)
        return MPI_SUCCESS;
    struct step *step = &exact->steps[sum->step];
    step->call = allfold_exact_call(sum, sum->step);
    if (!allfold_request_take_buffers(&step->request))
        return MPI_ERR_INTERN; /* they were right when the step was made */
    const struct allfold_binding binding = {.in = step->request.in,
                                            .out = step->request.out,
                                            .scratch = step->scratch,
                                            .elements = &step->operands.elements,
                                            .transport = exact->transport};
    const int error = allfold_lane_start(exact->lane, step->entry, &step->operands, &binding);
    return allfold_executor_was_given_up(step->entry->executor) ? error : MPI_SUCCESS;
}

int allfold_plan_exact_begin(struct allfold_plan_exact *exact, struct allfold_lane *lane,
                             const struct allfold_binding *binding)
{
    exact->lane = lane;
    exact->transport = binding->transport;
    exact->sum.lost = binding->lost;
    allfold_exact_first(&exact->sum);
    return begin_step(exact);
}

int allfold_plan_exact_test(struct allfold_plan_exact *exact, bool *is_done)
{
    struct allfold_exact_sum *sum = &exact->sum;
    *is_done = false;
    while (sum->step != ALLFOLD_EXACT_END) {
        struct allfold_executor *executor = executor_of(exact);
        int error = allfold_executor_test(executor, is_done);
        if (!*is_done || allfold_executor_was_given_up(executor))
            return error;
        allfold_exact_next(sum, error);
        *is_done = false;
        error = begin_step(exact);
        if (error != MPI_SUCCESS)
            return error;
    }
    *is_done = true;
    return sum->lost;
}

const struct allfold_executor *allfold_plan_exact_executor(const struct allfold_plan_exact *exact)
{
    return executor_of(exact);
}
