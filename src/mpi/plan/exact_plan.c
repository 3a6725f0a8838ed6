/* Exact sums in plans (see exact_plan.h).
 *
 * Invariant: the steps of a run follow each other on one lane, in the same order on all ranks,
 * because their number depends on the agreed needs alone. */
#include "mpi/plan/exact_plan.h"

#include "mpi/call/block_counts.h"
#include "mpi/call/run.h"
#include "util/memory.h"

struct allfold_exact {
    struct allfold_exact_sum sum;
    struct allfold_exact_memory memory;
    struct allfold_prepared steps[ALLFOLD_EXACT_FIXED];
    bool in_place; /* as the sum was described */
};

/* --- making --- */

/* Frees the steps, but not the call's entry. */
static void free_steps(struct allfold_exact *exact)
{
    exact->steps[ALLFOLD_EXACT_PLANES].entry = NULL; /* the call's */
    for (int i = 0; i < ALLFOLD_EXACT_FIXED; i++) {
        allfold_run_drop(&exact->steps[i]);
        allfold_prepared_free(&exact->steps[i]);
    }
    allfold_exact_memory_free(&exact->memory);
    allfold_free(exact);
}

void allfold_run_drop(struct allfold_prepared *prepared)
{
    if (prepared->entry != NULL)
        allfold_entry_drop(prepared->state, prepared->entry);
    if (prepared->exact != NULL)
        free_steps(prepared->exact);
    prepared->entry = NULL;
    prepared->exact = NULL;
}

void allfold_run_move(struct allfold_prepared *to, const struct allfold_prepared *from)
{
    *to = *from;
    to->binding.elements = &to->operands.elements;
    allfold_prepared_take_buffers(to);
    if (to->exact != NULL)
        to->exact->sum.prepared = to;
}

static enum allfold_error make_step(struct allfold_prepared *step, const struct allfold_call *call,
                                    const struct allfold_rules *rules, char *message,
                                    size_t message_bytes)
{
    const char *why;
    step->call = *call;
    if (!allfold_begins_reserve(call, step->state->size, &step->blocks, &step->blocks_bytes))
        return ALLFOLD_NO_MEMORY;
    if (!allfold_prepared_read(step, &why))
        return ALLFOLD_BAD_INPUT; /* never, as all is right */
    const enum allfold_error error = allfold_prepared_make(step, rules, message, message_bytes);
    if (error != ALLFOLD_OK || step->entry == NULL)
        return error;
    return allfold_prepared_place(step, ALLFOLD_SPARSE_OFF) ? ALLFOLD_OK : ALLFOLD_NO_MEMORY;
}

enum allfold_error allfold_exact_make(struct allfold_prepared *prepared,
                                      const struct allfold_rules *rules, char *message,
                                      size_t message_bytes)
{
    struct allfold_exact *exact = prepared->exact = allfold_allocate_zeroed(sizeof *exact);
    if (exact == NULL)
        return ALLFOLD_NO_MEMORY;
    if (!allfold_exact_describe(&exact->sum, prepared, &exact->memory))
        return ALLFOLD_OK; /* so the call is native, and the MPI library reports the error */
    exact->sum.is_fixed = true;
    exact->in_place = prepared->in_place;
    bool are_ours = true;
    enum allfold_error error = allfold_exact_reserve(&exact->sum) ? ALLFOLD_OK : ALLFOLD_NO_MEMORY;
    for (int i = 0; i < ALLFOLD_EXACT_FIXED && error == ALLFOLD_OK; i++) {
        const struct allfold_call call =
            allfold_exact_call(&exact->sum, (enum allfold_exact_step)i);
        exact->steps[i].state = prepared->state;
        error = make_step(&exact->steps[i], &call, rules, message, message_bytes);
        are_ours &= exact->steps[i].entry != NULL;
    }
    prepared->entry = exact->steps[ALLFOLD_EXACT_PLANES].entry;
    if (error != ALLFOLD_OK || !are_ours)
        allfold_run_drop(prepared);
    return error;
}

bool allfold_exact_serves(const struct allfold_exact *exact)
{
    const struct allfold_prepared *prepared = exact->sum.prepared;
    return exact->in_place == prepared->in_place &&
           allfold_exact_is_wanted(&prepared->call, prepared->state, prepared->reproducible);
}

/* --- running --- */

/* Starts the present step, if there is one. If the step loses data, it returns the error when it
 * ends. */
static int begin_step(struct allfold_exact *exact)
{
    struct allfold_exact_sum *sum = &exact->sum;
    if (sum->step == ALLFOLD_EXACT_END)
        return MPI_SUCCESS;
    struct allfold_prepared *step = &exact->steps[sum->step];
    step->call = allfold_exact_call(sum, sum->step);
    step->lane = sum->prepared->lane;
    if (!allfold_prepared_take_buffers(step))
        return MPI_ERR_INTERN; /* they were right when the step was made */
    const int error = allfold_prepared_start(step);
    return allfold_executor_was_given_up(step->entry->executor) ? error : MPI_SUCCESS;
}

static int start_steps(struct allfold_exact *exact)
{
    exact->sum.lost = exact->sum.prepared->binding.lost;
    allfold_exact_first(&exact->sum);
    return begin_step(exact);
}

static int test_steps(struct allfold_exact *exact, bool *is_done)
{
    struct allfold_exact_sum *sum = &exact->sum;
    *is_done = false;
    while (sum->step != ALLFOLD_EXACT_END) {
        struct allfold_executor *executor = exact->steps[sum->step].entry->executor;
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

int allfold_run_start(struct allfold_prepared *prepared)
{
    return prepared->exact != NULL ? start_steps(prepared->exact)
                                   : allfold_prepared_start(prepared);
}

int allfold_run_test(struct allfold_prepared *prepared, bool *is_done)
{
    return prepared->exact != NULL ? test_steps(prepared->exact, is_done)
                                   : allfold_executor_test(prepared->entry->executor, is_done);
}

const struct allfold_executor *allfold_run_executor(const struct allfold_prepared *prepared)
{
    const struct allfold_exact *exact = prepared->exact;
    const bool has_step = exact != NULL && exact->sum.step < ALLFOLD_EXACT_END;
    return (has_step ? exact->steps[exact->sum.step].entry : prepared->entry)->executor;
}
