/* MPI requests of plans (see nonblocking.h).
 *
 * Invariant: a request is in the list `in_flight` from the start of its plan until it is complete
 * for MPI. allfold_requests_in_flight is the length of that list. */
#include "mpi/plan/nonblocking.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi/call/block_counts.h"
#include "mpi/call/native.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/communicator/communicator.h"
#include "mpi/job/job.h"
#include "mpi/plan/native_starts.h"
#include "mpi/plan/plan.h"
#include "mpi/progress/progress.h"
#include "mpi/report/report.h"
#include "mpi/process/runtime.h"
#include "mpi/process/own_communicators.h"
#include "util/memory.h"

atomic_uint allfold_requests_in_flight;

struct held {
    struct allfold_plan *plan; /* NULL once a nonblocking call has ended */
    MPI_Request request;
    bool is_persistent;
    int tag;                   /* of a persistent one's answer */
    atomic_int code;           /* of the run that has ended */
    atomic_bool is_over;       /* MPI has freed the request of a nonblocking call */
    struct held *next, **link; /* of those in flight */
    struct held *other;        /* of all persistent ones, or of all nonblocking calls */
};

/* What the program freed and requests may still need. */
struct freed {
    MPI_Op op; /* MPI_OP_NULL: a datatype */
    MPI_Datatype type;
    struct freed *next;
};

static struct held *in_flight, *persistent, *nonblocking;
static atomic_bool some_are_over; /* of the nonblocking ones */
static atomic_uint held_count;    /* of both kinds, persistent ones also between their runs */
static struct freed *to_be_freed;
static int next_tag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifndef NDEBUG
static bool is_consistent(void)
{
    unsigned count = 0;
    for (const struct held *held = in_flight; held != NULL; held = held->next)
        count++;
    return count == allfold_requests_in_flight;
}
#endif

static void put_in_flight(struct held *held)
{
    assert(held->plan != NULL);
    pthread_mutex_lock(&mutex);
    held->next = in_flight;
    held->link = &in_flight;
    if (in_flight != NULL)
        in_flight->link = &held->next;
    in_flight = held;
    allfold_requests_in_flight++;
    assert(is_consistent());
    pthread_mutex_unlock(&mutex);
}

static void take_from_flight(struct held *held)
{
    *held->link = held->next;
    if (held->next != NULL)
        held->next->link = held->link;
    allfold_requests_in_flight--;
    assert(is_consistent());
}

static bool free_later(struct freed what)
{
    struct freed *freed = held_count > 0 ? allfold_allocate(sizeof *freed) : NULL;
    if (freed == NULL)
        return false;
    pthread_mutex_lock(&mutex);
    *freed = what;
    freed->next = to_be_freed;
    to_be_freed = freed;
    pthread_mutex_unlock(&mutex);
    return true;
}

bool allfold_op_free_later(MPI_Op *op)
{
    if (op == NULL || *op == MPI_OP_NULL)
        return false; /* the MPI library reports the error */
    if (!free_later((struct freed){.op = *op, .type = MPI_DATATYPE_NULL}))
        return false;
    *op = MPI_OP_NULL;
    return true;
}

bool allfold_type_free_later(MPI_Datatype *type)
{
    if (type == NULL || *type == MPI_DATATYPE_NULL)
        return false;
    if (!free_later((struct freed){.op = MPI_OP_NULL, .type = *type}))
        return false;
    *type = MPI_DATATYPE_NULL;
    return true;
}

/* Frees them if no request needs them any more. */
static void free_now(void)
{
    while (held_count == 0 && to_be_freed != NULL) {
        struct freed *freed = to_be_freed;
        to_be_freed = freed->next;
        if (freed->op != MPI_OP_NULL)
            PMPI_Op_free(&freed->op);
        else
            PMPI_Type_free(&freed->type);
        allfold_free(freed);
    }
}

/* What MPI asks of a generalized request. */
static int query(void *held, MPI_Status *status)
{
    const int code = atomic_load_explicit(&((struct held *)held)->code, memory_order_acquire);
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return code;
}

/* The caller holds locks of the MPI library, so Allfold's must not be taken here. */
static int free_held(void *held)
{
    atomic_store_explicit(&((struct held *)held)->is_over, true, memory_order_release);
    atomic_store_explicit(&some_are_over, true, memory_order_release);
    return MPI_SUCCESS;
}

static void free_those_over(void)
{
    if (!atomic_exchange_explicit(&some_are_over, false, memory_order_acquire))
        return;
    for (struct held **at = &nonblocking; *at != NULL;) {
        struct held *held = *at;
        if (!atomic_load_explicit(&held->is_over, memory_order_acquire)) {
            at = &held->other;
            continue;
        }
        *at = held->other;
        allfold_free(held);
    }
}

static void list_nonblocking(struct held *held)
{
    pthread_mutex_lock(&mutex);
    free_those_over();
    held->other = nonblocking;
    nonblocking = held;
    pthread_mutex_unlock(&mutex);
}

/* Never called: the interposed function refuses. */
static int cancel(void *held, int is_complete)
{
    (void)held;
    (void)is_complete;
    return MPI_SUCCESS;
}

/* Agreed on by all ranks, as all settings are. */
static bool is_wanted(const struct allfold_communicator *state)
{
    return state != NULL && state->agreed.settings->common.nonblocking;
}

/* Returns why the MPI library handles a call that does not block; NULL: the report leaves the call
 * out. */
static const char *why_native(const struct allfold_call *call)
{
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL || !call->count_is_valid)
        return NULL;
    const struct allfold_job *job = allfold_job();
    const struct allfold_communicator *state = allfold_communicator_known(call->comm);
    if (job->native_reason != NULL)
        return job->native_reason;
    if (!job->agreed.settings->common.nonblocking)
        return allfold_needs_nonblocking;
    if (state == NULL)
        return "a nonblocking call before the communicator's first blocking one";
    if (state->native_reason[call->collective] != NULL)
        return state->native_reason[call->collective];
    return "native is chosen, or no algorithm serves such a call";
}

/* A nonblocking or persistent call of the MPI library, with a note for the report if there is a
 * reason; each start of a persistent one is a call there. `info` is for persistent ones alone. */
static int run_native(const struct allfold_call *call, const char *mode, MPI_Info info,
                      const char *why, MPI_Request *request)
{
    const bool is_noted = why != NULL && allfold_settings_gather(allfold_settings());
    int p = 0;
    const double begin_s = is_noted ? allfold_now_s() : 0;
    const bool persists = mode == allfold_mode_persistent;
    const int code =
        persists ? allfold_native_init(call, info, request) : allfold_native_start(call, request);
    const double end_s = is_noted ? allfold_now_s() : 0;
    if (!is_noted || code != MPI_SUCCESS || PMPI_Comm_size(call->comm, &p) != MPI_SUCCESS)
        return code;
    const size_t bytes = allfold_call_bytes(call, p);
    if (persists)
        allfold_native_starts_add(*request, call->collective, p, bytes, why);
    else
        allfold_report_passed(call->collective, mode, p, bytes, why, begin_s, end_s);
    return code;
}

/* Decides what happens to a call that Allfold does not handle: returns false if it may go to the
 * MPI library. */
static bool refuse(const struct allfold_call *call, const char *why, int *code)
{
    *code = MPI_SUCCESS;
    if (why != NULL) {
        const struct allfold_communicator *state = allfold_communicator_known(call->comm);
        *code = allfold_allow_native(call, state, allfold_reproducible_of(state), why);
    }
    return *code != MPI_SUCCESS;
}

/* Returns the state of a communicator that a nonblocking call may use. To make one, the ranks must
 * wait for each other, which this call must not do; but the state of MPI_COMM_WORLD uses the job's
 * lane. */
static const struct allfold_communicator *state_for(MPI_Comm comm)
{
    const struct allfold_communicator *state = allfold_communicator_known(comm);
    const struct allfold_job *job = allfold_job();
    const bool may_make = state == NULL && comm == MPI_COMM_WORLD && job->native_reason == NULL &&
                          job->agreed.settings->common.nonblocking;
    return may_make ? allfold_communicator_of(comm) : state;
}

static bool start(const struct allfold_call *call, MPI_Request *request, int *code)
{
    struct allfold_plan *plan;
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL || !is_wanted(state_for(call->comm)))
        return false;
    *code = allfold_plan_launch(call, NULL, &plan);
    if (*code != MPI_SUCCESS || plan == NULL)
        return *code != MPI_SUCCESS;
    struct held *held = allfold_allocate(sizeof *held);
    if (held != NULL) {
        *held = (struct held){.plan = plan};
        *code = PMPI_Grequest_start(query, free_held, cancel, held, &held->request);
    }
    if (held == NULL || *code != MPI_SUCCESS) {
        /* the other ranks have begun; so this call waits for its end rather than leave them */
        bool is_done;
        allfold_free(held);
        *code = allfold_plan_wait(plan, ALLFOLD_BLOCK, &is_done);
        allfold_plan_release(plan);
        *request = MPI_REQUEST_NULL;
        return true;
    }
    held_count++;
    *request = held->request;
    list_nonblocking(held);
    put_in_flight(held);
    return true;
}

int allfold_nonblocking_start(const struct allfold_call *call, MPI_Request *request)
{
    int code;
    if (request == NULL) /* an error of the MPI library's */
        return allfold_native_start(call, request);
    if (start(call, request, &code))
        return code;
    const char *why = why_native(call);
    return refuse(call, why, &code)
               ? code
               : run_native(call, allfold_mode_nonblocking, MPI_INFO_NULL, why, request);
}

/* Ends a request whose plan has: now it is complete for MPI, too. Whoever sees its code may free
 * it.
 */
static void complete(struct held *held)
{
    bool is_done;
    const MPI_Request request = held->request;
    const int code = allfold_plan_wait(held->plan, ALLFOLD_TEST, &is_done);
    assert(is_done);
    take_from_flight(held);
    if (held->is_persistent) {
        PMPI_Send(NULL, 0, MPI_BYTE, 0, held->tag, allfold_self());
        return;
    }
    allfold_plan_release(held->plan);
    held->plan = NULL;
    held_count--;
    atomic_store_explicit(&held->code, code, memory_order_release);
    PMPI_Grequest_complete(request);
}

void allfold_requests_progress(void)
{
    struct held *next;
    allfold_progress();
    pthread_mutex_lock(&mutex);
    for (struct held *held = in_flight; held != NULL; held = next) {
        next = held->next;
        if (allfold_plan_has_ended(held->plan))
            complete(held);
    }
    free_now();
    pthread_mutex_unlock(&mutex);
}

/* The answer of a run is a message of this rank to itself, for which the request waits. */
static int add_persistent(struct allfold_plan *plan, MPI_Request *request)
{
    struct held *held = allfold_allocate(sizeof *held);
    if (held == NULL)
        return MPI_ERR_NO_MEM;
    pthread_mutex_lock(&mutex);
    *held = (struct held){
        .plan = plan, .is_persistent = true, .tag = ALLFOLD_SELF_COPY_TAGS + next_tag};
    const MPI_Comm self = allfold_self();
    int code = self == MPI_COMM_NULL
                   ? MPI_ERR_NO_MEM
                   : PMPI_Recv_init(NULL, 0, MPI_BYTE, 0, held->tag, self, &held->request);
    if (code == MPI_SUCCESS) {
        next_tag = (next_tag + 1) % (ALLFOLD_SELF_TAGS - ALLFOLD_SELF_COPY_TAGS);
        held->other = persistent;
        persistent = held;
        held_count++;
        *request = held->request;
    } else {
        allfold_free(held);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

/* Returns false if the request must be the MPI library's; then *why is the reason, or NULL. */
static bool make(const struct allfold_call *call, MPI_Info info, MPI_Request *request, int *code,
                 const char **why)
{
    struct allfold_plan *plan;
    *why = NULL;
    if (!allfold_mpi_is_up() || call->comm == MPI_COMM_NULL || !call->count_is_valid)
        return false;
    const struct allfold_communicator *state = allfold_communicator_of(call->comm);
    struct allfold_plan_options options = {.has_hints = true};
    *code = allfold_comm_rules_of_info(call->comm, info, &options.hints);
    if (*code != MPI_SUCCESS)
        return true;
    const bool must_be_ours = options.hints.reproducible != ALLFOLD_REPRODUCIBLE_UNSET &&
                              options.hints.reproducible != ALLFOLD_REPRODUCIBLE_OFF;
    if (!is_wanted(state) && !(must_be_ours && allfold_has_operation(call->collective))) {
        *why = why_native(call);
        return refuse(call, *why, code);
    }
    *code = allfold_plan_make(call, &options, &plan);
    if (*code != MPI_SUCCESS)
        return true;
    /* The MPI library refuses here the pairs that it does not allow. On one rank nothing is
     * reduced, and MPICH 4.0.2 crashes in persistent calls of its own. */
    if (plan->prepared.entry == NULL && plan->prepared.state->size > 1) {
        allfold_plan_release(plan);
        *why = why_native(call);
        return false;
    }
    *code = add_persistent(plan, request);
    if (*code != MPI_SUCCESS) {
        allfold_plan_release(plan);
        allfold_raise(call->comm, *code);
    }
    return true;
}

int allfold_persistent_make(const struct allfold_call *call, MPI_Info info, MPI_Request *request)
{
    int code;
    const char *why;
    if (request == NULL) /* an error that the MPI library reports */
        return allfold_native_init(call, info, request);
    return make(call, info, request, &code, &why)
               ? code
               : run_native(call, allfold_mode_persistent, info, why, request);
}

/* Returns where a persistent request is kept, or NULL if it is not Allfold's. */
static struct held **find(MPI_Request request)
{
    for (struct held **at = &persistent; *at != NULL; at = &(*at)->other)
        if ((*at)->request == request)
            return at;
    return NULL;
}

static struct held *look_up(MPI_Request request)
{
    if (persistent == NULL || request == MPI_REQUEST_NULL)
        return NULL;
    pthread_mutex_lock(&mutex);
    struct held **at = find(request), *held = at == NULL ? NULL : *at;
    pthread_mutex_unlock(&mutex);
    return held;
}

static bool is_nonblocking(MPI_Request request)
{
    if (nonblocking == NULL || request == MPI_REQUEST_NULL)
        return false;
    pthread_mutex_lock(&mutex);
    free_those_over();
    const struct held *held = nonblocking;
    while (held != NULL && held->request != request)
        held = held->other;
    pthread_mutex_unlock(&mutex);
    return held != NULL;
}

static bool is_in_flight(MPI_Request request)
{
    pthread_mutex_lock(&mutex);
    const struct held *held = in_flight;
    while (held != NULL && held->request != request)
        held = held->next;
    pthread_mutex_unlock(&mutex);
    return held != NULL;
}

static int refuse_request(const char *function, const char *allowed)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message,
             "%s: the request is a collective's, for which MPI does not allow it; %s", function,
             allowed);
    return allfold_raise_message_of(MPI_COMM_WORLD, MPI_ERR_REQUEST, message);
}

bool allfold_request_refuses_cancel(const MPI_Request *request, int *code)
{
    if (request == NULL || (look_up(*request) == NULL && !is_nonblocking(*request)))
        return false;
    *code = refuse_request("MPI_Cancel", "wait for its end");
    return true;
}

bool allfold_request_refuses_free(const MPI_Request *request, int *code)
{
    if (request == NULL || !allfold_is_request_in_flight() || !is_in_flight(*request))
        return false;
    *code = refuse_request("MPI_Request_free", "complete it with MPI_Wait or MPI_Test");
    return true;
}

bool allfold_persistent_start(MPI_Request request, int *code)
{
    struct held *held = look_up(request);
    if (held == NULL)
        return false;
    *code = allfold_plan_expect(held->plan, ALLFOLD_PLAN_IDLE, "MPI_Start");
    if (*code == MPI_SUCCESS)
        *code = PMPI_Start(&held->request);
    if (*code != MPI_SUCCESS)
        return true;
    *code = allfold_plan_start(held->plan);
    if (*code == MPI_SUCCESS)
        put_in_flight(held);
    else
        PMPI_Send(NULL, 0, MPI_BYTE, 0, held->tag,
                  allfold_self()); /* to wait for it ends at once */
    return true;
}

/* Starts the requests that are not Allfold's, in one call of the underlying MPI library. */
static int start_others(int count, MPI_Request *requests, const bool *is_ours, MPI_Request *others)
{
    int other_count = 0;
    for (int i = 0; i < count; i++)
        if (!is_ours[i])
            others[other_count++] = requests[i];
    const int code = allfold_native_start_all(other_count, others);
    other_count = 0;
    for (int i = 0; i < count; i++)
        if (!is_ours[i])
            requests[i] = others[other_count++];
    return code;
}

/* MPI starts them in any order, so the others go first. */
static int start_mixed(int count, MPI_Request *requests, int ours, bool *is_ours)
{
    MPI_Request *others = NULL;
    int code = MPI_SUCCESS;
    if (ours < count) {
        others = allfold_allocate((size_t)(count - ours) * sizeof(MPI_Request));
        code = others == NULL ? allfold_raise(MPI_COMM_WORLD, MPI_ERR_NO_MEM)
                              : start_others(count, requests, is_ours, others);
        allfold_free(others);
    }
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        if (is_ours[i])
            allfold_persistent_start(requests[i], &code);
    return code;
}

int allfold_persistent_start_all(int count, MPI_Request *requests)
{
    int ours = 0;
    bool *is_ours = NULL;
    if (persistent != NULL && count > 0 && requests != NULL)
        is_ours = allfold_allocate((size_t)count * sizeof *is_ours);
    if (persistent != NULL && count > 0 && requests != NULL && is_ours == NULL)
        return allfold_raise(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    for (int i = 0; i < count && is_ours != NULL; i++)
        ours += is_ours[i] = look_up(requests[i]) != NULL;
    const int code = ours == 0 ? allfold_native_start_all(count, requests)
                               : start_mixed(count, requests, ours, is_ours);
    allfold_free(is_ours);
    return code;
}

bool allfold_persistent_free(MPI_Request *request, int *code)
{
    struct held *held = look_up(*request);
    if (held == NULL)
        return false;
    *code = allfold_plan_expect(held->plan, ALLFOLD_PLAN_FREED, "MPI_Request_free");
    if (*code != MPI_SUCCESS)
        return true;
    pthread_mutex_lock(&mutex);
    struct held **at = find(*request);
    if (at != NULL)
        *at = held->other;
    held_count--;
    allfold_plan_release(held->plan);
    allfold_free(held);
    free_now();
    pthread_mutex_unlock(&mutex);
    *code = PMPI_Request_free(request);
    return true;
}

void allfold_requests_finish(void)
{
    for (unsigned times = 0; allfold_is_request_in_flight(); times++) {
        allfold_requests_progress();
        allfold_rest(times, MPI_COMM_NULL);
    }
    while (persistent != NULL) {
        MPI_Request request = persistent->request;
        int code;
        allfold_persistent_free(&request, &code);
    }
    pthread_mutex_lock(&mutex);
    free_those_over();
    pthread_mutex_unlock(&mutex);
    allfold_native_starts_clear();
}
