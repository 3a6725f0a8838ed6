/* One path for all blocking collectives (see collective.h).
 *
 * From the outside to the inside: notes and the page of `allfold top` (serve_noted), the repeat of
 * the last call or the watch and the check (serve_known), an exact sum's steps or the MPI library
 * (serve_new), the guard and the entry (serve_read), comparisons with native (run_noted), the run
 * itself (run). Only notes and the guard's count go with a repeated call. */
#include "mpi/call/collective.h"

#include <assert.h>
#include <string.h>

#include "mpi/arrivals/arrivals.h"
#include "mpi/call/caller.h"
#include "mpi/call/check.h"
#include "mpi/call/counts.h"
#include "mpi/call/entry.h"
#include "mpi/call/guard.h"
#include "mpi/call/native.h"
#include "mpi/handles/type_size.h"
#include "mpi/handles/types.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/live.h"
#include "mpi/report/notes.h"
#include "mpi/report/report.h"
#include "util/memory.h"

/* Starts a call that has its buffers, and waits for its end. */
static int execute(struct allfold_prepared *prepared)
{
    const struct allfold_communicator *state = prepared->state;
    struct allfold_executor *executor = prepared->entry->executor;
    const int error = allfold_prepared_start(prepared);
    if (error != MPI_SUCCESS)
        return error;
    if (!allfold_has_activities() && !state->is_watched)
        return allfold_executor_wait(executor);
    allfold_watch_executor(executor);
    const int code = allfold_wait_executor(executor, state->carrier.comm);
    allfold_watch_executor(NULL); /* its entry may be dropped before the call ends */
    return code;
}

/* Without memory for scratch the run goes without data, as others wait for this rank. */
static int run(struct allfold_prepared *prepared)
{
    allfold_prepared_pack(prepared);
    if (!allfold_prepared_place(prepared, allfold_communicator_sparse(prepared->state)) &&
        prepared->binding.lost == MPI_SUCCESS)
        prepared->binding.lost = MPI_ERR_NO_MEM;
    return allfold_prepared_unpack(prepared, execute(prepared));
}

/* The same where the ranks have synchronized before. */
static int run_measured(struct allfold_prepared *prepared, double *seconds)
{
    const double begin_s = allfold_now_s();
    const int error = run(prepared);
    *seconds = allfold_now_s() - begin_s;
    allfold_notes_apart(prepared->state, *seconds);
    return error;
}

/* Times a call and the native one beside it; each is first every other time. An error is a rank's
 * own, and changes nothing of what the others wait for. */
static int run_sampled(struct allfold_prepared *prepared, uint32_t number)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_caller *caller = allfold_caller_of(prepared->state);
    struct allfold_figures *figures = &prepared->entry->figures;
    struct allfold_call native;
    const bool has_native = allfold_native_beside(&prepared->call, state, &caller->beside,
                                                  &caller->beside_bytes, &native);
    const bool native_first = number % 2 == 0;
    double seconds, native_s = -1;
    if (has_native && native_first)
        native_s = allfold_time_native(&native, state);
    PMPI_Barrier(allfold_communicator_for_collectives(state));
    const int error = run_measured(prepared, &seconds);
    if (has_native && !native_first)
        native_s = allfold_time_native(&native, state);
    if (error != MPI_SUCCESS || native_s < 0 || figures->samples == ALLFOLD_MAX_SAMPLES ||
        !allfold_report_records())
        return error;
    figures->ours_us[figures->samples] = (float)(1e6 * seconds);
    figures->native_us[figures->samples] = (float)(1e6 * native_s);
    figures->samples++;
    return MPI_SUCCESS;
}

/* The bytes of this rank's result where they lie next to each other; 0: they do not, or it has
 * none. */
static size_t result_bytes(const struct allfold_prepared *prepared)
{
    const struct allfold_communicator *state = prepared->state;
    const enum allfold_collective collective = prepared->call.collective;
    const bool has_result = allfold_traits(collective)->has_root
                                ? state->rank == prepared->call.root
                                : allfold_contributors(collective, state->size, state->rank) > 0;
    return has_result && !prepared->to.is_packed
               ? allfold_prepared_own_count(prepared) * prepared->operands.element_bytes
               : 0;
}

/* Of types whose reductions may be inexact: has an element bytes that belong to no value, which a
 * reduction may leave as they were? */
static bool has_padding(MPI_Datatype datatype)
{
    const struct allfold_known_type *known = allfold_basic_type(datatype);
    return known == NULL || known->type == ALLFOLD_DOUBLE_INT ||
           known->type == ALLFOLD_LONG_DOUBLE_INT || known->type == ALLFOLD_LONG_DOUBLE ||
           known->type == ALLFOLD_COMPLEX_LONG_DOUBLE;
}

/* Are the bits of this reduction's results to be compared? Not of exact ones, whose bits never
 * differ, and not of elements with gaps or padding. The answer is the same on all ranks. */
static bool is_compared(const struct allfold_prepared *prepared)
{
    const struct allfold_shape_key *key = &prepared->entry->key;
    return prepared->state->agreed.settings->common.compare_bits && !key->ours_only &&
           !key->exact && allfold_operands_are_contiguous(&prepared->operands) &&
           !has_padding(prepared->call.datatype);
}

/* Is native to be timed beside this call? Then *number is the sample's. */
static bool is_sampled(const struct allfold_prepared *prepared, uint32_t *number)
{
    const struct allfold_communicator *state = prepared->state;
    const struct allfold_shape_key *key = &prepared->entry->key;
    return state->agreed.settings->common.report_compare && !key->ours_only &&
           allfold_sampling_count(&allfold_caller_of(state)->sampling, key, number);
}

/* Makes a call natively first, while its input is as it was, and then compares what it gave. A
 * device's memory is not for us to read, but a copy of ours of the result is. */
static int run_compared(struct allfold_prepared *prepared)
{
    struct allfold_caller *caller = allfold_caller_of(prepared->state);
    struct allfold_figures *figures = &prepared->entry->figures;
    double seconds;
    struct allfold_call native;
    const bool has_native = allfold_native_beside(&prepared->call, prepared->state, &caller->beside,
                                                  &caller->beside_bytes, &native) &&
                            allfold_native(&native) == MPI_SUCCESS;
    const int error = run_measured(prepared, &seconds);
    const size_t bytes = result_bytes(prepared);
    if (error == MPI_SUCCESS && has_native && bytes > 0 && allfold_report_records()) {
        figures->bits_compared++;
        figures->bits_differ += memcmp(native.recvbuf, prepared->binding.out, bytes) != 0;
    }
    return error;
}

/* How often the call called an operation of the program's own, for its row. */
static void note_operation(struct allfold_prepared *prepared)
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

static int run_noted(struct allfold_prepared *prepared)
{
    uint32_t number;
    if (!prepared->state->is_noted)
        return run(prepared);
    allfold_entry_serve(prepared->state, prepared->entry);
    const int error = is_compared(prepared)           ? run_compared(prepared)
                      : is_sampled(prepared, &number) ? run_sampled(prepared, number)
                                                      : run(prepared);
    note_operation(prepared);
    return error;
}

size_t allfold_call_bytes(const struct allfold_call *call, int p)
{
    int element_bytes = 0;
    if (call->datatype != MPI_DATATYPE_NULL)
        PMPI_Type_size(call->datatype, &element_bytes);
    const struct allfold_problem problem = {
        .collective = call->collective, .group = allfold_group_all(p, 0), .count = call->count};
    const size_t elements =
        call->counts != NULL ? allfold_counts_total(call) : allfold_problem_length(&problem);
    return elements * (size_t)element_bytes;
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

static int pass_through(const struct allfold_call *call, const struct allfold_communicator *state,
                        const char *why)
{
    allfold_page_time_call();
    const int error = allfold_native(call);
    if (state->is_noted)
        allfold_notes_serve_native(state, call->collective, call->root,
                                   error == MPI_SUCCESS ? allfold_call_bytes(call, state->size) : 0,
                                   why);
    return error;
}

/* Passes a call through if all ranks do so. A native collective ignores ALLFOLD_TIMEOUT. Where one
 * is set, the ranks therefore synchronize before, under our own watch; those that have compared the
 * call have synchronized. */
static int pass_through_on_all_ranks(const struct allfold_call *call,
                                     const struct allfold_communicator *state, const char *why)
{
    const bool must_synchronize = state->is_watched && !state->agreed.settings->common.check;
    bool all_are_ready = true;
    const int error =
        must_synchronize ? allfold_synchronize(state->carrier.comm, &all_are_ready) : MPI_SUCCESS;
    return error == MPI_SUCCESS ? pass_through(call, state, why) : allfold_raise(call->comm, error);
}

/* The same for a call that is clearly right, and for which native is chosen. */
static int pass_through_chosen(const struct allfold_call *call, struct allfold_communicator *state,
                               const struct allfold_entry *entry)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    struct allfold_call safe;
    const struct allfold_call *passed =
        allfold_native_safe(call, &caller->beside, &caller->beside_bytes, &safe);
    return passed == NULL
               ? allfold_raise(call->comm, MPI_ERR_NO_MEM)
               : pass_through_on_all_ranks(passed, state, allfold_choice_reason(&entry->choice));
}

/* Do the handles of a call stay what they are, and its data lie as they travel? */
static bool has_lasting_handles(const struct allfold_prepared *prepared)
{
    const struct allfold_call *call = &prepared->call;
    const struct allfold_traits *of = allfold_traits(call->collective);
    if (of->reduces)
        return prepared->operands.is_predefined;
    return allfold_is_plain(call->datatype) && !prepared->to.is_packed &&
           (!of->allows_in_place || prepared->in_place || allfold_is_plain(call->send_datatype));
}

/* Remembers the call for those that follow it and differ by their buffers alone, with a copy of the
 * counts of blocks of any lengths; else it keeps no entry. */
static void remember(struct allfold_prepared *prepared, uint64_t *left)
{
    const struct allfold_communicator *state = prepared->state;
    struct allfold_caller *caller = allfold_caller_of(state);
    struct allfold_repeat *repeat = &caller->repeat;
    const struct allfold_traits *of = allfold_traits(prepared->call.collective);
    if (prepared != &caller->prepared || !caller->may_repeat || !has_lasting_handles(prepared) ||
        !allfold_counts_keep(&prepared->call, &prepared->counts, &prepared->counts_bytes)) {
        prepared->entry = NULL;
        return;
    }
    repeat->left = left;
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
           allfold_blocks_are_same(&last->call, call, last->state->size) &&
           (!caller->repeat.has_buffers || has_like_buffers(caller, call));
}

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
static int find_entry(struct allfold_prepared *prepared, const struct allfold_shape_key *key,
                      const struct allfold_guarded *guarded)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_entry **entry = &prepared->entry;
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    *entry = allfold_cache_find(&allfold_caller_of(state)->cache, key);
    if (*entry != NULL)
        return MPI_SUCCESS;
    enum allfold_error error = make_entry(state, key, guarded, entry, message, sizeof message);
    if (error == ALLFOLD_NO_MEMORY) { /* others wait: rather give up what is only kept */
        allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
        error = make_entry(state, key, guarded, entry, message, sizeof message);
    }
    if (error == ALLFOLD_NO_MEMORY)
        return allfold_raise(prepared->call.comm, MPI_ERR_NO_MEM);
    return error == ALLFOLD_OK ? MPI_SUCCESS : allfold_raise_message(prepared->call.comm, message);
}

/* An error in a look of the guard's is no error of the program's call. */
static int end_call(const struct allfold_prepared *prepared, int error)
{
    return allfold_caller_of(prepared->state)->trial != NULL
               ? error
               : allfold_raise(prepared->call.comm, error);
}

static int serve_entry(struct allfold_prepared *prepared)
{
    return prepared->entry->choice.algorithm == NULL
               ? pass_through_chosen(&prepared->call, prepared->state, prepared->entry)
               : end_call(prepared, run_noted(prepared));
}

static allfold_guard_serve serve_trial;

/* A call that was read. */
static int serve_read(struct allfold_prepared *prepared)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_caller *caller = allfold_caller_of(state);
    const struct allfold_shape_key key = allfold_prepared_key(prepared);
    const char *wrong = allfold_communicator_rule_error(state, key.collective);
    struct allfold_guarded *guarded = NULL;
    uint64_t *left = &caller->never;
    int error = MPI_SUCCESS;
    if (wrong != NULL)
        return allfold_raise_message(prepared->call.comm, wrong);
    prepared->entry = caller->trial;
    if (caller->trial == NULL)
        guarded = allfold_guard_count(prepared, &key, &left);
    const bool is_due = allfold_guard_is_due(guarded);
    if (is_due)
        allfold_guard_meet(prepared, guarded, serve_trial);
    if (caller->trial == NULL)
        error = find_entry(prepared, &key, guarded);
    if (error != MPI_SUCCESS)
        return error;
    allfold_guard_open(guarded, prepared->entry);
    const double begin_s = is_due ? allfold_now_s() : 0;
    error = serve_entry(prepared);
    if (is_due) {
        guarded->call_s = allfold_now_s() - begin_s;
        allfold_notes_apart(state, guarded->call_s); /* the ranks have agreed before */
    }
    if (error == MPI_SUCCESS)
        remember(prepared, left);
    else
        prepared->entry = NULL;
    return error;
}

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

/* Reads the call as an exact sum; false if it is not to be served as one. All ranks get the same
 * answer. */
static bool read_sum(struct allfold_prepared *prepared, struct allfold_exact_sum *sum)
{
    const struct allfold_communicator *state = prepared->state;
    const char *why;
    return allfold_exact_is_wanted(&prepared->call, state, prepared->reproducible) &&
           state->carrier.comm != MPI_COMM_NULL && allfold_prepared_read(prepared, &why) &&
           allfold_exact_describe(sum, prepared, &allfold_caller_of(state)->exact);
}

/* A call with a negative count is an error of the MPI library's, which other ranks may get to know
 * where calls are checked. */
static int serve_new(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_exact_sum sum;
    const char *why = state->native_reason[call->collective];
    const bool is_on_all_ranks = why != NULL;
    if (!call->count_is_valid)
        return allfold_native(call);
    prepared->call = *call;
    prepared->entry = NULL;
    prepared->reproducible = allfold_communicator_reproducible(state);
    if (read_sum(prepared, &sum))
        return serve_steps(prepared, &sum);
    int error = allfold_allow_rounding(call, state, prepared->reproducible);
    if (error != MPI_SUCCESS)
        return error;
    if (why == NULL && allfold_prepared_read(prepared, &why))
        return serve_read(prepared);
    if (!allfold_is_doubtful(why))
        error = allfold_allow_native(call, state, prepared->reproducible, why);
    if (error != MPI_SUCCESS)
        return error;
    return (is_on_all_ranks ? pass_through_on_all_ranks : pass_through)(call, state, why);
}

static int serve_again(struct allfold_caller *caller, const struct allfold_call *call)
{
    struct allfold_prepared *last = &caller->prepared;
    struct allfold_entry *entry = last->entry;
    assert(!last->state->is_watched);
    if (--*caller->repeat.left == 0) { /* the guard is due: counted again there */
        *caller->repeat.left = 1;
        return serve_new(last, call);
    }
    if (entry->choice.algorithm == NULL)
        return pass_through_chosen(call, last->state, entry);
    if (caller->repeat.has_buffers) {
        last->binding.in = caller->repeat.has_one_buffer ? call->recvbuf : call->sendbuf;
        last->binding.out = call->recvbuf;
    }
    if (last->state->is_noted)
        allfold_entry_serve(last->state, entry);
    return end_call(last, execute(last));
}

/* A call that the guard makes. It takes the way of the program's calls, whose times it stands for.
 */
static int serve_trial(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_caller *caller = allfold_caller_of(prepared->state);
    return prepared == &caller->prepared && repeats(caller, call) && !allfold_devices_may_be()
               ? serve_again(caller, call)
               : serve_new(prepared, call);
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

/* A private lane costs an agreement, which a short call does not earn back. So a communicator's
 * first call is passed through, if all ranks know alike that native changes no bit of the result
 * and breaks no rule. A program that makes communicators, uses them once and frees them then takes
 * no lane at all. */
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

static int serve_known(struct allfold_communicator *state, const struct allfold_call *call)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    if (repeats(caller, call) && !(allfold_devices_may_be() && allfold_call_is_on_device(call)))
        return serve_again(caller, call);
    if (!state->is_watched)
        return serve_new(&caller->prepared, call);
    struct allfold_watch watch;
    allfold_watch_begin(&watch, state, call->collective);
    int error = state->agreed.settings->common.check
                    ? allfold_check_call(state, call, ALLFOLD_BLOCKING)
                    : MPI_SUCCESS;
    if (error == MPI_SUCCESS)
        error = serve_new(&caller->prepared, call);
    allfold_watch_end(&watch);
    return error;
}

/* The same, and notes the call, which began at these ticks: before the state was made, for which
 * ranks may have waited. With ALLFOLD_PAGE_NO_TICKS the call is not noted, and the clock is read
 * only if the call waits. */
static int serve_noted(struct allfold_communicator *state, const struct allfold_call *call,
                       uint64_t begin)
{
    const bool is_noted = begin != ALLFOLD_PAGE_NO_TICKS;
    allfold_live_enter(call->collective, begin);
    if (is_noted)
        allfold_notes_begin(state,
                            state->agreed.settings->report_sites ? allfold_call_site() : NULL);
    const int error = serve_known(state, call);
    allfold_live_leave();
    if (is_noted)
        allfold_notes_end(state, call->collective, call->root, begin, allfold_ticks());
    return error;
}

int allfold_serve(const struct allfold_call *call)
{
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL)
        return allfold_native(call);
    bool is_new;
    struct allfold_communicator *state = allfold_communicator_known_or_new(call->comm, &is_new);
    if (state == NULL && !call->count_is_valid)
        return allfold_native(call);
    if (is_new && passes_first(call))
        return pass_through_stateless(call, "a communicator's first call, which is short");
    if (state != NULL && !state->is_noted)
        return serve_known(state, call);
    if (state != NULL && state->unnoted > 0) {
        state->unnoted--;
        return serve_noted(state, call, ALLFOLD_PAGE_NO_TICKS);
    }
    const uint64_t begin = allfold_ticks();
    if (state == NULL) {
        allfold_live_enter(call->collective, begin); /* the ranks may wait for each other */
        state = allfold_communicator_of(call->comm);
    }
    if (state == NULL)
        return pass_through_stateless(call, "no memory");
    return state->is_noted ? serve_noted(state, call, begin) : serve_known(state, call);
}

/* --- the communicator's part --- */

static void make_caller(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    const struct allfold_settings *settings = state->agreed.settings; /* NULL: there is no job */
    caller->may_repeat =
        settings != NULL && !allfold_job()->is_watched &&
        !(state->is_noted && (settings->common.report_compare || settings->common.compare_bits));
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
    allfold_free(caller->beside);
    caller->beside = NULL;
    caller->beside_bytes = 0;
    make_caller(state);
}

static void shrink(struct allfold_communicator *state)
{
    enum { LITTLE_BYTES = 64 << 10 };
    struct allfold_caller *caller = allfold_caller_of(state);
    allfold_guard_forget(state, ALLFOLD_COLLECTIVE_COUNT); /* ranks may keep different states */
    caller->sampling = (struct allfold_sampling){.shapes = {{.hash = 0}}};
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
