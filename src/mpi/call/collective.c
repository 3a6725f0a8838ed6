/* One path for all collectives (see collective.h). */
#include "mpi/call/collective.h"

#include <assert.h>
#include <string.h>

#include "mpi/arrivals/arrivals.h"
#include "mpi/call/caller.h"
#include "mpi/call/check.h"
#include "mpi/call/counts.h"
#include "mpi/call/entry.h"
#include "mpi/call/exact.h"
#include "mpi/call/guard.h"
#include "mpi/call/native.h"
#include "mpi/call/request.h"
#include "mpi/handles/type_size.h"
#include "mpi/handles/types.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/live.h"
#include "mpi/report/notes.h"
#include "mpi/report/report.h"
#include "util/memory.h"

/* All that an execution needs, but for where the buffers are. False without memory for scratch: the
 * execution then goes without data, as others wait for this rank. */
static bool bind(struct allfold_communicator *state, struct allfold_entry *entry,
                 struct allfold_binding *binding)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    const struct allfold_elements *elements = &caller->operands.elements;
    allfold_entry_set_sparse(state, allfold_communicator_sparse(state), entry, &caller->operands);
    const size_t scratch_bytes = allfold_executor_place(entry->executor, elements);
    const bool has_room = allfold_reserve(&caller->scratch, &caller->scratch_bytes, scratch_bytes);
    binding->scratch = caller->scratch;
    binding->elements = elements;
    return has_room;
}

/* Contiguous elements are sent through node memory if all ranks know that they are contiguous:
 * predefined operations have predefined types, and broadcasts move bytes. */
static int execute(struct allfold_communicator *state, struct allfold_entry *entry,
                   struct allfold_binding *binding)
{
    const struct allfold_operands *operands = &allfold_caller_of(state)->operands;
    binding->transport = allfold_communicator_begin_run(
        state, operands->travels_as, operands->element_bytes, entry->vector_bytes,
        allfold_operands_are_contiguous(operands));
    const int error = allfold_executor_start(entry->executor, binding);
    if (error != MPI_SUCCESS)
        return error;
    if (!allfold_has_activities() && !state->is_watched)
        return allfold_executor_wait(entry->executor);
    allfold_watch_executor(entry->executor);
    return allfold_wait_executor(entry->executor, state->carrier.comm);
}

static int run(struct allfold_request *request, struct allfold_entry *entry)
{
    struct allfold_binding *binding = &allfold_caller_of(request->state)->repeat.binding;
    binding->lost = allfold_request_pack(request, entry->schedule);
    binding->feed = request->feed;
    if (!bind(request->state, entry, binding) && binding->lost == MPI_SUCCESS)
        binding->lost = MPI_ERR_NO_MEM;
    binding->in = request->in;
    binding->out = request->out;
    const int error = execute(request->state, entry, binding);
    binding->feed = NULL;
    return allfold_request_unpack(request, error);
}

static int run_measured(struct allfold_request *request, struct allfold_entry *entry,
                        double *seconds)
{
    const double begin_s = allfold_now_s();
    const int error = run(request, entry);
    *seconds = allfold_now_s() - begin_s;
    return error;
}

/* Times a call and the native one beside it; each is first every other time. An error is a rank's
 * own, and changes nothing of what the others wait for. */
static int run_sampled(struct allfold_request *request, struct allfold_entry *entry,
                       uint32_t number)
{
    struct allfold_communicator *state = request->state;
    struct allfold_figures *figures = &entry->figures;
    struct allfold_call native;
    const bool has_native = allfold_native_beside(request->call, state, &native);
    const bool native_first = number % 2 == 0;
    double seconds, native_s = -1;
    if (has_native && native_first)
        native_s = allfold_time_native(&native, state);
    PMPI_Barrier(allfold_communicator_for_collectives(state));
    const int error = run_measured(request, entry, &seconds);
    allfold_notes_apart(state, seconds);
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
static size_t result_bytes(const struct allfold_request *request)
{
    const struct allfold_communicator *state = request->state;
    const struct allfold_traits *of = allfold_traits(request->call->collective);
    const bool has_result = of->has_root ? state->rank == request->call->root
                                         : allfold_contributors(request->call->collective,
                                                                state->size, state->rank) > 0;
    return has_result && !request->to.is_packed
               ? allfold_request_own_count(request) * request->operands->element_bytes
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
static bool is_compared(const struct allfold_request *request, const struct allfold_entry *entry)
{
    return request->state->agreed.settings->common.compare_bits && !entry->key.ours_only &&
           !entry->key.exact && allfold_operands_are_contiguous(request->operands) &&
           !has_padding(request->call->datatype);
}

/* Makes a call natively first, while its input is as it was, and then compares what it gave. A
 * device's memory is not for us to read, but a copy of ours of the result is. */
static int run_compared(struct allfold_request *request, struct allfold_entry *entry)
{
    struct allfold_figures *figures = &entry->figures;
    double seconds;
    struct allfold_call native;
    const bool has_native = allfold_native_beside(request->call, request->state, &native) &&
                            allfold_native(&native) == MPI_SUCCESS;
    const int error = run_measured(request, entry, &seconds);
    allfold_notes_apart(request->state, seconds);
    const size_t bytes = result_bytes(request);
    if (error == MPI_SUCCESS && has_native && bytes > 0 && allfold_report_records()) {
        figures->bits_compared++;
        figures->bits_differ += memcmp(native.recvbuf, request->out, bytes) != 0;
    }
    return error;
}

/* How often the call called an operation of the program's own, for its row. */
static void note_operation(const struct allfold_request *request)
{
    struct allfold_operands *operands = request->operands;
    if (operands->op_calls == 0)
        return;
    const struct allfold_sums sums = {.op_calls = (double)operands->op_calls,
                                      .op_bytes = operands->op_bytes};
    allfold_log_add(allfold_notes_of(request->state)->served.row, &sums);
    operands->op_calls = 0;
    operands->op_bytes = 0;
}

static int run_as_set(struct allfold_request *request, struct allfold_entry *entry)
{
    struct allfold_communicator *state = request->state;
    const struct allfold_settings *settings = state->agreed.settings;
    uint32_t number;
    allfold_entry_serve(state, entry);
    if (is_compared(request, entry))
        return run_compared(request, entry);
    return settings->common.report_compare && !entry->key.ours_only &&
                   allfold_sampling_count(&allfold_caller_of(state)->sampling, &entry->key, &number)
               ? run_sampled(request, entry, number)
               : run(request, entry);
}

static int run_noted(struct allfold_request *request, struct allfold_entry *entry)
{
    if (!request->state->is_noted)
        return run(request, entry);
    const int error = run_as_set(request, entry);
    note_operation(request);
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

/* Passes a call through that no communicator's state notes. */
static int pass_through_timed(const struct allfold_call *call, int p, const char *why)
{
    if (!allfold_settings_gather(allfold_settings()))
        return allfold_native(call);
    const double begin_s = allfold_now_s();
    const int error = allfold_native(call);
    const double end_s = allfold_now_s();
    allfold_report_passed(call->collective, NULL, p,
                          error == MPI_SUCCESS ? allfold_call_bytes(call, p) : 0, why, begin_s,
                          end_s);
    return error;
}

static int pass_through_noted(const struct allfold_call *call,
                              const struct allfold_communicator *state, const char *why)
{
    allfold_page_time_call();
    const int error = allfold_native(call);
    if (state->is_noted)
        allfold_notes_serve_native(state, call->collective, call->root,
                                   error == MPI_SUCCESS ? allfold_call_bytes(call, state->size) : 0,
                                   why);
    return error;
}

/* Passes a call through on all ranks alike. A native collective ignores ALLFOLD_TIMEOUT. Where one
 * is set, the ranks therefore synchronize before, under our own watch; those that have compared the
 * call have synchronized. */
static int pass_through(const struct allfold_call *call, const struct allfold_communicator *state,
                        const char *why)
{
    const bool must_synchronize = state->is_watched && !state->agreed.settings->common.check;
    bool all_are_ready = true;
    const int error =
        must_synchronize ? allfold_synchronize(state->carrier.comm, &all_are_ready) : MPI_SUCCESS;
    return error == MPI_SUCCESS ? pass_through_noted(call, state, why)
                                : allfold_raise(call->comm, error);
}

/* The same for a call that is clearly right, and that we chose to pass through. */
static int pass_through_chosen(const struct allfold_call *call, struct allfold_communicator *state,
                               const char *why)
{
    struct allfold_call safe;
    const struct allfold_call *passed = allfold_native_safe(call, state, &safe);
    return passed == NULL ? allfold_raise(call->comm, MPI_ERR_NO_MEM)
                          : pass_through(passed, state, why);
}

/* Do the handles of a call stay what they are, and its data lie as they travel? */
static bool has_lasting_handles(const struct allfold_request *request)
{
    const struct allfold_call *call = request->call;
    const struct allfold_traits *of = allfold_traits(call->collective);
    if (of->reduces)
        return request->operands->is_predefined;
    return allfold_is_plain(call->datatype) &&
           (!of->allows_in_place || request->in_place || allfold_is_plain(call->send_datatype));
}

/* Keeps a copy of the counts of blocks of any lengths. False without memory, or where blocks are
 * not received where they lie. */
static bool keep_blocks(const struct allfold_request *request)
{
    struct allfold_caller *caller = allfold_caller_of(request->state);
    struct allfold_repeat *repeat = &caller->repeat;
    repeat->blocks = *request->call;
    repeat->p = request->state->size;
    return !request->to.is_packed &&
           allfold_counts_keep(&repeat->blocks, &caller->counts, &caller->counts_bytes);
}

/* Remembers a call for those that follow it and differ by their buffers alone. Where a report
 * compares, some of those are sampled. */
static void remember(struct allfold_request *request, struct allfold_entry *entry, uint64_t *left)
{
    struct allfold_communicator *state = request->state;
    const struct allfold_call *call = request->call;
    struct allfold_caller *caller = allfold_caller_of(state);
    struct allfold_repeat *repeat = &caller->repeat;
    const struct allfold_traits *of = allfold_traits(call->collective);
    const struct allfold_common_settings *settings = &state->agreed.settings->common;
    if (state->is_watched ||
        (state->is_noted && (settings->report_compare || settings->compare_bits)) ||
        !has_lasting_handles(request) || !keep_blocks(request))
        return;
    repeat->left = left;
    repeat->entry = entry;
    repeat->collective = call->collective;
    repeat->root = call->root;
    repeat->count = call->count;
    repeat->send_count = call->send_count;
    repeat->datatype = call->datatype;
    repeat->send_datatype = call->send_datatype;
    repeat->op = call->op;
    repeat->in_place = request->in_place;
    repeat->has_buffers = !of->may_repeat;
    repeat->has_one_buffer = !of->reduces && !of->allows_in_place;
    repeat->own_bytes = !of->out_is_blocks        ? 0
                        : request->begins != NULL ? (ptrdiff_t)request->begins[state->rank]
                                                  : state->rank * (ptrdiff_t)request->count;
}

/* Are the buffers of a call clearly right, and in place as the last one's were? */
static bool has_like_buffers(const struct allfold_repeat *last, const struct allfold_call *call)
{
    if (last->has_one_buffer)
        return call->recvbuf != NULL && call->recvbuf != MPI_IN_PLACE;
    return call->sendbuf != NULL && call->recvbuf != NULL && call->sendbuf != call->recvbuf &&
           call->sendbuf != (const char *)call->recvbuf + last->own_bytes &&
           call->recvbuf != MPI_IN_PLACE && last->in_place == (call->sendbuf == MPI_IN_PLACE);
}

/* Is a call like the last one? */
static bool repeats(const struct allfold_repeat *last, const struct allfold_call *call)
{
    return last->entry != NULL && last->count == call->count && last->op == call->op &&
           last->datatype == call->datatype && last->collective == call->collective &&
           last->root == call->root && last->send_count == call->send_count &&
           last->send_datatype == call->send_datatype &&
           allfold_blocks_are_same(&last->blocks, call, last->p) &&
           (!last->has_buffers || has_like_buffers(last, call));
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

/* The entry of a call's shape. An error is raised, and its code returned. */
static int find_entry(const struct allfold_request *request, const struct allfold_shape_key *key,
                      const struct allfold_guarded *guarded, struct allfold_entry **entry)
{
    struct allfold_communicator *state = request->state;
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
        return allfold_raise(request->call->comm, MPI_ERR_NO_MEM);
    return error == ALLFOLD_OK ? MPI_SUCCESS : allfold_raise_message(request->call->comm, message);
}

/* An error in a look of the guard's is no error of the program's call. */
static int end_call(const struct allfold_communicator *state, const struct allfold_call *call,
                    int error)
{
    return allfold_caller_of(state)->trial != NULL ? error : allfold_raise(call->comm, error);
}

static int serve_entry(struct allfold_request *request, struct allfold_entry *entry)
{
    const struct allfold_call *call = request->call;
    if (entry->choice.algorithm == NULL)
        return pass_through_chosen(call, request->state, allfold_choice_reason(&entry->choice));
    return end_call(request->state, call, run_noted(request, entry));
}

static int serve_trial(struct allfold_communicator *state, const struct allfold_call *call);

static int serve(struct allfold_request *request)
{
    struct allfold_communicator *state = request->state;
    const struct allfold_call *call = request->call;
    const struct allfold_shape_key key = allfold_request_key(request);
    struct allfold_entry *entry;
    const char *wrong = allfold_communicator_rule_error(state, call->collective);
    if (wrong != NULL)
        return allfold_raise_message(call->comm, wrong);
    struct allfold_caller *caller = allfold_caller_of(state);
    uint64_t *left = &caller->never;
    if (caller->trial != NULL) {
        const int error = serve_entry(request, caller->trial);
        if (error == MPI_SUCCESS)
            remember(request, caller->trial, left);
        return error;
    }
    struct allfold_guarded *guarded = allfold_guard_count(state, &key, &left);
    const bool is_due = allfold_guard_is_due(guarded);
    if (is_due)
        allfold_guard_meet(request, guarded, serve_trial);
    int error = find_entry(request, &key, guarded, &entry);
    if (error != MPI_SUCCESS)
        return error;
    allfold_guard_open(guarded, entry);
    const double begin_s = is_due ? allfold_now_s() : 0;
    error = serve_entry(request, entry);
    if (is_due) {
        guarded->call_s = allfold_now_s() - begin_s;
        allfold_notes_apart(state, guarded->call_s); /* the ranks have agreed before */
    }
    if (error == MPI_SUCCESS)
        remember(request, entry, left);
    return error;
}

static int serve_new(struct allfold_communicator *state, const struct allfold_call *call)
{
    const char *why = state->native_reason[call->collective];
    if (why != NULL) {
        const int error = allfold_allow_native(call, state, allfold_reproducible_of(state), why);
        return error == MPI_SUCCESS ? pass_through(call, state, why) : error;
    }
    struct allfold_request request = allfold_request_of(call, state);
    if (allfold_request_read(&request, &why))
        return serve(&request);
    const int error = allfold_request_is_doubtful(why)
                          ? MPI_SUCCESS
                          : allfold_allow_native(call, state, allfold_reproducible_of(state), why);
    return error == MPI_SUCCESS ? pass_through_noted(call, state, why) : error;
}

static int serve_again(struct allfold_communicator *state, const struct allfold_call *call)
{
    struct allfold_repeat *last = &allfold_caller_of(state)->repeat;
    assert(!state->is_watched);
    if (--*last->left == 0) { /* the guard is due: counted again there */
        *last->left = 1;
        last->entry = NULL;
        return serve_new(state, call);
    }
    if (last->entry->choice.algorithm == NULL)
        return pass_through_chosen(call, state, allfold_choice_reason(&last->entry->choice));
    if (last->has_buffers) {
        last->binding.in = last->has_one_buffer ? call->recvbuf : call->sendbuf;
        last->binding.out = call->recvbuf;
    }
    if (state->is_noted)
        allfold_entry_serve(state, last->entry);
    return end_call(state, call, execute(state, last->entry, &last->binding));
}

/* A call that the guard makes. It takes the way of the program's calls, whose times it stands for.
 */
static int serve_trial(struct allfold_communicator *state, const struct allfold_call *call)
{
    const struct allfold_repeat *repeat = &allfold_caller_of(state)->repeat;
    return repeats(repeat, call) && !allfold_devices_may_be() ? serve_again(state, call)
                                                              : serve_new(state, call);
}

static int serve_watched(struct allfold_communicator *state, const struct allfold_call *call)
{
    struct allfold_watch watch;
    int error = MPI_SUCCESS;
    allfold_watch_begin(&watch, state, call->collective);
    if (state->agreed.settings->common.check)
        error = allfold_check_call(state, call, ALLFOLD_BLOCKING);
    if (error == MPI_SUCCESS)
        error = call->count_is_valid ? serve_new(state, call) : allfold_native(call);
    allfold_watch_end(&watch);
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

/* A private lane costs an agreement, which a short call does not earn back. So a communicator's
 * first call is passed through, if all ranks know alike that native changes no bit of the result
 * and breaks no rule. A program that makes communicators, uses them once and frees them then takes
 * no lane at all. */
static bool passes_first(const struct allfold_call *call, int *p)
{
    const struct allfold_settings *settings = allfold_job()->agreed.settings;
    const enum allfold_collective collective = call->collective;
    return allfold_job()->native_reason == NULL && !allfold_traits(collective)->has_root &&
           !allfold_job()->is_shared && !settings->verbose &&
           settings->rules[collective].count == 0 && *settings->rule_error[collective] == '\0' &&
           PMPI_Comm_size(call->comm, p) == MPI_SUCCESS && is_short_and_exact(call, *p) &&
           allfold_communicator_pass_first(call->comm);
}

/* A call with a negative count is an error of the MPI library's, which other ranks may get to know
 * where calls are checked. */
static int serve_known(struct allfold_communicator *state, const struct allfold_call *call)
{
    struct allfold_repeat *repeat = &allfold_caller_of(state)->repeat;
    int error;
    if (!call->count_is_valid)
        return state->is_watched ? serve_watched(state, call) : allfold_native(call);
    if (repeats(repeat, call) && !(allfold_devices_may_be() && allfold_request_is_on_device(call)))
        return serve_again(state, call);
    repeat->entry = NULL;
    if (allfold_exact_serve(call, state, serve_known, &error))
        return error;
    error = allfold_allow_rounding(call, state, allfold_reproducible_of(state));
    if (error != MPI_SUCCESS)
        return error;
    return state->is_watched ? serve_watched(state, call) : serve_new(state, call);
}

/* The same, with a note of it. What it took to make the state, in which ranks may wait, is the
 * call's. */
static int serve_noted(struct allfold_communicator *state, const struct allfold_call *call,
                       uint64_t begin)
{
    allfold_live_enter(begin);
    allfold_notes_begin(state, state->agreed.settings->report_sites ? allfold_call_site() : NULL);
    const int error = serve_known(state, call);
    allfold_live_leave();
    allfold_notes_end(state, call->collective, call->root, begin, allfold_ticks());
    return error;
}

/* The same for a call that no note is made of. Nobody reads the clock, unless the call waits. */
static int serve_unnoted(struct allfold_communicator *state, const struct allfold_call *call)
{
    state->unnoted--;
    allfold_live_enter(ALLFOLD_PAGE_NO_TICKS);
    const int error = serve_known(state, call);
    allfold_live_leave();
    return error;
}

int allfold_serve(const struct allfold_call *call)
{
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL)
        return allfold_native(call);
    bool is_new;
    struct allfold_communicator *state = allfold_communicator_known_or_new(call->comm, &is_new);
    int p;
    if (state == NULL && !call->count_is_valid)
        return allfold_native(call);
    if (is_new && passes_first(call, &p))
        return pass_through_timed(call, p, "a communicator's first call, which is short");
    if (state != NULL && !state->is_noted)
        return serve_known(state, call);
    if (state != NULL && state->unnoted > 0)
        return serve_unnoted(state, call);
    const uint64_t begin = allfold_ticks();
    if (state == NULL)
        state = allfold_communicator_of(call->comm);
    if (state == NULL)
        return pass_through_timed(call, 0, "no memory");
    return state->is_noted ? serve_noted(state, call, begin) : serve_known(state, call);
}

/* --- the communicator's part --- */

static void change_rules(struct allfold_communicator *state, enum allfold_collective collective)
{
    allfold_caller_of(state)->repeat.entry = NULL;
    if (collective == ALLFOLD_COLLECTIVE_COUNT) /* the choices stay */
        return;
    allfold_guard_forget(state, collective);
    allfold_entries_drop(state, collective);
}

static void shrink(struct allfold_communicator *state)
{
    enum { LITTLE_BYTES = 64 << 10 };
    struct allfold_caller *caller = allfold_caller_of(state);
    const bool is_little = caller->cache.bytes <= LITTLE_BYTES &&
                           caller->scratch_bytes + caller->packed_bytes + caller->beside_bytes +
                                   caller->operands.lowered_bytes <=
                               LITTLE_BYTES;
    allfold_staging_free(&caller->staging);
    allfold_feeding_free(&caller->feeding);
    allfold_exact_free(&caller->exact);
    allfold_guard_forget(state, ALLFOLD_COLLECTIVE_COUNT); /* ranks may keep different states */
    caller->sampling = (struct allfold_sampling){.shapes = {{.hash = 0}}};
    if (is_little)
        return;
    caller->repeat.entry = NULL; /* it knows the scratch memory */
    allfold_entries_shrink(state, LITTLE_BYTES);
    if (caller->cache.pool.chunk_bytes > 2 * LITTLE_BYTES)
        allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
    allfold_free(caller->scratch);
    allfold_free(caller->packed);
    allfold_free(caller->beside);
    allfold_free(caller->counts);
    allfold_free(caller->operands.lowered);
    caller->scratch = caller->packed = caller->beside = caller->counts = NULL;
    caller->operands.lowered = NULL;
    caller->scratch_bytes = caller->packed_bytes = caller->beside_bytes = caller->counts_bytes =
        caller->operands.lowered_bytes = 0;
}

static void free_caller(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    allfold_guard_forget(state, ALLFOLD_COLLECTIVE_COUNT);
    allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
    allfold_staging_free(&caller->staging);
    allfold_feeding_free(&caller->feeding);
    allfold_exact_free(&caller->exact);
    allfold_free(caller->operands.lowered);
    allfold_free(caller->scratch);
    allfold_free(caller->packed);
    allfold_free(caller->beside);
    allfold_free(caller->counts);
}

const struct allfold_part allfold_part_call = {
    .bytes = sizeof(struct allfold_caller),
    .rank_bytes = 2 * sizeof(size_t), /* caller->begins */
    .change_rules = change_rules,
    .shrink = shrink,
    .close = free_caller,
};
