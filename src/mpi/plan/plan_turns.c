/* Plans of nonblocking calls (see plan.h): each takes the lanes in turn, and is kept for the next
 * call like it.
 *
 * Invariant: the k-th such call on a communicator has the same lane on all ranks, whatever becomes
 * of it there. */
#include <pthread.h>
#include <stdio.h>

#include "mpi/call/check.h"
#include "mpi/call/entry.h"
#include "mpi/transport/lanes.h"
#include "mpi/plan/plan_parts.h"
#include "mpi/progress/progress.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

enum { MOST_SPARES = 16 };

/* Any thread may complete a call that another one has started, and so give its plan back. */
static pthread_mutex_t spares_mutex = PTHREAD_MUTEX_INITIALIZER;

static void drop(struct allfold_plan **at)
{
    struct allfold_plan *plan = *at;
    *at = plan->next;
    plan->state->spare_count--;
    allfold_plan_strip(plan);
    allfold_plan_give_memory(plan);
}

void allfold_plans_drop_spares(struct allfold_communicator *state)
{
    pthread_mutex_lock(&spares_mutex);
    while (state->spares != NULL)
        drop(&state->spares);
    pthread_mutex_unlock(&spares_mutex);
}

bool allfold_plan_spare(struct allfold_plan *plan)
{
    struct allfold_communicator *state = plan->state;
    if (plan->entry == NULL || plan->status != ALLFOLD_PLAN_IDLE || state->is_orphan)
        return false;
    pthread_mutex_lock(&spares_mutex);
    plan->next = state->spares;
    state->spares = plan;
    if (++state->spare_count > MOST_SPARES) {
        struct allfold_plan **oldest = &state->spares;
        while ((*oldest)->next != NULL)
            oldest = &(*oldest)->next;
        drop(oldest);
    }
    pthread_mutex_unlock(&spares_mutex);
    allfold_communicator_let_go(state);
    return true;
}

static bool is_like(const struct allfold_plan *plan, const struct allfold_call *call,
                    const struct allfold_plan_options *options)
{
    const struct allfold_call *last = &plan->call;
    return last->collective == call->collective && last->count == call->count &&
           last->datatype == call->datatype && last->op == call->op && last->root == call->root &&
           last->send_count == call->send_count && last->send_datatype == call->send_datatype &&
           plan->options.rules == options->rules && plan->options.reduce == options->reduce &&
           plan->options.element_bytes == options->element_bytes;
}

static bool is_same_shape(const struct allfold_shape_key *a, const struct allfold_shape_key *b)
{
    return a->count == b->count && a->element_bytes == b->element_bytes &&
           a->commutative == b->commutative && a->exact == b->exact && a->in_place == b->in_place;
}

/* A plan that served such a call before, with this one's buffers; or NULL. */
static struct allfold_plan *take_spare(struct allfold_communicator *state,
                                       const struct allfold_call *call,
                                       const struct allfold_plan_options *options)
{
    struct allfold_plan **at = &state->spares;
    while (*at != NULL && !is_like(*at, call, options))
        at = &(*at)->next;
    struct allfold_plan *plan = *at;
    if (plan == NULL)
        return NULL;
    plan->call = *call;
    plan->options = *options;
    const bool is_ours = allfold_plan_read(plan);
    const struct allfold_shape_key key = allfold_request_key(&plan->request);
    if (!is_ours || !is_same_shape(&key, &plan->entry->key) ||
        !allfold_reserve(&plan->scratch, &plan->scratch_bytes,
                         allfold_executor_place(plan->entry->executor, &plan->operands.elements))) {
        drop(at); /* the handles mean something else now */
        return NULL;
    }
    *at = plan->next;
    state->spare_count--;
    allfold_communicator_hold(state);
    return plan;
}

static struct allfold_plan *make(struct allfold_communicator *state,
                                 const struct allfold_call *call,
                                 const struct allfold_plan_options *options,
                                 enum allfold_error *error, char *message, size_t message_bytes)
{
    struct allfold_plan *plan = allfold_plan_take_memory();
    *error = ALLFOLD_NO_MEMORY;
    if (plan == NULL)
        return NULL;
    allfold_plan_set_up(plan, call, options, state);
    *error = allfold_plan_prepare(plan, message, message_bytes);
    if (*error == ALLFOLD_OK && plan->entry != NULL)
        return plan;
    allfold_plan_release(plan);
    return NULL;
}

/* A plan for the call, or NULL: where *error is ALLFOLD_OK, because it is not ours. */
static struct allfold_plan *find(struct allfold_communicator *state,
                                 const struct allfold_call *call,
                                 const struct allfold_plan_options *options,
                                 enum allfold_error *error, char *message, size_t message_bytes)
{
    pthread_mutex_lock(&spares_mutex);
    struct allfold_plan *plan = take_spare(state, call, options);
    pthread_mutex_unlock(&spares_mutex);
    if (plan == NULL)
        plan = make(state, call, options, error, message, message_bytes);
    if (plan != NULL || *error != ALLFOLD_NO_MEMORY)
        return plan;
    allfold_plans_drop_spares(state); /* others wait: rather give up what is only kept */
    return make(state, call, options, error, message, message_bytes);
}

static struct allfold_lane *lane_of_turn(struct allfold_communicator *state, uint64_t turn)
{
    const int number = 1 + (int)(turn % ALLFOLD_TURNS);
    struct allfold_lane *lane = allfold_progress_lane(state, number);
    if (lane != NULL)
        return lane;
    allfold_plans_drop_spares(state);
    return allfold_progress_lane(state, number);
}

/* Where calls are checked, one rank's nonblocking call may be another's blocking one, which fails
 * on both; so all that are checked are counted. */
static uint64_t take_turn(struct allfold_communicator *state)
{
    return state->settings->common.check ? state->calls + 1 : state->turn++;
}

static int start(struct allfold_plan *plan)
{
    struct allfold_communicator *state = plan->state;
    const int error =
        state->settings->common.check
            ? allfold_check_start(state, &plan->call, ALLFOLD_NONBLOCKING, &plan->check)
            : MPI_SUCCESS;
    return error == MPI_SUCCESS ? allfold_plan_start(plan) : allfold_raise(state->user, error);
}

int allfold_plan_launch(const struct allfold_call *call, const struct allfold_plan_options *options,
                        struct allfold_plan **launched)
{
    static const struct allfold_plan_options none = {.rules = NULL};
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    enum allfold_error error = ALLFOLD_OK;
    *launched = NULL;
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL || !call->count_is_valid)
        return MPI_SUCCESS;
    struct allfold_communicator *state = allfold_communicator_known(call->comm);
    if (state == NULL || state->comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    const uint64_t turn = take_turn(state);
    if (options == NULL && state->native_reason[call->collective] != NULL)
        return MPI_SUCCESS;
    struct allfold_lane *lane = lane_of_turn(state, turn);
    struct allfold_plan *plan =
        find(state, call, options == NULL ? &none : options, &error, message, sizeof message);
    if (plan == NULL && error == ALLFOLD_OK)
        return MPI_SUCCESS;
    if (plan == NULL && error != ALLFOLD_NO_MEMORY)
        return allfold_raise_message(call->comm, message);
    int code = MPI_ERR_NO_MEM;
    if (plan != NULL && lane != NULL) {
        allfold_plan_set_lane(plan, lane);
        code = start(plan);
    } else {
        allfold_raise(call->comm, code);
    }
    if (code == MPI_SUCCESS)
        *launched = plan;
    else if (plan != NULL)
        allfold_plan_release(plan);
    return code;
}
