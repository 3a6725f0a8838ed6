/* Plans: make, launch, start, wait and release (see plan.h).
 *
 * Making a plan is collective. Before any rank has a plan, all ranks agree on a lane that is free
 * on all of them, and whether each has all that it needs.
 *
 * Invariant: a plan is an activity in flight if and only if it is RUNNING. Then it is the only
 * running plan of its lane, if it has a lane. Plans that are WAITING are in the lane's queue, which
 * is empty if no plan runs. The k-th nonblocking call on a communicator has the same lane on all
 * ranks, whatever happens to it. A call with a negative count starts nothing and is not counted, so
 * the rank may repeat it with the right count. */
#include "mpi/plan/plan.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "mpi/arrivals/missing_ranks.h"
#include "mpi/call/check.h"
#include "mpi/call/block_counts.h"
#include "mpi/call/entry.h"
#include "mpi/plan/exact_plan.h"
#include "mpi/call/native.h"
#include "mpi/call/run.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_times.h"
#include "util/memory.h"

/* --- what a program may ask for --- */

static const struct allfold_plan_options no_options = {.rules = NULL};

static enum allfold_reproducible mode_of(const struct allfold_plan_options *options,
                                         const struct allfold_communicator *state)
{
    return options->has_hints && options->hints.reproducible != ALLFOLD_REPRODUCIBLE_UNSET
               ? options->hints.reproducible
               : allfold_communicator_reproducible(state);
}

static int allow_rounding(const struct allfold_call *call,
                          const struct allfold_plan_options *options,
                          const struct allfold_communicator *state)
{
    const enum allfold_reproducible mode = mode_of(options, state);
    return options->reduce == NULL && allfold_exact_is_wanted(call, state, mode)
               ? MPI_SUCCESS
               : allfold_allow_rounding(call, state, mode);
}

/* Gives back all that a plan has, but its own memory and the state. */
static void strip(struct allfold_plan *plan)
{
    if (plan->prepared.lane != NULL && plan->is_persistent)
        plan->prepared.lane->is_taken = false;
    allfold_run_drop(&plan->prepared);
    allfold_prepared_free(&plan->prepared);
}

static const struct allfold_activity_kind kind;

/* A plan without what makes it run; it retains the state. */
static enum allfold_error set_up(struct allfold_plan *plan, const struct allfold_call *call,
                                 const struct allfold_plan_options *options,
                                 struct allfold_communicator *state)
{
    *plan = (struct allfold_plan){
        .activity = {.kind = &kind},
        .status = ALLFOLD_PLAN_IDLE,
        .native = MPI_REQUEST_NULL,
        .prepared = {.state = state,
                     .reproducible = mode_of(options, state),
                     .sparse = options->has_hints ? options->hints.sparse : ALLFOLD_SPARSE_UNSET},
        .first_sendbuf = call->sendbuf,
        .first_recvbuf = call->recvbuf,
        .options = *options,
        .note = {.event = {.row = ALLFOLD_NO_ROW}}};
    allfold_communicator_retain(state);
    return allfold_prepared_describe(&plan->prepared, call) ? ALLFOLD_OK : ALLFOLD_NO_MEMORY;
}

/* Elements of the program's own, which its own function reduces. */
static void use_own_elements(const struct allfold_plan_options *options,
                             struct allfold_operands *operands)
{
    operands->element_bytes = options->element_bytes;
    operands->travels_as = options->travels_as;
    operands->exact = false;
    operands->may_be_sparse = false;
    operands->elements.extent_bytes = (ptrdiff_t)options->element_bytes;
    operands->elements.high_bytes = (ptrdiff_t)options->element_bytes;
    operands->elements.reduce = options->reduce;
}

/* Reads a plan's call. Returns false if Allfold does not handle it. */
static bool read_call(const struct allfold_plan_options *options, struct allfold_prepared *prepared)
{
    const char *why;
    if (!allfold_prepared_read(prepared, &why))
        return false;
    if (options->reduce != NULL)
        use_own_elements(options, &prepared->operands);
    return true;
}

/* Reads the call that was described, and makes entry and scratch. First for the communicator's
 * sparse mode, so that it takes no memory to come back to that. ALLFOLD_OK without an entry: it is
 * to be native. */
static enum allfold_error prepare(const struct allfold_plan_options *options,
                                  struct allfold_prepared *prepared, char *message,
                                  size_t message_bytes)
{
    const struct allfold_communicator *state = prepared->state;
    const enum allfold_sparse_mode sparse = prepared->sparse;
    if (!read_call(options, prepared))
        return ALLFOLD_OK;
    const bool is_exact = options->reduce == NULL &&
                          allfold_exact_is_wanted(&prepared->call, state, prepared->reproducible);
    const enum allfold_error error = (is_exact ? allfold_exact_make : allfold_prepared_make)(
        prepared, options->rules, message, message_bytes);
    if (error != ALLFOLD_OK ||
        (allfold_prepared_place(prepared, allfold_communicator_sparse(state)) &&
         (sparse == ALLFOLD_SPARSE_UNSET || allfold_prepared_place(prepared, sparse))))
        return error;
    snprintf(message, message_bytes, "no memory");
    return ALLFOLD_NO_MEMORY;
}

/* Sets the lane of the plan's messages. */
static void set_lane(struct allfold_plan *plan, struct allfold_lane *lane)
{
    assert(plan->activity.link == NULL);
    plan->prepared.lane = lane;
    plan->is_in_memory = lane->shared != NULL && plan->prepared.state->carrier.is_whole &&
                         allfold_operands_are_contiguous(&plan->prepared.operands);
}

/* --- for another mode --- */

void allfold_plan_remake(const struct allfold_plan *plan, enum allfold_reproducible mode,
                         struct allfold_prepared *made, char *message, size_t message_bytes)
{
    const struct allfold_prepared *prepared = &plan->prepared;
    *made = (struct allfold_prepared){.state = prepared->state,
                                      .reproducible =
                                          mode != ALLFOLD_REPRODUCIBLE_UNSET
                                              ? mode
                                              : allfold_communicator_reproducible(prepared->state),
                                      .sparse = prepared->sparse,
                                      .lane = prepared->lane};
    const bool is_ready = allfold_prepared_describe(made, &prepared->call) &&
                          prepare(&plan->options, made, message, message_bytes) == ALLFOLD_OK &&
                          made->entry != NULL;
    if (!is_ready && message[0] == '\0')
        snprintf(message, message_bytes, "no memory, or the plan would be native");
}

void allfold_plan_remade(struct allfold_plan *plan, struct allfold_prepared *made, bool is_kept)
{
    struct allfold_prepared *lost = is_kept ? &plan->prepared : made;
    allfold_run_drop(lost);
    allfold_prepared_free(lost);
    if (is_kept)
        allfold_run_move(&plan->prepared, made);
}

/* --- running --- */

static void settle(struct allfold_plan *plan, int code);

#ifndef NDEBUG
/* Checks that the plan is in the lists that its status requires. The caller holds the mutex of
 * progress.h. */
static bool is_in_place(const struct allfold_plan *plan)
{
    const bool is_running = plan->status == ALLFOLD_PLAN_RUNNING;
    const bool has_lane = plan->prepared.lane != NULL && plan->prepared.lane->running == plan;
    return is_running == (plan->activity.link != NULL) &&
           has_lane == (is_running && plan->prepared.lane != NULL);
}
#endif

static int begin(struct allfold_plan *plan)
{
    struct allfold_lane *lane = plan->prepared.lane;
    if (plan->check != NULL)
        return MPI_SUCCESS; /* its data moves later */
    if (plan->prepared.entry == NULL)
        return allfold_native_start(&plan->prepared.call, &plan->native);
    plan->run = lane->roll.run + 1;
    allfold_roll_arrive(plan->prepared.state, &lane->roll, plan->run);
    if (lane->is_broken)
        return MPI_ERR_OTHER; /* messages that an earlier run left in the lane must not be received
                                 by this one */
    return allfold_run_start(&plan->prepared);
}

static void run(struct allfold_plan *plan)
{
    plan->status = ALLFOLD_PLAN_RUNNING;
    allfold_activity_add(&plan->activity);
    plan->run = 0;
    if (plan->prepared.lane != NULL) {
        assert(plan->prepared.lane->running == NULL);
        plan->prepared.lane->running = plan;
    }
    assert(is_in_place(plan));
    const int code = begin(plan);
    if (code != MPI_SUCCESS)
        settle(plan, code);
}

/* The next one that waits on the lane. */
static void run_next(struct allfold_lane *lane)
{
    struct allfold_plan *next = lane->waiting;
    lane->running = NULL;
    if (next == NULL)
        return;
    assert(next->status == ALLFOLD_PLAN_WAITING);
    lane->waiting = next->next;
    if (next->next == NULL)
        lane->last = &lane->waiting;
    run(next);
}

static void settle(struct allfold_plan *plan, int code)
{
    struct allfold_lane *lane = plan->prepared.lane;
    assert(is_in_place(plan));
    allfold_activity_remove(&plan->activity);
    plan->code = code;
    allfold_plan_note_end(&plan->note);
    if (lane != NULL) {
        lane->is_broken |= code != MPI_SUCCESS && plan->run > 0 &&
                           allfold_executor_was_given_up(allfold_run_executor(&plan->prepared));
        run_next(lane);
    }
    /* last: another thread that sees it may free the plan */
    atomic_store_explicit(&plan->status, ALLFOLD_PLAN_ENDED, memory_order_release);
}

/* As far as it goes without waiting. */
static void advance(struct allfold_activity *activity)
{
    struct allfold_plan *plan = (struct allfold_plan *)activity;
    int has_ended = 0, code = MPI_SUCCESS;
    bool is_done = false;
    if (plan->check != NULL) {
        if (!allfold_check_test(&plan->check, &code))
            return;
        if (code == MPI_SUCCESS)
            code = begin(plan);
    } else if (plan->prepared.entry == NULL) {
        code = PMPI_Test(&plan->native, &has_ended, MPI_STATUS_IGNORE);
    } else {
        code = allfold_run_test(&plan->prepared, &is_done);
    }
    if (is_done || has_ended || code != MPI_SUCCESS)
        settle(plan, code);
}

/* Ranks that are late for the run may be asked whether they have arrived; in the node's memory
 * everybody sees it. */
static void rest(struct allfold_activity *activity)
{
    const struct allfold_plan *plan = (const struct allfold_plan *)activity;
    if (plan->prepared.entry != NULL && !plan->is_in_memory)
        allfold_roll_call_answer(plan->prepared.state);
}

static const struct allfold_activity_kind kind = {.advance = advance, .rest = rest};

/* Starts a run of an idle plan, whose data is packed, or queues it on its lane. */
static void start_run(struct allfold_plan *plan)
{
    struct allfold_lane *lane = plan->prepared.lane;
    assert(plan->status == ALLFOLD_PLAN_IDLE);
    allfold_progress_lock();
    if (lane == NULL || lane->running == NULL) {
        run(plan);
    } else {
        plan->status = ALLFOLD_PLAN_WAITING;
        plan->next = NULL;
        *lane->last = plan;
        lane->last = &plan->next;
    }
    allfold_progress_unlock();
}

/* Returns whether nothing else can advance, and no message goes through MPI: then the executor's
 * own wait is the shortest path. */
static bool is_alone(const struct allfold_plan *plan)
{
    return plan->is_in_memory && plan->prepared.exact == NULL && plan->check == NULL &&
           allfold_is_only_activity(&plan->activity) && plan->prepared.lane->waiting == NULL;
}

/* Goes on until the plan has ended or `deadline_s` (of allfold_now_s) is past; negative: for ever;
 * 0: one round. Returns whether it has ended. */
static bool wait_until(struct allfold_plan *plan, double deadline_s)
{
    if (deadline_s < 0 && is_alone(plan)) {
        settle(plan, allfold_executor_wait(plan->prepared.entry->executor));
        return true;
    }
    for (unsigned times = 0;; times++) {
        allfold_progress();
        if (allfold_plan_has_ended(plan))
            return true;
        if (deadline_s >= 0 && (deadline_s == 0 || allfold_now_s() >= deadline_s))
            return false;
        allfold_rest(times, plan->prepared.state->carrier.comm);
    }
}

/* The lane of that number, and the first one that no plan has. Others may look at them. */
static struct allfold_lane *get_lane(struct allfold_communicator *state, int number)
{
    allfold_progress_lock();
    struct allfold_lane *lane = allfold_lane_get(&allfold_planner_of(state)->lanes, number, state);
    allfold_progress_unlock();
    return lane;
}

static int find_free_lane(struct allfold_communicator *state, int from)
{
    allfold_progress_lock();
    const int number = allfold_lane_free_from(&allfold_planner_of(state)->lanes, from);
    allfold_progress_unlock();
    return number;
}

MPI_Comm allfold_plan_comm(const struct allfold_plan *plan)
{
    return plan->prepared.state->is_orphan ? MPI_COMM_WORLD : plan->prepared.state->user;
}

/* The end of a run, as the program sees it. */
static int finish(struct allfold_plan *plan)
{
    int code = plan->code;
    allfold_plan_note_seen(&plan->note);
    if (plan->prepared.entry != NULL)
        code = allfold_prepared_unpack(&plan->prepared, code);
    plan->status = plan->code == MPI_SUCCESS ? ALLFOLD_PLAN_IDLE : ALLFOLD_PLAN_BROKEN;
    const bool is_said = plan->prepared.entry == NULL; /* by the MPI library */
    return is_said ? code : allfold_raise(allfold_plan_comm(plan), code);
}

int allfold_plan_start(struct allfold_plan *plan)
{
    const struct allfold_plan_note note = allfold_plan_note_start(
        plan->prepared.state, plan->prepared.entry,
        plan->is_persistent ? allfold_mode_persistent : allfold_mode_nonblocking,
        &plan->prepared.call);
    plan->note = note;
    if (plan->prepared.entry != NULL)
        allfold_prepared_pack(&plan->prepared);
    start_run(plan);
    allfold_plan_note_started(&plan->note);
    return plan->status == ALLFOLD_PLAN_ENDED && plan->code != MPI_SUCCESS ? finish(plan)
                                                                           : MPI_SUCCESS;
}

/* On this rank, in a call of the plan's shape. */
static bool lies_in_place(const struct allfold_plan *plan, const struct allfold_call *call)
{
    const struct allfold_traits *of = allfold_traits(call->collective);
    const bool has_result =
        allfold_is_holder(of->out_holders, plan->prepared.state->rank == call->root);
    if (!of->allows_in_place || !has_result)
        return false;
    return call->sendbuf == MPI_IN_PLACE || (call->count > 0 && call->sendbuf == call->recvbuf);
}

/* Gives an idle plan other buffers. Returns what is wrong, or NULL; if something is wrong, the plan
 * keeps its buffers. */
static const char *bind(struct allfold_plan *plan, const void *sendbuf, void *recvbuf)
{
    struct allfold_prepared *prepared = &plan->prepared;
    struct allfold_call *call = &prepared->call;
    const struct allfold_traits *of = allfold_traits(call->collective);
    const struct allfold_call before = *call;
    const char *wrong = NULL;
    if (of->allows_in_place)
        call->sendbuf = sendbuf;
    if (!of->may_repeat)
        call->recvbuf = recvbuf;
    if (call->sendbuf == before.sendbuf && call->recvbuf == before.recvbuf)
        return NULL;
    const bool is_in_place = lies_in_place(plan, &before);
    if (lies_in_place(plan, call) != is_in_place)
        wrong = is_in_place ? "the plan was made in place: its input must be MPI_IN_PLACE"
                            : "the plan was not made in place: its input needs a buffer of its own";
    else if (prepared->entry != NULL && !allfold_prepared_take_buffers(prepared))
        wrong = "a buffer is NULL, or MPI_IN_PLACE where it cannot be";
    if (wrong != NULL) {
        *call = before;
        if (prepared->entry != NULL)
            allfold_prepared_take_buffers(prepared);
    }
    return wrong;
}

int allfold_plan_start_on(struct allfold_plan *plan, const void *sendbuf, void *recvbuf)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *wrong = bind(plan, sendbuf, recvbuf);
    if (wrong == NULL)
        return allfold_plan_start(plan);
    snprintf(message, sizeof message, "allfold_start_on: %s", wrong);
    return allfold_raise_message(allfold_plan_comm(plan), message);
}

int allfold_plan_wait(struct allfold_plan *plan, int timeout_ms, bool *is_done)
{
    const double deadline_s = timeout_ms > 0 ? allfold_now_s() + 1e-3 * timeout_ms : timeout_ms;
    const bool awaits = timeout_ms != ALLFOLD_TEST && allfold_plan_is_noted(plan->prepared.state);
    if (awaits)
        allfold_await_begin();
    *is_done = wait_until(plan, deadline_s);
    if (awaits)
        allfold_await_end();
    return *is_done ? finish(plan) : MPI_SUCCESS;
}

const char *allfold_plan_fault(const struct allfold_plan *plan, enum allfold_plan_status wanted)
{
    static const char in_flight[] = "the plan is in flight: wait for it first (allfold_wait)";
    if (plan == NULL)
        return "the plan is NULL";
    const enum allfold_plan_status status = plan->status; /* clang switches over no atomic one */
    switch (status) {
    case ALLFOLD_PLAN_FREED:
        return "the plan is freed already";
    case ALLFOLD_PLAN_IDLE:
        if (wanted == ALLFOLD_PLAN_RUNNING)
            return "the plan is not in flight: start it first (allfold_start)";
        return wanted == ALLFOLD_PLAN_IDLE && plan->prepared.state->is_orphan &&
                       plan->prepared.entry == NULL
                   ? "the MPI library serves the plan, and its communicator is freed: free the "
                     "plan, too"
                   : NULL;
    case ALLFOLD_PLAN_BROKEN:
        return wanted != ALLFOLD_PLAN_FREED
                   ? "the plan failed in its last run: free it and make another one"
                   : NULL;
    default:
        return wanted != ALLFOLD_PLAN_RUNNING ? in_flight : NULL;
    }
}

int allfold_plan_expect(const struct allfold_plan *plan, enum allfold_plan_status status,
                        const char *function)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *wrong = allfold_plan_fault(plan, status);
    if (wrong == NULL)
        return MPI_SUCCESS;
    if (!allfold_mpi_is_up())
        return MPI_ERR_OTHER;
    const bool has_comm = plan != NULL && plan->status != ALLFOLD_PLAN_FREED;
    snprintf(message, sizeof message, "%s: %s", function, wrong);
    return allfold_raise_message(has_comm ? allfold_plan_comm(plan) : MPI_COMM_WORLD, message);
}

/* --- plans of nonblocking calls: each is kept for the next call like it --- */

enum { MOST_FREE = 16 };

/* Any thread may complete a call that another one has started, and so give its plan back. */
static pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;

static void drop(struct allfold_plan **at)
{
    struct allfold_plan *plan = *at;
    assert(plan->status == ALLFOLD_PLAN_IDLE);
    *at = plan->next;
    allfold_planner_of(plan->prepared.state)->free_count--;
    strip(plan);
    allfold_plan_give_memory(plan);
}

void allfold_plans_drop_free(struct allfold_communicator *state)
{
    struct allfold_planner *planner = allfold_planner_of(state);
    pthread_mutex_lock(&free_mutex);
    while (planner->free_plans != NULL)
        drop(&planner->free_plans);
    assert(planner->free_count == 0);
    pthread_mutex_unlock(&free_mutex);
}

/* Puts a plan of a nonblocking call on the free list, for a call of the same shape. Returns false
 * if it cannot be reused. */
static bool keep(struct allfold_plan *plan)
{
    struct allfold_communicator *state = plan->prepared.state;
    struct allfold_planner *planner = allfold_planner_of(state);
    if (plan->is_persistent || plan->prepared.entry == NULL || plan->status != ALLFOLD_PLAN_IDLE ||
        state->is_orphan)
        return false;
    pthread_mutex_lock(&free_mutex);
    plan->next = planner->free_plans;
    planner->free_plans = plan;
    if (++planner->free_count > MOST_FREE) {
        struct allfold_plan **oldest = &planner->free_plans;
        while ((*oldest)->next != NULL)
            oldest = &(*oldest)->next;
        drop(oldest);
    }
    pthread_mutex_unlock(&free_mutex);
    allfold_communicator_release(state);
    return true;
}

void allfold_plan_release(struct allfold_plan *plan)
{
    struct allfold_communicator *state = plan->prepared.state;
    if (keep(plan))
        return;
    strip(plan);
    allfold_plan_give_memory(plan);
    allfold_communicator_release(state);
}

static bool is_like(const struct allfold_plan *plan, const struct allfold_call *call,
                    const struct allfold_plan_options *options)
{
    const struct allfold_call *last = &plan->prepared.call;
    return allfold_calls_are_alike(last, call) && plan->options.rules == options->rules &&
           plan->options.reduce == options->reduce &&
           plan->options.element_bytes == options->element_bytes &&
           lies_in_place(plan, last) == lies_in_place(plan, call) &&
           allfold_counts_are_same(last, call, plan->prepared.state->size);
}

/* Returns whether a plan can be reused for its call, which has changed. */
static bool fits(struct allfold_plan *plan)
{
    struct allfold_prepared *prepared = &plan->prepared;
    const struct allfold_call call = prepared->call;
    if (!allfold_prepared_describe(prepared, &call) || !read_call(&plan->options, prepared))
        return false;
    if (prepared->exact != NULL)
        return allfold_exact_serves(prepared->exact);
    const struct allfold_shape_key key = allfold_prepared_key(prepared);
    return allfold_is_same_shape(&key, &prepared->entry->key) &&
           allfold_prepared_place(prepared, prepared->sparse);
}

/* A plan that served such a call before, with this one's buffers; or NULL. */
static struct allfold_plan *take_free(struct allfold_communicator *state,
                                      const struct allfold_call *call,
                                      const struct allfold_plan_options *options)
{
    struct allfold_planner *planner = allfold_planner_of(state);
    struct allfold_plan **at = &planner->free_plans;
    while (*at != NULL && !is_like(*at, call, options))
        at = &(*at)->next;
    struct allfold_plan *plan = *at;
    if (plan == NULL)
        return NULL;
    plan->prepared.call = *call;
    plan->options = *options;
    if (!fits(plan)) {
        drop(at); /* the handles mean something else now */
        return NULL;
    }
    *at = plan->next;
    planner->free_count--;
    allfold_communicator_retain(state);
    return plan;
}

static struct allfold_plan *make_for(struct allfold_communicator *state,
                                     const struct allfold_call *call,
                                     const struct allfold_plan_options *options,
                                     enum allfold_error *error, char *message, size_t message_bytes)
{
    struct allfold_plan *plan = allfold_plan_take_memory();
    *error = ALLFOLD_NO_MEMORY;
    if (plan == NULL)
        return NULL;
    *error = set_up(plan, call, options, state);
    if (*error == ALLFOLD_OK)
        *error = prepare(&plan->options, &plan->prepared, message, message_bytes);
    if (*error == ALLFOLD_OK && plan->prepared.entry != NULL)
        return plan;
    allfold_run_drop(&plan->prepared); /* or it would be kept for calls like it */
    allfold_plan_release(plan);
    return NULL;
}

/* Returns a plan for the call, or NULL. If it is NULL and *error is ALLFOLD_OK, Allfold does not
 * handle the call. */
static struct allfold_plan *find(struct allfold_communicator *state,
                                 const struct allfold_call *call,
                                 const struct allfold_plan_options *options,
                                 enum allfold_error *error, char *message, size_t message_bytes)
{
    pthread_mutex_lock(&free_mutex);
    struct allfold_plan *plan = take_free(state, call, options);
    pthread_mutex_unlock(&free_mutex);
    if (plan == NULL)
        plan = make_for(state, call, options, error, message, message_bytes);
    if (plan != NULL || *error != ALLFOLD_NO_MEMORY)
        return plan;
    allfold_plans_drop_free(state); /* others wait: rather give up what is only kept */
    return make_for(state, call, options, error, message, message_bytes);
}

static struct allfold_lane *lane_of(struct allfold_communicator *state, uint64_t sequence)
{
    const int number = 1 + (int)(sequence % ALLFOLD_COMMON_LANES);
    assert(number < ALLFOLD_FIRST_OWN_LANE);
    struct allfold_lane *lane = get_lane(state, number);
    if (lane != NULL)
        return lane;
    allfold_plans_drop_free(state);
    return get_lane(state, number);
}

/* Returns the number of a nonblocking call. If calls are checked, one rank's nonblocking call may
 * meet another's blocking call, which is an error on both; so all checked calls are counted. */
static uint64_t take_sequence(struct allfold_communicator *state)
{
    return state->agreed.settings->common.check ? allfold_arrivals_of(state)->calls + 1
                                                : allfold_planner_of(state)->sequence++;
}

static int launch(struct allfold_plan *plan)
{
    struct allfold_communicator *state = plan->prepared.state;
    const int error =
        state->agreed.settings->common.check
            ? allfold_check_start(state, &plan->prepared.call, ALLFOLD_NONBLOCKING, &plan->check)
            : MPI_SUCCESS;
    return error == MPI_SUCCESS ? allfold_plan_start(plan) : allfold_raise(state->user, error);
}

int allfold_plan_launch(const struct allfold_call *call, const struct allfold_plan_options *options,
                        struct allfold_plan **launched)
{
    const bool is_of_program = options == NULL; /* an MPI_Iallreduce */
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    enum allfold_error error = ALLFOLD_OK;
    options = is_of_program ? &no_options : options;
    *launched = NULL;
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL || !call->count_is_valid)
        return MPI_SUCCESS;
    struct allfold_communicator *state = allfold_communicator_known(call->comm);
    if (state == NULL || !state->is_private)
        return MPI_SUCCESS;
    int code = allow_rounding(call, options, state);
    const uint64_t sequence = take_sequence(state);
    if (code != MPI_SUCCESS || (is_of_program && state->native_reason[call->collective] != NULL))
        return code;
    struct allfold_lane *lane = lane_of(state, sequence);
    struct allfold_plan *plan = find(state, call, options, &error, message, sizeof message);
    if (plan == NULL && error != ALLFOLD_NO_MEMORY)
        return error == ALLFOLD_OK ? code : allfold_raise_message(call->comm, message);
    code = MPI_ERR_NO_MEM;
    if (plan != NULL && lane != NULL) {
        set_lane(plan, lane);
        code = launch(plan);
    } else {
        allfold_raise(call->comm, code);
    }
    if (code == MPI_SUCCESS)
        *launched = plan;
    else if (plan != NULL)
        allfold_plan_release(plan);
    return code;
}

/* --- persistent plans --- */

/* The numbers that the ranks compare by their minima. */
enum { IS_READY, IS_OURS, LANE, LANE_BELOW, SPARSE, SPARSE_BELOW, BITS, BITS_BELOW, COMPARED };

/* A hint on which the ranks do not agree. */
static void ignore_sparse(struct allfold_plan *plan)
{
    if (plan->prepared.state->rank == 0)
        allfold_say("a plan's ALLFOLD_SPARSE is ignored: the ranks give different values");
    allfold_prepared_place(&plan->prepared, allfold_communicator_sparse(plan->prepared.state));
}

/* Finds the first lane that is free on all ranks, and has them agree that all are ready. Returns an
 * MPI error code. */
static int settle_lane(struct allfold_plan *plan, bool is_ready, bool *all_are_ready)
{
    struct allfold_communicator *state = plan->prepared.state;
    for (int number = ALLFOLD_FIRST_OWN_LANE;;) {
        number = find_free_lane(state, number);
        struct allfold_lane *lane = is_ready ? get_lane(state, number) : NULL;
        const int64_t bits = plan->prepared.reproducible;
        int64_t least[COMPARED] = {
            lane != NULL,          plan->prepared.entry != NULL,    number, -number,
            plan->prepared.sparse, -(int64_t)plan->prepared.sparse, bits,   -bits};
        const int error = allfold_find_least(state->carrier.comm, least, COMPARED);
        *all_are_ready = least[IS_READY] != 0 && least[BITS] == -least[BITS_BELOW];
        if (error != MPI_SUCCESS || !*all_are_ready || !least[IS_OURS]) {
            allfold_run_drop(&plan->prepared);
            return error;
        }
        if (least[LANE] == -least[LANE_BELOW]) {
            assert(!lane->is_taken && !lane->is_broken && lane->running == NULL);
            lane->is_taken = true;
            set_lane(plan, lane);
            if (least[SPARSE] != -least[SPARSE_BELOW])
                ignore_sparse(plan);
            return MPI_SUCCESS;
        }
        number = (int)-least[LANE_BELOW];
    }
}

/* Makes a plan ready on all ranks, or none. `mine` is what this rank lacks already. */
static int make_ready(struct allfold_plan *plan, enum allfold_error mine)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    const MPI_Comm comm = plan->prepared.call.comm;
    bool all_are_ready = true;
    int error = MPI_SUCCESS;
    if (mine == ALLFOLD_OK && plan->prepared.state->is_private)
        mine = prepare(&plan->options, &plan->prepared, message, sizeof message);
    if (plan->prepared.state->is_private)
        error = settle_lane(plan, mine == ALLFOLD_OK, &all_are_ready);
    if (error != MPI_SUCCESS)
        return allfold_raise(comm, error);
    if (mine == ALLFOLD_NO_MEMORY)
        return allfold_raise(comm, MPI_ERR_NO_MEM);
    if (mine != ALLFOLD_OK)
        return allfold_raise_message(comm, message);
    if (!all_are_ready)
        return allfold_raise_message(comm,
                                     "no plan: a rank has no memory for it, or no more tags, or "
                                     "the ranks give different ALLFOLD_REPRODUCIBLE");
    return plan->prepared.entry ? MPI_SUCCESS
                                : allfold_allow_native(&plan->prepared.call, plan->prepared.state,
                                                       plan->prepared.reproducible, "a plan");
}

int allfold_plan_make(const struct allfold_call *call, const struct allfold_plan_options *options,
                      struct allfold_plan **made)
{
    if (made == NULL || !allfold_mpi_is_up())
        return MPI_ERR_ARG;
    options = options == NULL ? &no_options : options;
    *made = NULL;
    if (call->comm == MPI_COMM_NULL)
        return allfold_raise(MPI_COMM_WORLD, MPI_ERR_COMM);
    struct allfold_communicator *state = allfold_communicator_of(call->comm);
    if (state == NULL)
        return allfold_raise(call->comm, MPI_ERR_NO_MEM);
    allfold_communicator_make_private(
        state); /* for lanes; without a private communicator, the plan is native */
    struct allfold_plan stand_in, *plan = allfold_plan_take_memory();
    struct allfold_plan *to_make = plan == NULL ? &stand_in : plan;
    const enum allfold_error mine = set_up(to_make, call, options, state);
    const bool is_checked = state->is_private && state->agreed.settings->common.check;
    int error = allow_rounding(call, options, state);
    if (error == MPI_SUCCESS && is_checked)
        error = allfold_check_call(state, call, ALLFOLD_PERSISTENT);
    if (error == MPI_SUCCESS)
        error = make_ready(to_make, plan == NULL ? ALLFOLD_NO_MEMORY : mine);
    if (plan == NULL) {
        strip(&stand_in);
        allfold_communicator_release(state);
        return error;
    }
    plan->is_persistent = true;
    if (error == MPI_SUCCESS)
        *made = plan;
    else
        allfold_plan_release(plan);
    return error;
}

/* --- the communicator's part --- */

static void change_rules(struct allfold_communicator *state, enum allfold_collective collective)
{
    (void)collective;
    allfold_plans_drop_free(state);
}

/* Frees the plans on the free list, because they refer to the communicator, which is freed. */
static void shrink(struct allfold_communicator *state)
{
    allfold_plans_drop_free(state);
}

static void free_planner(struct allfold_communicator *state)
{
    allfold_plans_drop_free(state);
    allfold_lanes_close(&allfold_planner_of(state)->lanes);
}

const struct allfold_part allfold_part_plan = {
    .bytes = sizeof(struct allfold_planner),
    .change_rules = change_rules,
    .shrink = shrink,
    .close = free_planner,
};
