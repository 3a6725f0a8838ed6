/* The path of all blocking collectives (see collective.h): describe, validate, resolve, prepare,
 * run.
 *
 * The caller has described the call. A call that repeats the last one runs at once. serve_new
 * validates other calls, serve_read resolves and prepares them, and run_observed moves their data.
 * Everything else is done by observers (observer_list.h), which are called around the whole call,
 * its choice, and its run. */
#include "mpi/call/collective.h"

#include <assert.h>
#include <string.h>

#include "mpi/call/caller.h"
#include "mpi/call/block_counts.h"
#include "mpi/call/entry.h"
#include "mpi/call/guard.h"
#include "mpi/call/native.h"
#include "mpi/call/observer_list.h"
#include "mpi/call/run.h"
#include "mpi/handles/type_size.h"
#include "mpi/process/runtime.h"
#include "mpi/report/live.h"
#include "mpi/report/report.h"
#include "util/memory.h"

/* --- running --- */

/* Native calls have raised their errors. */
static int run_and_raise(struct allfold_prepared *prepared, const struct allfold_call *call,
                         bool is_again)
{
    const int error = allfold_move_data(prepared, call, is_again);
    return prepared->why_native != NULL ? error : allfold_raise(call->comm, error);
}

static int run_observed(struct allfold_prepared *prepared, const struct allfold_call *call,
                        bool is_again)
{
    const struct allfold_observers *observers = &allfold_caller_of(prepared->state)->observers;
    if (!allfold_is_observed(observers,
                             ALLFOLD_STAGE_RUN)) /* skip the loops, which short calls notice */
        return run_and_raise(prepared, call, is_again);
    int error = allfold_observe_before(observers, ALLFOLD_STAGE_RUN, prepared, call);
    if (error == MPI_SUCCESS)
        error = run_and_raise(prepared, call, is_again);
    allfold_observe_after(observers, ALLFOLD_STAGE_RUN, prepared, call, error);
    return error;
}

/* --- repeating the last call --- */

/* Remembers the call for those that follow it and differ by their buffers alone, with a copy of the
 * counts of blocks of any lengths; else it keeps no entry. */
static void remember(struct allfold_prepared *prepared)
{
    const struct allfold_communicator *state = prepared->state;
    struct allfold_caller *caller = allfold_caller_of(state);
    struct allfold_repeat *repeat = &caller->repeat;
    const struct allfold_traits *of = allfold_traits(prepared->call.collective);
    if (prepared != &caller->prepared || caller->observers.disable_repeat ||
        !allfold_prepared_lasts(prepared) ||
        (prepared->call.counts != NULL &&
         !allfold_counts_keep(&prepared->call, &prepared->counts, &prepared->counts_bytes))) {
        prepared->entry = NULL;
        return;
    }
    repeat->has_buffers = !of->may_repeat;
    repeat->has_one_buffer = !of->reduces && !of->allows_in_place;
    repeat->own_bytes = !of->out_is_blocks         ? 0
                        : prepared->begins != NULL ? (ptrdiff_t)prepared->begins[state->rank]
                                                   : state->rank * (ptrdiff_t)prepared->count;
}

/* Are the buffers of a call clearly right, and in place as the last one's were? */
static bool has_like_buffers(const struct allfold_caller *caller, const struct allfold_call *call)
{
    if (caller->repeat.has_one_buffer)
        return call->recvbuf != NULL && call->recvbuf != MPI_IN_PLACE;
    return call->sendbuf != NULL && call->recvbuf != NULL && call->sendbuf != call->recvbuf &&
           call->sendbuf != (const char *)call->recvbuf + caller->repeat.own_bytes &&
           call->recvbuf != MPI_IN_PLACE &&
           caller->prepared.in_place == (call->sendbuf == MPI_IN_PLACE);
}

/* Is a call like the last one? A call whose counts are not valid never is. */
static bool repeats(const struct allfold_caller *caller, const struct allfold_call *call)
{
    const struct allfold_prepared *last = &caller->prepared;
    return last->entry != NULL && allfold_calls_are_alike(&last->call, call) &&
           ((last->call.counts == NULL && call->counts == NULL) ||
            allfold_blocks_are_same(&last->call, call, last->state->size)) &&
           (!caller->repeat.has_buffers || has_like_buffers(caller, call));
}

/* --- resolving --- */

/* Makes the entry of a call's shape by the rules, or of what the guard switched it to, and keeps
 * it. */
static enum allfold_error make_entry(struct allfold_communicator *state,
                                     const struct allfold_shape_key *key,
                                     const struct allfold_guarded *guarded,
                                     struct allfold_entry **entry, char *message,
                                     size_t message_bytes)
{
    struct allfold_pool *pool = allfold_entries_pool(state);
    const enum allfold_error error =
        guarded != NULL && guarded->has_switched
            ? allfold_entry_make_of(state, pool, key, guarded->algorithm, &guarded->parameters,
                                    entry, message, message_bytes)
            : allfold_entry_make(state, pool, key,
                                 allfold_communicator_rules(state, key->collective), false, entry,
                                 message, message_bytes);
    if (error == ALLFOLD_OK)
        allfold_entry_keep(state, *entry);
    return error;
}

/* Finds the entry of a call's shape. An error is raised, and its code returned. */
static int find_entry(struct allfold_prepared *prepared)
{
    struct allfold_communicator *state = prepared->state;
    const struct allfold_caller *caller = allfold_caller_of(state);
    struct allfold_entry **entry = &prepared->entry;
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    *entry = allfold_cache_find(&allfold_caller_of(state)->cache, &caller->key);
    if (*entry != NULL)
        return MPI_SUCCESS;
    enum allfold_error error =
        make_entry(state, &caller->key, caller->slot, entry, message, sizeof message);
    if (error == ALLFOLD_NO_MEMORY) { /* others wait: rather give up what is only kept */
        allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
        error = make_entry(state, &caller->key, caller->slot, entry, message, sizeof message);
    }
    if (error == ALLFOLD_NO_MEMORY)
        return allfold_raise(prepared->call.comm, MPI_ERR_NO_MEM);
    return error == ALLFOLD_OK ? MPI_SUCCESS : allfold_raise_message(prepared->call.comm, message);
}

static int resolve_and_run(struct allfold_prepared *prepared)
{
    int error = find_entry(prepared);
    if (error != MPI_SUCCESS)
        return error;
    const struct allfold_choice *choice = &prepared->entry->choice;
    prepared->why_native = choice->algorithm == NULL ? allfold_choice_reason(choice) : NULL;
    return run_observed(prepared, &prepared->call, false);
}

/* A call that was read. */
static int serve_read(struct allfold_prepared *prepared)
{
    struct allfold_caller *caller = allfold_caller_of(prepared->state);
    const struct allfold_call *call = &prepared->call;
    const char *wrong = allfold_communicator_rule_error(prepared->state, call->collective);
    if (wrong != NULL)
        return allfold_raise_message(call->comm, wrong);
    caller->key = allfold_prepared_key(prepared);
    caller->slot = NULL;
    caller->never = UINT64_MAX;
    caller->repeat.left = &caller->never;
    int error = allfold_observe_before(&caller->observers, ALLFOLD_STAGE_CHOICE, prepared, call);
    if (error == MPI_SUCCESS)
        error = resolve_and_run(prepared);
    allfold_observe_after(&caller->observers, ALLFOLD_STAGE_CHOICE, prepared, call, error);
    if (error == MPI_SUCCESS)
        remember(prepared);
    else
        prepared->entry = NULL;
    return error;
}

/* --- validating --- */

static int serve_new(struct allfold_prepared *prepared, const struct allfold_call *call);

/* A sum that was described: each step is a call, prepared by itself. */
static int serve_steps(struct allfold_prepared *prepared, struct allfold_exact_sum *sum)
{
    struct allfold_prepared *step = &allfold_caller_of(prepared->state)->step;
    struct allfold_exact_gathered gathered;
    bool is_raised = false;
    sum->gathered = &gathered;
    allfold_prepared_pack(prepared);
    sum->lost = prepared->binding.lost;
    allfold_exact_first(sum);
    while (sum->step != ALLFOLD_EXACT_END) {
        const bool is_empty = sum->step == ALLFOLD_EXACT_PLANES && sum->window == 0;
        const struct allfold_call call = allfold_exact_call(sum, sum->step);
        const int error = is_empty ? MPI_SUCCESS : serve_new(step, &call);
        is_raised |= error != MPI_SUCCESS;
        allfold_exact_next(sum, error);
    }
    const int error = allfold_prepared_unpack(prepared, sum->lost);
    return is_raised ? error : allfold_raise(prepared->call.comm, error);
}

/* A call with a negative count is passed through, so that the MPI library reports the error; other
 * ranks learn of it if calls are checked. So is a call whose arguments are doubtful. */
static int serve_new(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_communicator *state = prepared->state;
    const enum allfold_reproducible mode = allfold_communicator_reproducible(state);
    const char *native = state->native_reason[call->collective], *why = native;
    struct allfold_exact_sum sum;
    int error = MPI_SUCCESS;
    if (!call->count_is_valid)
        return allfold_native(call);
    prepared->call = *call;
    prepared->entry = NULL;
    prepared->reproducible = mode;
    const bool is_exact = allfold_reproducible_is_exact(mode);
    const bool adds_exactly = is_exact && state->carrier.comm != MPI_COMM_NULL &&
                              allfold_exact_is_wanted(call, state, mode);
    const bool is_read = (native == NULL || adds_exactly) && allfold_prepared_read(prepared, &why);
    if (is_read && adds_exactly &&
        allfold_exact_describe(&sum, prepared, &allfold_caller_of(state)->exact))
        return serve_steps(prepared, &sum);
    const bool is_doubtful = allfold_is_doubtful(why);
    if (is_exact && !is_doubtful)
        error = allfold_allow_rounding(call, state, mode);
    if (error == MPI_SUCCESS && native == NULL && is_read)
        return serve_read(prepared);
    prepared->why_native = native != NULL ? native : why;
    if (error == MPI_SUCCESS && !is_doubtful)
        error = allfold_allow_native(call, state, mode, prepared->why_native);
    return error == MPI_SUCCESS ? run_observed(prepared, call, false) : error;
}

/* --- serving --- */

static int serve_again(struct allfold_caller *caller, const struct allfold_call *call)
{
    struct allfold_prepared *last = &caller->prepared;
    assert(!caller->observers.disable_repeat);
    if (--*caller->repeat.left == 0) { /* the guard is due: counted again there */
        *caller->repeat.left = 1;
        return serve_new(last, call);
    }
    if (caller->repeat.has_buffers) {
        last->binding.in = caller->repeat.has_one_buffer ? call->recvbuf : call->sendbuf;
        last->binding.out = call->recvbuf;
    }
    return run_observed(last, call, true);
}

static int serve_unobserved(struct allfold_caller *caller, const struct allfold_call *call)
{
    return repeats(caller, call) && !(allfold_devices_may_be() && allfold_call_is_on_device(call))
               ? serve_again(caller, call)
               : serve_new(&caller->prepared, call);
}

static int serve_known(struct allfold_caller *caller, const struct allfold_call *call)
{
    const struct allfold_observers *observers = &caller->observers;
    if (!allfold_is_observed(observers,
                             ALLFOLD_STAGE_CALL)) /* skip the loops, which short calls notice */
        return serve_unobserved(caller, call);
    int error = allfold_observe_before(observers, ALLFOLD_STAGE_CALL, &caller->prepared, call);
    if (error == MPI_SUCCESS)
        error = serve_unobserved(caller, call);
    allfold_observe_after(observers, ALLFOLD_STAGE_CALL, &caller->prepared, call, error);
    return error;
}

/* Passes a call through on a communicator without a state. */
static int pass_through_stateless(const struct allfold_call *call, const char *why)
{
    int p = 0;
    if (!allfold_settings_gather(allfold_settings()))
        return allfold_native(call);
    const double begin_s = allfold_now_s();
    allfold_live_enter(call->collective, allfold_ticks());
    const int error = allfold_native(call);
    allfold_live_leave();
    const double end_s = allfold_now_s();
    PMPI_Comm_size(call->comm, &p);
    allfold_report_passed(call->collective, NULL, p,
                          error == MPI_SUCCESS ? allfold_call_bytes(call, p) : 0, why, begin_s,
                          end_s);
    return error;
}

/* Is the vector, the block, or the sum of blocks of different lengths short, and does no algorithm
 * change a bit of the result? The answer is the same on all p ranks. A broadcast or gather of zero
 * bytes is not short: ranks may describe zero bytes by different datatypes, and native calls then
 * hang. */
static bool is_short_and_exact(const struct allfold_call *call, int p)
{
    enum { SHORT_BYTES = 1 << 10 };
    struct allfold_operands operands = {.is_predefined = false};
    MPI_Count bytes;
    if (allfold_traits(call->collective)->may_repeat)
        return true;
    const size_t count = call->counts != NULL ? allfold_counts_total(call) : call->count;
    if (!allfold_traits(call->collective)->reduces) /* ranks may have other types for the bytes */
        return call->datatype != MPI_DATATYPE_NULL &&
               allfold_type_size(call->datatype, &bytes) == MPI_SUCCESS && bytes > 0 && count > 0 &&
               count <= SHORT_BYTES / (size_t)bytes;
    return count <= SHORT_BYTES && allfold_operands_find(&operands, call->datatype, call->op) &&
           operands.is_predefined && count * operands.element_bytes <= SHORT_BYTES &&
           (operands.exact || (operands.operation == ALLFOLD_SUM && p == 2 &&
                               allfold_reproducible_of(NULL) == ALLFOLD_REPRODUCIBLE_OFF));
}

/* A private lane costs an agreement, which one short call does not earn back. So a communicator's
 * first call is passed through if all ranks know that native changes no bit of the result and
 * breaks no rule. A program that makes communicators, uses each once and frees them then makes no
 * lane at all. */
static bool passes_first(const struct allfold_call *call)
{
    int p;
    const struct allfold_settings *settings = allfold_job()->agreed.settings;
    const enum allfold_collective collective = call->collective;
    return allfold_job()->native_reason == NULL && !allfold_traits(collective)->has_root &&
           !allfold_job()->is_shared && !settings->verbose &&
           settings->rules[collective].count == 0 && *settings->rule_error[collective] == '\0' &&
           PMPI_Comm_size(call->comm, &p) == MPI_SUCCESS && is_short_and_exact(call, p) &&
           allfold_communicator_pass_first(call->comm);
}

/* A call on a communicator without a state. It begins before that is made, for which ranks may have
 * to wait. */
static int serve_first(const struct allfold_call *call, bool is_new)
{
    const uint64_t begin = allfold_ticks();
    if (!call->count_is_valid)
        return allfold_native(call);
    if (is_new && passes_first(call))
        return pass_through_stateless(call, "a communicator's first call, which is short");
    allfold_live_enter(call->collective, begin); /* the ranks may wait for each other */
    const struct allfold_communicator *state = allfold_communicator_of(call->comm);
    if (state == NULL)
        return pass_through_stateless(call, "no memory");
    allfold_caller_of(state)->begun = begin;
    return serve_known(allfold_caller_of(state), call);
}

int allfold_serve(const struct allfold_call *call)
{
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL)
        return allfold_native(call);
    bool is_new;
    const struct allfold_communicator *state =
        allfold_communicator_known_or_new(call->comm, &is_new);
    return state != NULL ? serve_known(allfold_caller_of(state), call) : serve_first(call, is_new);
}

/* --- the communicator's part --- */

static void make_caller(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    allfold_observers_make(&caller->observers, state);
    caller->prepared.state = caller->step.state = state;
    caller->prepared.blocks = caller->begins;
    caller->step.blocks = caller->begins + state->size + 1;
}

static void change_rules(struct allfold_communicator *state, enum allfold_collective collective)
{
    allfold_caller_of(state)->prepared.entry = NULL;
    if (collective == ALLFOLD_COLLECTIVE_COUNT) /* the choices stay */
        return;
    allfold_guard_forget(state, collective);
    allfold_entries_drop(state, collective);
}

/* All but the entries. */
static void free_memory(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    caller->prepared.entry = NULL;                        /* it knows the scratch memory */
    caller->prepared.blocks = caller->step.blocks = NULL; /* the part's */
    allfold_prepared_free(&caller->prepared);
    allfold_prepared_free(&caller->step);
    allfold_exact_memory_free(&caller->exact);
    allfold_free(caller->compared.result);
    caller->compared.result = NULL;
    caller->compared.result_bytes = 0;
    make_caller(state);
}

static void shrink(struct allfold_communicator *state)
{
    enum { LITTLE_BYTES = 64 << 10 };
    struct allfold_caller *caller = allfold_caller_of(state);
    allfold_guard_forget(state, ALLFOLD_COLLECTIVE_COUNT); /* ranks may keep different states */
    memset(caller->compared.shapes, 0, sizeof caller->compared.shapes);
    free_memory(state);
    allfold_entries_shrink(state, LITTLE_BYTES);
    if (caller->cache.pool.chunk_bytes > 2 * LITTLE_BYTES)
        allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
}

static void free_caller(struct allfold_communicator *state)
{
    allfold_guard_forget(state, ALLFOLD_COLLECTIVE_COUNT);
    allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
    free_memory(state);
}

const struct allfold_part allfold_part_call = {
    .bytes = sizeof(struct allfold_caller),
    .rank_bytes = 2 * sizeof(size_t), /* caller->begins */
    .make = make_caller,
    .change_rules = change_rules,
    .shrink = shrink,
    .close = free_caller,
};
