/* The list of observers, and the observers that have no file of their own: log, page, watch and
 * argument check (see observer_list.h). */
#include "mpi/call/observer_list.h"

#include <assert.h>

#include "mpi/arrivals/missing_ranks.h"
#include "mpi/call/check.h"
#include "mpi/call/comparison.h"
#include "mpi/call/block_counts.h"
#include "mpi/call/entry.h"
#include "mpi/call/guard.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/live.h"
#include "mpi/report/call_times.h"

/* --- the log, and the page of `allfold top` --- */

static bool is_logged(const struct allfold_communicator *state)
{
    return state->is_noted;
}

/* With ALLFOLD_PAGE_NO_TICKS the call is not logged, and the clock is read only if it waits. */
static int enter(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_caller *caller = allfold_caller_of(state);
    if (state->unnoted > 0) {
        state->unnoted--;
        caller->begun = ALLFOLD_PAGE_NO_TICKS;
    } else {
        if (caller->begun == 0)
            caller->begun = allfold_ticks();
        allfold_notes_begin(state,
                            state->agreed.settings->report_sites ? allfold_call_site() : NULL);
    }
    allfold_live_enter(call->collective, caller->begun);
    return MPI_SUCCESS;
}

static void leave(struct allfold_prepared *prepared, const struct allfold_call *call, int error)
{
    struct allfold_caller *caller = allfold_caller_of(prepared->state);
    const uint64_t begun = caller->begun;
    (void)error;
    caller->begun = 0;
    allfold_live_leave();
    if (begun != ALLFOLD_PAGE_NO_TICKS)
        allfold_notes_end(prepared->state, call->collective, call->root, begun, allfold_ticks());
}

/* The exact sum that a run is a step of; NULL: it is no step. */
static const struct allfold_call *sum_of(const struct allfold_prepared *prepared)
{
    return allfold_is_programs_call(prepared) ? NULL
                                              : &allfold_caller_of(prepared->state)->prepared.call;
}

static int log_run(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    (void)call;
    if (prepared->why_native != NULL)
        allfold_page_time_call();
    else
        allfold_entry_serve(prepared->state, prepared->entry, sum_of(prepared));
    return MPI_SUCCESS;
}

/* How often the run called an operation of the program's own, for its row. */
static void log_operation(struct allfold_prepared *prepared)
{
    struct allfold_operands *operands = &prepared->operands;
    if (operands->op_calls == 0)
        return;
    const struct allfold_sums sums = {.op_calls = (double)operands->op_calls,
                                      .op_bytes = operands->op_bytes};
    allfold_log_add(allfold_notes_of(prepared->state)->served.row, &sums);
    operands->op_calls = 0;
    operands->op_bytes = 0;
}

static void log_end_of_run(struct allfold_prepared *prepared, const struct allfold_call *call,
                           int error)
{
    const struct allfold_communicator *state = prepared->state;
    const struct allfold_call *sum = sum_of(prepared);
    if (sum != NULL)
        call = sum;
    if (prepared->why_native == NULL)
        log_operation(prepared);
    else
        allfold_notes_serve_native(state, call->collective, call->root,
                                   error == MPI_SUCCESS ? allfold_call_bytes(call, state->size) : 0,
                                   prepared->why_native);
}

static const struct allfold_observer log_of_call = {
    .stage = ALLFOLD_STAGE_CALL, .is_active = is_logged, .before = enter, .after = leave};
static const struct allfold_observer log_of_run = {
    .stage = ALLFOLD_STAGE_RUN, .is_active = is_logged, .before = log_run, .after = log_end_of_run};

/* --- the watch, which a timeout asks for and a check needs --- */

static bool is_watched(const struct allfold_communicator *state)
{
    return state->is_watched;
}

static int begin_watch(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_communicator *state = prepared->state;
    allfold_watch_begin(&allfold_caller_of(state)->watch, state, call->collective);
    return MPI_SUCCESS;
}

static void end_watch(struct allfold_prepared *prepared, const struct allfold_call *call, int error)
{
    (void)call;
    (void)error;
    allfold_watch_end(&allfold_caller_of(prepared->state)->watch);
}

/* A native collective ignores ALLFOLD_TIMEOUT. So the ranks synchronize before, under our own
 * watch, if all of them pass the call through; those that have compared it have synchronized. */
static int watch_native(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    const struct allfold_communicator *state = prepared->state;
    const bool is_on_all_ranks =
        prepared->entry != NULL || state->native_reason[call->collective] != NULL;
    bool all_are_ready = true;
    return prepared->why_native == NULL || !is_on_all_ranks || state->agreed.settings->common.check
               ? MPI_SUCCESS
               : allfold_raise(call->comm,
                               allfold_synchronize(state->carrier.comm, &all_are_ready));
}

static const struct allfold_observer watch_of_call = {.stage = ALLFOLD_STAGE_CALL,
                                                      .disables_repeat = true,
                                                      .is_active = is_watched,
                                                      .before = begin_watch,
                                                      .after = end_watch};
static const struct allfold_observer watch_of_native = {
    .stage = ALLFOLD_STAGE_RUN, .is_active = is_watched, .before = watch_native};

/* --- the check of arguments --- */

static bool is_checked(const struct allfold_communicator *state)
{
    return state->is_watched && state->agreed.settings->common.check;
}

static int check(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    return allfold_check_call(prepared->state, call, ALLFOLD_BLOCKING);
}

static const struct allfold_observer check_of_call = {
    .stage = ALLFOLD_STAGE_CALL, .disables_repeat = true, .is_active = is_checked, .before = check};

/* --- all of them --- */

/* From the outside to the inside. */
static const struct allfold_observer *const order[] = {
    &log_of_call,
    &watch_of_call,
    &check_of_call,
    &allfold_guard_observer,
    &watch_of_native,
    &log_of_run,
    &allfold_comparison_observer,
};

_Static_assert(sizeof order / sizeof *order <= ALLFOLD_MAX_OBSERVERS, "room for all");

void allfold_observers_make(struct allfold_observers *observers,
                            const struct allfold_communicator *state)
{
    const size_t all = sizeof order / sizeof *order;
    int count = 0;
    *observers = (struct allfold_observers){.disable_repeat = false};
    for (size_t i = 0; i < all && state->agreed.settings != NULL; i++) {
        assert(i == 0 || order[i - 1]->stage <= order[i]->stage);
        if (!order[i]->is_active(state))
            continue;
        observers->list[count++] = order[i];
        observers->disable_repeat |= order[i]->disables_repeat;
        for (unsigned stage = order[i]->stage + 1; stage <= ALLFOLD_STAGE_COUNT; stage++)
            observers->begin[stage] = (unsigned char)count;
    }
}
