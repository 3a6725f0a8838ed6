/* Progress of plans in flight (see progress.h).
 *
 * Invariant: a plan is in the list if and only if it is RUNNING, and `allfold_plans_in_flight`
 * counts the list; both change under the mutex alone, where there are threads. */
#include "mpi/progress/progress.h"

#include <pthread.h>
#include <sched.h>

#include "mpi/call/check.h"
#include "mpi/transport/lanes.h"
#include "mpi/call/native.h"
#include "mpi/plan/plan.h"
#include "mpi/progress/progress_thread.h"
#include "mpi/report/report.h"
#include "mpi/arrivals/roll_call.h"
#include "mpi/process/runtime.h"
#include "mpi/arrivals/watch.h"

atomic_uint allfold_plans_in_flight;

static struct allfold_plan *in_flight;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Asked once: without MPI_THREAD_MULTIPLE only one thread is in MPI's calls, and ours, at a time.
 */
static bool has_threads(void)
{
    enum { UNKNOWN, ONE, MANY };
    static atomic_int known = UNKNOWN;
    int is = atomic_load_explicit(&known, memory_order_relaxed);
    if (is == UNKNOWN) {
        int level = MPI_THREAD_MULTIPLE;
        PMPI_Query_thread(&level);
        is = level == MPI_THREAD_MULTIPLE ? MANY : ONE;
        atomic_store_explicit(&known, is, memory_order_relaxed);
    }
    return is == MANY;
}

static void lock(void)
{
    if (has_threads())
        pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    if (has_threads())
        pthread_mutex_unlock(&mutex);
}

static void settle(struct allfold_plan *plan, int code);

static int begin(struct allfold_plan *plan)
{
    struct allfold_lane *lane = plan->lane;
    if (plan->check != NULL)
        return MPI_SUCCESS; /* its data moves later */
    if (plan->entry == NULL)
        return allfold_native_start(&plan->call, &plan->native);
    plan->run = ++lane->run;
    if (lane->arrivals != NULL)
        atomic_store_explicit(&lane->arrivals[plan->state->node.options.index].run, lane->run,
                              memory_order_release);
    if (lane->is_broken)
        return MPI_ERR_OTHER; /* what was left behind there must not be taken for this one's */
    allfold_point_to_point_begin(&lane->transport, plan->operands.travels_as,
                                 plan->entry->vector_bytes);
    if (plan->binding.transport != &lane->transport.transport)
        allfold_shared_begin(lane->shared, plan->operands.element_bytes);
    return allfold_executor_start(plan->entry->executor, &plan->binding);
}

static void run(struct allfold_plan *plan)
{
    plan->status = ALLFOLD_PLAN_RUNNING;
    plan->next = in_flight;
    plan->link = &in_flight;
    if (in_flight != NULL)
        in_flight->link = &plan->next;
    in_flight = plan;
    if (allfold_plans_in_flight++ == 0)
        allfold_progress_thread_wake();
    plan->run = 0;
    if (plan->lane != NULL)
        plan->lane->running = plan;
    const int code = begin(plan);
    if (code != MPI_SUCCESS)
        settle(plan, code);
}

/* The next one that waits for its turn on the lane. */
static void run_next(struct allfold_lane *lane)
{
    struct allfold_plan *next = lane->waiting;
    lane->running = NULL;
    if (next == NULL)
        return;
    lane->waiting = next->next;
    if (next->next == NULL)
        lane->last = &lane->waiting;
    run(next);
}

static void settle(struct allfold_plan *plan, int code)
{
    struct allfold_lane *lane = plan->lane;
    *plan->link = plan->next;
    if (plan->next != NULL)
        plan->next->link = plan->link;
    allfold_plans_in_flight--;
    plan->code = code;
    if (lane != NULL) {
        lane->is_broken |= code != MPI_SUCCESS && plan->run > 0 &&
                           allfold_executor_was_given_up(plan->entry->executor);
        run_next(lane);
    }
    /* last: another thread that sees it may free the plan */
    atomic_store_explicit(&plan->status, ALLFOLD_PLAN_ENDED, memory_order_release);
}

/* Moves a plan on as far as it goes without waiting. */
static void move(struct allfold_plan *plan)
{
    int has_ended = 0, code = MPI_SUCCESS;
    bool is_done = false;
    if (plan->check != NULL) {
        if (!allfold_check_test(&plan->check, &code))
            return;
        if (code == MPI_SUCCESS)
            code = begin(plan);
    } else if (plan->entry == NULL) {
        code = PMPI_Test(&plan->native, &has_ended, MPI_STATUS_IGNORE);
    } else {
        code = allfold_executor_test(plan->entry->executor, &is_done);
    }
    if (is_done || has_ended || code != MPI_SUCCESS)
        settle(plan, code);
}

static void go_round(void)
{
    struct allfold_plan *next;
    for (struct allfold_plan *plan = in_flight; plan != NULL; plan = next) {
        next = plan->next;
        move(plan);
    }
}

void allfold_progress(void)
{
    lock();
    go_round();
    unlock();
}

void allfold_progress_start(struct allfold_plan *plan)
{
    struct allfold_lane *lane = plan->lane;
    lock();
    if (lane == NULL || lane->running == NULL) {
        run(plan);
    } else {
        plan->status = ALLFOLD_PLAN_WAITING;
        plan->next = NULL;
        *lane->last = plan;
        lane->last = &plan->next;
    }
    unlock();
}

struct allfold_lane *allfold_progress_lane(struct allfold_communicator *state, int number)
{
    lock();
    struct allfold_lane *lane = allfold_lane_get(&state->lanes, number, &state->node, state->comm);
    unlock();
    return lane;
}

int allfold_progress_free_lane(struct allfold_communicator *state, int from)
{
    lock();
    const int number = allfold_lane_free_from(&state->lanes, from);
    unlock();
    return number;
}

bool allfold_progress_look(const struct allfold_plan *plan,
                           void (*look)(const struct allfold_plan *plan, unsigned char *known),
                           unsigned char *known)
{
    lock();
    const bool is_running = plan->status == ALLFOLD_PLAN_RUNNING;
    if (is_running)
        look(plan, known);
    unlock();
    return is_running;
}

static void answer(struct allfold_communicator *state)
{
    if (state->comm != MPI_COMM_NULL)
        allfold_roll_call_answer(state);
}

/* Ranks that come late to one call may wait for another one: whoever asks is to know that. Where
 * blocking calls are watched, questions may come on any communicator; but with threads another one
 * may be freeing it. */
void allfold_progress_answer(struct allfold_communicator *state)
{
    const bool has_timeout = allfold_settings()->common.timeout_ms > 0;
    lock();
    for (const struct allfold_plan *plan = in_flight; plan != NULL; plan = plan->next)
        if (plan->entry != NULL && !plan->is_in_memory && plan->state != state)
            answer(plan->state);
    if (state != NULL)
        answer(state);
    if (has_timeout && !has_threads())
        allfold_communicators_visit(answer);
    unlock();
}

void allfold_rest(unsigned times, MPI_Comm comm)
{
    enum { AT_ONCE = 64, YIELDS_UNTIL_MPI = 16 };
    int found;
    if (times < AT_ONCE)
        return;
    if (times % YIELDS_UNTIL_MPI == 0) {
        if (comm != MPI_COMM_NULL)
            PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
        allfold_progress_answer(allfold_watched());
        allfold_watch_look();
    }
    sched_yield();
}

/* Nothing else could move, and nobody waits for MPI: the shortest way is the executor's own. */
static bool is_alone(const struct allfold_plan *plan)
{
    return plan->is_in_memory && plan->check == NULL && !has_threads() && in_flight == plan &&
           plan->next == NULL && plan->lane->waiting == NULL;
}

bool allfold_progress_wait(struct allfold_plan *plan, double deadline_s)
{
    if (deadline_s < 0 && is_alone(plan)) {
        settle(plan, allfold_executor_wait(plan->entry->executor));
        return true;
    }
    for (unsigned times = 0;; times++) {
        allfold_progress();
        if (allfold_plan_has_ended(plan))
            return true;
        if (deadline_s >= 0 && (deadline_s == 0 || allfold_now_s() >= deadline_s))
            return false;
        allfold_rest(times, plan->state->comm);
    }
}

int allfold_wait_beside_plans(struct allfold_executor *executor, MPI_Comm comm)
{
    for (unsigned times = 0;; times++) {
        bool is_done;
        const int error = allfold_executor_test(executor, &is_done);
        if (error != MPI_SUCCESS || is_done)
            return error;
        allfold_progress();
        allfold_rest(times, comm);
    }
}

/* An error that leaves a request in flight is not its end: to leave it would leave the other ranks.
 */
int allfold_wait_request(MPI_Request *request)
{
    enum { MOST_FAULTS = 8 };
    const bool may_block = !has_threads() && !allfold_is_plan_in_flight() &&
                           allfold_watched() == NULL; /* nor can one start */
    int faults = 0, error = MPI_SUCCESS;
    for (unsigned times = 0; faults < MOST_FAULTS; times++) {
        int is_done = may_block;
        error = may_block ? PMPI_Wait(request, MPI_STATUS_IGNORE)
                          : PMPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS && *request != MPI_REQUEST_NULL)
            faults++;
        else if (error != MPI_SUCCESS || is_done)
            return error;
        if (may_block)
            continue;
        allfold_progress();
        allfold_rest(times, MPI_COMM_NULL);
    }
    return error;
}

int allfold_find_least(MPI_Comm comm, int64_t *least, int count)
{
    MPI_Request request;
    const int error =
        PMPI_Iallreduce(MPI_IN_PLACE, least, count, MPI_INT64_T, MPI_MIN, comm, &request);
    return error == MPI_SUCCESS ? allfold_wait_request(&request) : error;
}

int allfold_meet(MPI_Comm comm, bool *all_are_ready)
{
    int64_t ready = *all_are_ready;
    const int error = allfold_find_least(comm, &ready, 1);
    *all_are_ready = error == MPI_SUCCESS && ready;
    return error;
}
