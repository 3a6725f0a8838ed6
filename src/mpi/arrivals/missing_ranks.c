/* Rolls, roll-calls and watches (see missing_ranks.h).
 *
 * A query names a lane and a run on it. All ranks number lanes and runs in the same way, so an
 * answer is right whenever it arrives. A late answer is received by the next query, and ignored if
 * it is about another run. The messages are so short that MPI sends them at once. */
#include "mpi/arrivals/missing_ranks.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

enum { LANE, RUN, AT, WORDS };

static _Thread_local struct allfold_watch *current;

/* --- rolls --- */

static void find_neighbors(const struct allfold_communicator *state, struct allfold_roll *roll)
{
    if (state->is_private && state->carrier.node->memory != NULL &&
        roll->lane <= state->carrier.node->streams)
        roll->neighbors = allfold_node_arrivals(state->carrier.node, roll->lane);
}

void allfold_roll_open(struct allfold_communicator *state, struct allfold_roll *roll, int lane)
{
    struct allfold_arrivals *arrivals = allfold_arrivals_of(state);
    *roll = (struct allfold_roll){.lane = lane, .next = arrivals->rolls};
    arrivals->rolls = roll;
    find_neighbors(state, roll);
}

void allfold_roll_arrive(const struct allfold_communicator *state, struct allfold_roll *roll,
                         uint64_t run)
{
    assert(run >= atomic_load(&roll->run));
    atomic_store(&roll->run, run);
    if (roll->neighbors != NULL)
        atomic_store_explicit(&roll->neighbors[state->carrier.node->options.index].run, run,
                              memory_order_release);
}

/* --- roll-calls --- */

/* Probes and receives at once, as another thread may look for the same message. */
static int receive(struct allfold_communicator *state, int tag, int64_t *words, int *from)
{
    int found = 0;
    MPI_Status status;
    MPI_Message message;
    const int error =
        PMPI_Improbe(MPI_ANY_SOURCE, tag, state->carrier.comm, &found, &message, &status);
    *from = -1;
    if (error != MPI_SUCCESS || !found)
        return error;
    *from = status.MPI_SOURCE;
    return PMPI_Mrecv(words, WORDS, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
}

/* Which run of a lane this rank has begun last; 0: none, nor is there such a lane. */
static int64_t begun(const struct allfold_communicator *state, int64_t lane)
{
    const struct allfold_roll *roll = allfold_arrivals_of(state)->rolls;
    while (roll != NULL && roll->lane != lane)
        roll = roll->next;
    return roll == NULL ? 0 : (int64_t)atomic_load(&roll->run);
}

void allfold_roll_call_answer(struct allfold_communicator *state)
{
    int64_t words[WORDS];
    const int tag = allfold_question_tag();
    for (int from; receive(state, tag, words, &from) == MPI_SUCCESS && from >= 0;) {
        words[AT] = begun(state, words[LANE]);
        PMPI_Send(words, WORDS, MPI_INT64_T, from, tag + 1, state->carrier.comm);
    }
}

static unsigned char presence(const struct allfold_roll_call *call, uint64_t at)
{
    if (at < call->run)
        return ALLFOLD_ABSENT;
    return at == call->run ? ALLFOLD_HERE : ALLFOLD_GONE;
}

static void note_message(void *known, int peer, bool has_arrived)
{
    if (has_arrived && ((unsigned char *)known)[peer] == ALLFOLD_SILENT)
        ((unsigned char *)known)[peer] = ALLFOLD_GONE; /* or here: it need not be asked */
}

void allfold_roll_call_look(const struct allfold_roll_call *call,
                            const struct allfold_executor *executor)
{
    const struct allfold_communicator *state = call->state;
    struct allfold_arrival *neighbors = call->roll->neighbors;
    for (int r = 0; r < state->size && neighbors != NULL; r++) {
        const int index = state->carrier.node->index_of[r];
        if (index >= 0)
            call->known[r] = presence(call, atomic_load(&neighbors[index].run));
    }
    if (executor != NULL)
        allfold_executor_tell_received(executor, note_message, call->known);
    call->known[state->rank] = ALLFOLD_HERE;
}

static int ask(const struct allfold_roll_call *call, int *asked)
{
    const struct allfold_communicator *state = call->state;
    const int64_t words[WORDS] = {call->roll->lane, (int64_t)call->run, 0};
    int error = MPI_SUCCESS;
    *asked = 0;
    for (int r = 0; r < state->size && error == MPI_SUCCESS; r++) {
        if (call->known[r] != ALLFOLD_SILENT)
            continue;
        error =
            PMPI_Send(words, WORDS, MPI_INT64_T, r, allfold_question_tag(), state->carrier.comm);
        ++*asked;
    }
    return error;
}

static void answer_under_lock(struct allfold_communicator *state)
{
    allfold_progress_lock();
    allfold_roll_call_answer(state);
    allfold_progress_unlock();
}

static int await_answers(const struct allfold_roll_call *call, int asked)
{
    const double deadline_s = allfold_now_s() + 1e-3 * ALLFOLD_ROLL_CALL_MS;
    while (asked > 0 && allfold_now_s() < deadline_s) {
        int64_t words[WORDS];
        int from;
        const int error = receive(call->state, allfold_question_tag() + 1, words, &from);
        if (error != MPI_SUCCESS)
            return error;
        if (from >= 0 && words[LANE] == call->roll->lane && words[RUN] == (int64_t)call->run) {
            call->known[from] = presence(call, (uint64_t)words[AT]);
            asked--;
        }
        allfold_progress();
        answer_under_lock(call->state);
        allfold_idle();
        sched_yield();
    }
    return MPI_SUCCESS;
}

int allfold_roll_call_ask(const struct allfold_roll_call *call)
{
    int asked;
    const int error = ask(call, &asked);
    return error != MPI_SUCCESS ? error : await_answers(call, asked);
}

/* --- watches --- */

static int timeout_ms(const struct allfold_communicator *state)
{
    return state->agreed.settings->common.timeout_ms;
}

/* Begins the watch `watch`, if there is a timeout. */
static void set_current(struct allfold_watch *watch)
{
    assert(current == NULL);
    if (timeout_ms(watch->state) == 0)
        return;
    watch->begin_s = allfold_now_s();
    watch->interval_s = 1e-3 * timeout_ms(watch->state);
    current = watch;
}

void allfold_watch_begin(struct allfold_watch *watch, struct allfold_communicator *state,
                         enum allfold_collective collective)
{
    struct allfold_arrivals *arrivals = allfold_arrivals_of(state);
    *watch = (struct allfold_watch){.state = state, .has_call = true, .collective = collective};
    allfold_roll_arrive(state, &arrivals->blocking, 2 * ++arrivals->calls - 1);
    set_current(watch);
}

void allfold_watch_end(const struct allfold_watch *watch)
{
    struct allfold_arrivals *arrivals = allfold_arrivals_of(watch->state);
    assert(current == NULL || current == watch);
    if (watch->has_call)
        allfold_roll_arrive(watch->state, &arrivals->blocking, 2 * arrivals->calls);
    current = NULL;
}

void allfold_watch_executor(const struct allfold_executor *executor)
{
    if (current != NULL)
        current->executor = executor;
}

static void begin_line(struct allfold_line *line, const struct allfold_watch *watch,
                       double waited_s)
{
    const struct allfold_arrivals *arrivals = allfold_arrivals_of(watch->state);
    if (watch->has_call)
        allfold_line_add_call(line, watch->collective, ALLFOLD_BLOCKING);
    else
        allfold_line_add(line, "the first call");
    allfold_line_add(line, " on ");
    allfold_line_add_comm(line, watch->state->user);
    if (watch->has_call)
        allfold_line_add(line, ", call %llu there,", (unsigned long long)arrivals->calls);
    allfold_line_add(line, " has waited %.6g s on rank %d", waited_s, watch->state->rank);
}

static void add_known(struct allfold_line *line, const struct allfold_watch *watch,
                      const unsigned char *known, enum allfold_presence presence, const char *words)
{
    const int p = watch->state->size;
    if (memchr(known, (int)presence, (size_t)p) == NULL)
        return;
    allfold_line_add(line, "; %s: ", words);
    allfold_line_add_ranks(line, watch->state->carrier.comm, p, known, (unsigned char)presence);
}

/* Every waiting rank could print the message; the lowest one does. */
static bool is_to_speak(const struct allfold_watch *watch, const unsigned char *known)
{
    for (int r = 0; r < watch->state->rank; r++)
        if (known[r] == ALLFOLD_HERE)
            return false;
    return true;
}

/* At the first call no rank knows what the others do, so ranks 0 and 1 print a message: one of them
 * has arrived. */
static bool warn_first(const struct allfold_watch *watch, struct allfold_line *line)
{
    if (watch->state->rank > 1)
        return false;
    allfold_line_add(line, "; which ranks have not come is known from the second call on");
    allfold_warn(line->text);
    return true;
}

/* Calls the roll of the blocking call that this rank is in. */
static int call_roll(const struct allfold_watch *watch, unsigned char *known)
{
    const struct allfold_roll *roll = &allfold_arrivals_of(watch->state)->blocking;
    const struct allfold_roll_call call = {watch->state, roll, atomic_load(&roll->run), known};
    allfold_roll_call_look(&call, watch->executor);
    return allfold_roll_call_ask(&call);
}

/* Prints for which ranks this rank waits. Returns false if another rank prints it. */
static bool warn_of(const struct allfold_watch *watch, double waited_s)
{
    struct allfold_line line = {.length = 0};
    begin_line(&line, watch, waited_s);
    if (!watch->has_call)
        return warn_first(watch, &line);
    unsigned char *known = allfold_allocate_zeroed((size_t)watch->state->size);
    const bool speaks =
        known != NULL && call_roll(watch, known) == MPI_SUCCESS && is_to_speak(watch, known);
    if (speaks) {
        add_known(&line, watch, known, ALLFOLD_ABSENT, "ranks that have not come");
        add_known(&line, watch, known, ALLFOLD_SILENT, "ranks that do not answer");
        allfold_warn(line.text);
    }
    allfold_free(known);
    return speaks;
}

/* Ends the program once the text on stderr has had time to get out: a launcher that hears of the
 * end first may no longer read what its processes have said. */
static void end_program(void)
{
    const struct timespec time = {.tv_nsec = 200 * 1000 * 1000};
    nanosleep(&time, NULL);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* Looks whether the timeout is past. */
static void look_at_watch(void)
{
    struct allfold_watch *watch = current;
    if (watch == NULL)
        return;
    const double waited_s = allfold_now_s() - watch->begin_s;
    if (waited_s < watch->interval_s)
        return;
    watch->interval_s *= 2;
    current = NULL; /* what it takes to find out is not watched */
    const bool has_spoken = warn_of(watch, waited_s);
    current = watch;
    if (has_spoken && watch->state->agreed.settings->common.timeout_aborts)
        end_program();
}

/* --- what a waiting rank does for others, and the communicator's part --- */

static void answer(struct allfold_communicator *state)
{
    if (state->carrier.comm != MPI_COMM_NULL)
        allfold_roll_call_answer(state);
}

/* Ranks that are late for one call may wait in another one, and the rank that makes a roll-call
 * must learn this. If blocking calls are watched, queries may come on any communicator. But with
 * threads, another thread may be freeing one. */
static void look(void)
{
    const bool has_timeout = allfold_settings()->common.timeout_ms > 0;
    if (current != NULL || has_timeout) {
        allfold_progress_lock();
        if (current != NULL)
            answer(current->state);
        if (has_timeout && !allfold_has_threads())
            allfold_communicators_visit(answer);
        allfold_progress_unlock();
    }
    look_at_watch();
}

static bool must_look(void)
{
    return current != NULL;
}

static void make(struct allfold_communicator *state)
{
    static struct allfold_idle_hook hook = {.look = look, .must_look = must_look};
    static atomic_bool is_added;
    if (!atomic_exchange(&is_added, true))
        allfold_idle_hook_add(&hook);
    allfold_roll_open(state, &allfold_arrivals_of(state)->blocking, ALLFOLD_BLOCKING_LANE);
}

/* Ranks arrive at each other's first call at different times. */
static void watch_first(struct allfold_communicator *state, bool begins)
{
    struct allfold_watch *first = &allfold_arrivals_of(state)->first;
    if (begins) {
        *first = (struct allfold_watch){.state = state};
        set_current(first);
    } else {
        allfold_watch_end(first);
    }
}

static void carry(struct allfold_communicator *state)
{
    struct allfold_roll *roll = &allfold_arrivals_of(state)->blocking;
    find_neighbors(state, roll);
    allfold_roll_arrive(state, roll, atomic_load(&roll->run));
}

const struct allfold_part allfold_part_arrivals = {
    .bytes = sizeof(struct allfold_arrivals),
    .make = make,
    .wait_private = watch_first,
    .carry = carry,
};
